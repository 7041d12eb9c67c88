import Foundation

/// A client that resumes after every lost connection, and scrolls and changes its query meanwhile.
///
/// It checks that every message fits its window, that no row occurs twice, and that no row is older
/// than it was shown before.
final class ChaosClient: @unchecked Sendable {
  /// The number of visible rows.
  static let visible = 20

  private struct State {
    var replica = WireReplica()
    /// The query of each request, by number.
    var looks: [Int: ChaosTruth.Look] = [:]
    var request = 0
    var look: ChaosTruth.Look
    var first = 0
    /// The latest version of each row that was ever shown.
    var versions: [Int: Int] = [:]
    var complaints: [String] = []
    var connections = 0
    /// The number of times a resume was answered with a patch.
    var resumes = 0
    var isOver = false
    /// Whether the client has stopped scrolling and querying.
    var isCalm = false
  }

  private let port: Int
  private let host: String
  private let changed = NSCondition()
  private var state: State
  private let hasEnded = DispatchSemaphore(value: 0)
  /// Used only by the client's thread.
  private var dice: SplitMix
  private var session = ""

  /// - Parameters:
  ///   - port: The port to connect to.
  ///   - host: The value of the `Host` header.
  init(port: Int, host: String, look: ChaosTruth.Look, seed: UInt64) {
    self.port = port
    self.host = host
    state = State(look: look)
    dice = SplitMix(state: seed)
    Thread.detachNewThread { [self] in
      // After an error, connect again.
      while !locked({ $0.isOver }) { try? live() }
      hasEnded.signal()
    }
  }

  private func locked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    changed.lock()
    defer { changed.unlock() }
    return try body(&state)
  }

  var complaints: [String] { locked { $0.complaints } }
  var connections: Int { locked { $0.connections } }
  var resumes: Int { locked { $0.resumes } }

  /// Stops scrolling and querying.
  func calmDown() { locked { $0.isCalm = true } }

  func end() {
    locked { $0.isOver = true }
    hasEnded.wait()
  }

  /// Waits until the client shows the expected rows.
  ///
  /// - Returns: The difference that remains at the deadline; `nil` if there is none.
  func wait(for truth: ChaosTruth, until deadline: Double) -> String? {
    changed.lock()
    defer { changed.unlock() }
    while let fault = fault(beside: truth) {
      guard RawSocket.now() < deadline, state.complaints.isEmpty else { return fault }
      _ = changed.wait(until: Date(timeIntervalSinceNow: 0.5))
    }
    return nil
  }

  private func fault(beside truth: ChaosTruth) -> String? {
    let replica = state.replica
    guard replica.request == state.request, let look = state.looks[replica.request] else {
      return "it looks at the answer to \(replica.request), not to \(state.request)"
    }
    let all = truth.shown(look)
    let rows = zip(replica.numbers(0), replica.numbers(1)).map { ChaosTruth.Row(key: $0, version: $1) }
    guard replica.total == all.count, rows.count >= min(Self.visible, all.count) else {
      return "it shows \(rows.count) rows of \(replica.total), not of \(all.count)"
    }
    guard replica.start + rows.count <= all.count, rows == Array(all[replica.start..<replica.start + rows.count])
    else { return "it shows \(rows) from \(replica.start), and there is \(all)" }
    return nil
  }

  // MARK: Connections

  private func live() throws {
    let client = try WebSocketClient(port: port, lines: WebSocketClient.upgrade(port: port, host: [host]))
    guard client.handshake.contains(" 101 ") else { return }
    locked { $0.connections += 1 }
    client.send(#"{"type":"hello","version":1,"client":"chaos"}"#)
    let hello = try client.message("hello")
    open(client)
    session = hello["session"] as? String ?? ""
    var isFirst = true
    while !locked({ $0.isOver }) {
      // Return regularly, to check whether to stop.
      switch client.frame(within: 0.25) {
      case nil: continue
      case .close, .end: return
      case .ping(let payload): client.send(opcode: 10, payload)
      case .text(let bytes):
        let message = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
        switch message["type"] as? String {
        case "window", "patch":
          guard take(message, isFirst: isFirst) else { return }
          isFirst = false
          client.send(#"{"type":"ack","seq":\#(message["seq"] ?? 0)}"#)
          wander(client)
        case "error":
          locked { $0.complaints.append("it is refused: \(message)") }
          return
        default: break
        }
      default: break
      }
    }
    client.send(opcode: 8, [0x03, 0xE8])
  }

  private func viewport(_ state: State) -> String {
    #""first":\#(state.first),"count":\#(Self.visible)\#(state.first == 0 ? #","stick":"top""# : "")"#
  }

  private func open(_ client: WebSocketClient) {
    let text = locked { state in
      if state.request == 0 { state.request = 1 }
      state.looks[state.request] = state.look
      let resume =
        session.isEmpty || state.replica.sequence == 0
        ? ""
        : #","resume":{"epoch":"\#(state.replica.epoch)","session":"\#(session)","seq":\#(state.replica.sequence)}"#
      return
        #"{"type":"open","table":"truth","request":\#(state.request),"query":\#(state.look.query),"#
        + #""viewport":{\#(viewport(state))},"interval":10\#(resume)}"#
    }
    client.send(text)
  }

  /// - Returns: Whether the message fits the window.
  private func take(_ message: [String: Any], isFirst: Bool) -> Bool {
    locked { state in
      do {
        try state.replica.apply(message)
        for (key, version) in zip(state.replica.numbers(0), state.replica.numbers(1)) {
          let known = state.versions[key, default: 0]
          guard version >= known else {
            throw WireReplica.Misfit(what: "row \(key) is shown as of \(version), and was of \(known) before")
          }
          state.versions[key] = version
        }
      } catch {
        state.complaints.append("\(error): \(message)")
        changed.broadcast()
        return false
      }
      if isFirst, message["type"] as? String == "patch" { state.resumes += 1 }
      changed.broadcast()
      return true
    }
  }

  /// Occasionally scrolls or changes the query.
  private func wander(_ client: WebSocketClient) {
    let roll = Int.random(in: 0..<40, using: &dice)
    let (first, look) = (Int.random(in: 0...30, using: &dice), ChaosTruth.Look.allCases.randomElement(using: &dice)!)
    let text = locked { state -> String? in
      guard !state.isCalm else { return nil }
      switch roll {
      case 0..<6:
        state.first = roll < 2 ? 0 : first
        return #"{"type":"viewport","seq":\#(state.replica.sequence),\#(viewport(state))}"#
      case 6:
        state.request += 1
        (state.look, state.first) = (look, 0)
        state.looks[state.request] = look
        return #"{"type":"query","request":\#(state.request),"query":\#(look.query),"viewport":{\#(viewport(state))}}"#
      case 7: return #"{"type":"resync","seq":\#(state.replica.sequence),"reason":"a whim"}"#
      default: return nil
      }
    }
    if let text { client.send(text) }
  }
}
