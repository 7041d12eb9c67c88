import ListEngine
import Testing

@testable import Server

/// Tests of the delivery of patches, with one in flight at most.
@Suite struct DeliveryTests {
  private func changed(_ round: Int) -> Changeset { RunningServer.rows(0..<10, name: "round \(round)") }

  @Test func `sends no patch before the window is acknowledged`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.addNumbers(10)
    let client = try WebSocketClient.open("numbers", port: server.port)
    for round in 0..<50 { inlet.report(.changes(changed(round))) }
    // The window was not acknowledged, so only status messages may arrive.
    while let frame = client.frame(within: 0.3) {
      guard case .text(let bytes) = frame else { continue }
      #expect(!String(decoding: bytes, as: UTF8.self).contains(#""type":"patch""#))
    }
    client.send(#"{"type":"ack","seq":1}"#)
    let patch = try client.message("patch")
    #expect(patch["seq"] as? Int == 2)
    #expect(patch["base"] as? Int == 1)
  }

  @Test func `a paused client gets only waiting counts, then one patch`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.addNumbers(10)
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    client.send(#"{"type":"pause","paused":true}"#)
    // The pong shows that the earlier messages were handled.
    client.send(opcode: 9, Array("paused".utf8))
    while let frame = client.frame() { if case .pong = frame { break } }
    inlet.report(.changes(changed(1)))
    // Another table and another state of the source also wait.
    _ = server.addNumbers(5, name: "later")
    inlet.report(.state(.stale, message: "down"))
    let waiting = try client.message("waiting")
    #expect(waiting["changed"] as? Int == 10)
    #expect(waiting["rows"] as? Int == 10)
    while let frame = client.frame(within: 0.3) {
      guard case .text(let bytes) = frame else { continue }
      Issue.record("a page that pauses gets \(String(decoding: bytes, as: UTF8.self))")
    }
    client.send(#"{"type":"pause","paused":false}"#)
    #expect(try client.message("tables")["tables"] != nil)
    let patch = try client.message("patch")
    #expect(patch["base"] as? Int == 1)
    #expect((patch["updated"] as? [Any])?.count == 10)
    // Status messages come at most once a second, and an earlier one reported `live`.
    #expect((try client.message("status")["source"] as? [String: Any])?["state"] as? String == "stale")
  }

  @Test func `patches include the last of 200 rapid changes`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.addNumbers(10)
    let client = try WebSocketClient.open("numbers", port: server.port)
    for round in 0..<200 { inlet.report(.changes(changed(round))) }
    var sequence = 1
    var isLast = false
    while !isLast {
      client.send(#"{"type":"ack","seq":\#(sequence)}"#)
      let patch = try client.message("patch")
      sequence = try #require(patch["seq"] as? Int)
      isLast = "\(patch["updated"] ?? "")".contains("round 199 9")
    }
    #expect(sequence <= 201)
  }

  @Test func `a client that acknowledges late gets only its last query`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.addNumbers(1_000)
    let silent = try (0..<5).map { _ in try WebSocketClient.open("numbers", port: server.port, count: 1_000) }
    let good = try WebSocketClient.open("numbers", port: server.port)
    var sequence = 1
    for round in 0..<60 {
      for client in silent {
        client.send(
          #"{"type":"query","request":\#(round + 2),"query":{"search":"r"},"viewport":{"first":0,"count":1000}}"#)
      }
      inlet.report(.changes(RunningServer.rows(0..<1_000, name: "round \(round)")))
      good.send(#"{"type":"ack","seq":\#(sequence)}"#)
      sequence = try #require(try good.message("patch")["seq"] as? Int)
    }
    for client in silent {
      client.send(#"{"type":"ack","seq":1}"#)
      // Only the last of sixty queries is answered.
      let window = try client.message("window")
      #expect(window["seq"] as? Int == 2)
      #expect(window["request"] as? Int == 61)
    }
  }

  @Test func `disconnected clients do not block patches to others`() throws {
    let server = try RunningServer()
    let inlet = server.addNumbers(10)
    for _ in 0..<50 { _ = try WebSocketClient.open("numbers", port: server.port) }
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    inlet.report(.changes(changed(1)))
    #expect(try client.message("patch")["seq"] as? Int == 2)
  }

  @Test func `a flooding source does not block other sources or clients`() throws {
    let server = try RunningServer {
      $0.inletRows = 2_000
      $0.rowsPerTurn = 1_000
    }
    let flood = server.addNumbers(1, name: "flood")
    let quiet = server.addNumbers(10, name: "quiet")
    let thread = Flooder(flood)
    let client = try WebSocketClient.open("quiet", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    quiet.report(.changes(changed(1)))
    #expect(try client.message("patch")["seq"] as? Int == 2)
    #expect(server.stop())
    #expect(thread.hasEnded(), "a source that was held back was not let go")
  }
}
