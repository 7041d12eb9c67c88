import Foundation
import ListEngine
import Testing

@testable import Server

/// Real pages on a network that does everything wrong, until it does not any more.
@Suite struct ChaosTests {
  /// A page that comes back with what it holds, as often as it is lost.
  private final class Page: @unchecked Sendable {
    private let port: Int
    /// What requests must name, though they are sent elsewhere.
    private let host: String
    private let lock = NSLock()
    private var replica = WireReplica()
    private var session = ""
    private var misfits: [String] = []
    private var isOver = false
    private var resumes = 0
    private let hasEnded = DispatchSemaphore(value: 0)

    init(port: Int, server: Int) {
      self.port = port
      host = "127.0.0.1:\(server)"
      Thread.detachNewThread { [self] in
        while !lock.withLock({ isOver }) { try? live() }
        hasEnded.signal()
      }
    }

    var shown: [String] { lock.withLock { replica.texts(1) } }
    var complaints: [String] { lock.withLock { misfits } }
    var resumeCount: Int { lock.withLock { resumes } }

    func end() {
      lock.withLock { isOver = true }
      hasEnded.wait()
    }

    private func live() throws {
      let client = try WebSocketClient(port: port, lines: WebSocketClient.upgrade(port: port, host: [host]))
      client.say(#"{"type":"hello","version":1,"client":"chaos"}"#)
      let hello = try client.message("hello", within: 2)
      let (held, former) = lock.withLock { (replica, session) }
      lock.withLock { session = hello["session"] as? String ?? "" }
      let resume =
        held.epoch.isEmpty
        ? "" : #","resume":{"epoch":"\#(held.epoch)","session":"\#(former)","seq":\#(held.sequence)}"#
      let seen = #""viewport":{"seq":\#(held.sequence),"first":0,"count":20,"stick":"top"}"#
      client.say(#"{"type":"open","table":"numbers","request":1,\#(seen),"interval":16\#(resume)}"#)
      while !lock.withLock({ isOver }) {
        guard let message = try? client.message(within: 0.2) else {
          if client.socket.isClosedByPeer { return }
          continue
        }
        guard ["window", "patch"].contains(message["type"] as? String) else { continue }
        try lock.withLock {
          do {
            try replica.apply(message)
            if message["type"] as? String == "patch", message["seq"] as? Int == held.sequence + 1 { resumes += 1 }
          } catch {
            misfits.append("\(error)")
            throw error
          }
        }
        client.say(#"{"type":"ack","seq":\#(message["seq"] ?? 0)}"#)
      }
    }
  }

  @Test(arguments: [1, 2, UInt64.random(in: 3 ... .max)]) func pagesAreRightAgainWhateverTheNetworkDid(_ seed: UInt64)
    throws
  {
    print("chaos: seed \(seed)")
    let server = try RunningServer()
    let inlet = server.addNumbers(30)
    let proxy = try ChaosProxy(to: server.port, seed: seed)
    let pages = (0..<4).map { _ in Page(port: proxy.port, server: server.port) }
    var dice = ChaosProxy.SplitMix(state: seed)
    var round = 0
    let deadline = RawSocket.now() + 60
    while proxy.deeds.connections < 24, RawSocket.now() < deadline {
      round += 1
      let first = Int.random(in: 0..<30, using: &dice)
      inlet.tell(.changes(RunningServer.rows(first..<min(30, first + 4), name: "round \(round)")))
      // No sleep: it paces itself by what a page of its own is sent.
      _ = try WebSocketClient.status(
        of: ["GET /healthz HTTP/1.1", "Host: 127.0.0.1:\(server.port)"], port: server.port)
    }
    proxy.calmDown()
    inlet.tell(.changes(RunningServer.rows(0..<30, name: "last")))
    let wanted = (0..<20).map { "last \($0)" }
    while pages.contains(where: { Array($0.shown.prefix(20)) != wanted }), RawSocket.now() < deadline {
      _ = try WebSocketClient.status(
        of: ["GET /healthz HTTP/1.1", "Host: 127.0.0.1:\(server.port)"], port: server.port)
    }
    for page in pages {
      page.end()
      #expect(Array(page.shown.prefix(20)) == wanted)
      #expect(page.complaints.isEmpty, "\(page.complaints)")
    }
    let deeds = proxy.deeds
    print("chaos: \(deeds), \(pages.map(\.resumeCount).reduce(0, +)) patches after a loss")
    #expect(deeds.connections >= 24)
    #expect(deeds.resets + deeds.halfCloses > 0)
    proxy.end()
  }
}
