import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests that clients on a faulty network never show wrong rows, and are correct in the end.
///
/// `ROWCAST_CHAOS_SEED=n` runs one seed; `ROWCAST_CHAOS_SEEDS=n` runs a number of random seeds.
@Suite(.serialized) struct LostConnectionTests {
  private static let host = "rowcast.test"
  private static let clientCount = 5
  /// A time limit that is reached only if something is wrong.
  private static let patience = 120.0

  private static var seeds: [UInt64] {
    let variables = ProcessInfo.processInfo.environment
    if let seed = variables["ROWCAST_CHAOS_SEED"].flatMap(UInt64.init) { return [seed] }
    let count = variables["ROWCAST_CHAOS_SEEDS"].flatMap { Int($0) } ?? 2
    return [1, 2, 3] + (0..<count).map { _ in UInt64.random(in: 4...1_000_000) }
  }

  /// A server with a table of the expected rows.
  private final class Served {
    let server: RunningServer
    let inlet: SourceInlet

    init(_ truth: ChaosTruth, epoch: String) throws {
      server = try RunningServer {
        $0.epoch = epoch
        // The pilot sends more messages than a usual client.
        $0.messageRate = 1_000_000
        $0.messageBurst = 1_000_000
        $0.publicURLs = [PublicURL("http://\(LostConnectionTests.host)")!]
      }
      inlet = server.control.addSource("truth")
      inlet.report(.schema(ChaosTruth.schema))
      inlet.report(.changes(truth.everything))
      inlet.report(.state(.live, message: ""))
    }
  }

  /// Opens a client without network faults; when it receives a change, the server has applied it.
  private func pilot(_ served: Served) throws -> WebSocketClient {
    let client = try WebSocketClient.greeted(port: served.server.port)
    client.send(
      #"{"type":"open","table":"truth","request":1,"query":\#(ChaosTruth.Look.latest.query),"viewport":{"first":0,"count":1,"stick":"top"},"interval":0}"#
    )
    return client
  }

  @Test(arguments: seeds) func `clients converge to the correct rows over a faulty network`(_ seed: UInt64) throws {
    var dice = SplitMix(state: seed)
    var truth = ChaosTruth(rows: 60)
    var served = try Served(truth, epoch: "first")
    let proxy = try ChaosProxy(to: served.server.port, seed: seed)
    let clients = (0..<Self.clientCount).map {
      ChaosClient(
        port: proxy.port, host: Self.host, look: ChaosTruth.Look.allCases[$0 % 3], seed: seed &+ UInt64($0))
    }
    let deadline = RawSocket.now() + Self.patience
    var pilot = try pilot(served)
    var (rounds, restarts) = (0, 0)
    defer {
      for client in clients { client.end() }
      proxy.end()
    }
    // Continue until each client was disconnected often and the server restarted twice.
    while RawSocket.now() < deadline {
      let most = clients.map(\.connections).min() ?? 0
      if most >= 9, restarts == 2, proxy.deeds.isEverythingDone { break }
      if clients.contains(where: { !$0.complaints.isEmpty }) { break }
      if restarts < 2, most >= 3 * (restarts + 1) {
        restarts += 1
        // A new server without the state of the old one, but with the same rows.
        let other = try Served(truth, epoch: "epoch \(restarts)")
        proxy.turn(to: other.server.port)
        #expect(served.server.stop(), "seed \(seed): the server does not end")
        served = other
        pilot = try self.pilot(served)
      }
      rounds += 1
      served.inlet.report(.changes(truth.change(&dice)))
      let latest = truth.lastVersion
      try pilot.wait { message in
        // Only messages with the newest row contain its number.
        ["window", "patch"].contains(message["type"] as? String) && "\(message)".contains("\(latest)")
      }
    }
    proxy.calmDown()
    for client in clients { client.calmDown() }
    served.inlet.report(.changes(truth.change(&dice)))
    for (number, client) in clients.enumerated() {
      let fault = client.wait(for: truth, until: RawSocket.now() + 30)
      #expect(fault == nil, "seed \(seed), page \(number)")
      #expect(client.complaints.isEmpty, "seed \(seed), page \(number)")
    }
    let deeds = proxy.deeds
    print(
      "chaos: seed \(seed): \(rounds) changes, \(deeds), \(clients.map(\.resumes).reduce(0, +)) patches to what was held"
    )
    #expect(restarts == 2 && deeds.isEverythingDone, "seed \(seed): \(deeds)")
    #expect(clients.allSatisfy { $0.connections >= 9 }, "seed \(seed): \(clients.map(\.connections))")
    #expect(clients.contains { $0.resumes > 0 }, "seed \(seed): no page ever got a patch to the rows that it held")
  }

  @Test func `a seed determines the faults of every connection`() {
    for connection in 0..<50 {
      let fate = ConnectionFate(seed: 7, connection: connection)
      #expect(fate == ConnectionFate(seed: 7, connection: connection))
    }
    #expect(
      (0..<50).map { ConnectionFate(seed: 7, connection: $0) }
        != (0..<50).map { ConnectionFate(seed: 8, connection: $0) })
  }
}
