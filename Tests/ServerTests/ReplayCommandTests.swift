import Foundation
import Testing

/// Tests of `rowcast serve --record` and `rowcast replay` as processes.
@Suite struct ReplayCommandTests {
  @Test func `a recording verifies and is served again`() throws {
    let file = RunningCommand.folder + "/served.rowcast"
    let recorder = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--plugin", "market", "--set", "market.rows=200", "--set",
      "market.rate=1000",
      "--record", file,
    ])
    let client = try WebSocketClient.open("quotes", port: recorder.port)
    client.send(#"{"type":"ack","seq":1}"#)
    for _ in 0..<2 {
      let patch = try client.message("patch")
      client.send("{\"type\":\"ack\",\"seq\":\(patch["seq"] ?? 0)}")
    }
    recorder.send(signal: SIGTERM)
    #expect(try recorder.end() == 0)

    let verifier = try RunningCommand(["replay", file, "--verify"])
    #expect(try verifier.end() == 0)
    #expect(verifier.announcement.hasSuffix(": all equal"), "\(verifier.announcement)")

    let again = try RunningCommand(["replay", file, "--speed", "0", "--port", "0", "--no-token"])
    let viewer = try WebSocketClient.greeted(port: again.port)
    viewer.send(#"{"type":"open","table":"quotes","request":1,"viewport":{"first":0,"count":10}}"#)
    // A client that is connected during the replay receives the rows one by one.
    var total = 0
    while total != 200 {
      let message = try viewer.message()
      total = message["total"] as? Int ?? total
      if let sequence = message["seq"] { viewer.send("{\"type\":\"ack\",\"seq\":\(sequence)}") }
    }
    again.send(signal: SIGTERM)
    #expect(try again.end() == 0)
  }

  @Test func `replay reports a damaged recording and exits with 1`() throws {
    let file = RunningCommand.folder + "/changed.rowcast"
    let recorder = try RunningCommand(["--port", "0", "--no-token", "--plugin", "clock", "--record", file])
    _ = try WebSocketClient.open("clock", port: recorder.port)
    recorder.send(signal: SIGTERM)
    #expect(try recorder.end() == 0)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    let verifier = try RunningCommand(["replay", file, "--verify"], waits: false)
    #expect(try verifier.end() == 1)
    #expect(verifier.complaints.contains("the recording is damaged at byte"), "\(verifier.complaints)")
    #expect(verifier.complaints.filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: [
    ["replay"], ["replay", "x", "--speed", "-1"], ["replay", "x", "--speed", "fast"],
    ["replay", "x", "--plugin", "clock"], ["replay", "x", "--child", "x=true"], ["replay", "x", "--", "df"],
    ["replay", "x", "--set", "a.b=c"], ["replay", "x", "--record", "y"],
  ])
  func `invalid replay arguments exit with 2`(_ arguments: [String]) throws {
    #expect(try RunningCommand(arguments, waits: false).end() == 2)
  }

  @Test(arguments: [["replay", "/nowhere"], ["replay", "/etc/passwd", "--verify"], ["--record", "/nowhere/file"]])
  func `an unusable file prints one line and exits with 1`(_ arguments: [String]) throws {
    let command = try RunningCommand(arguments, waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints.filter { $0 == "\n" }.count == 1, "\(command.complaints)")
    #expect(command.complaints.contains(arguments[1]) && command.remainingOutput == "")
  }

  @Test func `a failed start leaves an existing recording unchanged`() throws {
    let file = RunningCommand.folder + "/kept.rowcast"
    let recorder = try RunningCommand(["--port", "0", "--no-token", "--plugin", "clock", "--record", file])
    recorder.send(signal: SIGTERM)
    #expect(try recorder.end(within: 10) == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(!before.isEmpty)
    let taken = try RunningServer()
    for arguments in [["--port", "\(taken.port)"], ["--port", "0", "--plugin", "/nowhere/at/all"]] {
      let command = try RunningCommand(arguments + ["--no-token", "--record", file], waits: false)
      #expect(try command.end() == 1)
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }
  }
}
