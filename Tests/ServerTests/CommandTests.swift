import Foundation
import Testing

/// `rowcast serve`, from outside.
@Suite struct CommandTests {
  @Test(arguments: [
    ["--nope"], ["serve", "--nope"], ["nope"], ["--port", "x"], ["--port", "-1"], ["--port", "65536"], ["--port"],
    ["--listen", "0.0.0.0"], ["--listen", "::"], ["--listen", "192.168.0.1"], ["--listen", "example.org"],
    ["--listen", "127.0.0.2"], ["--listen", "0.0.0.0", "--token-file", "/nowhere/t"],
    ["--listen", "0.0.0.0", "--no-token", "--tls-certificate", "c", "--tls-key", "k"],
    ["--tls-certificate", "c"], ["--tls-key", "k"], ["--no-token", "--token-file", "t"],
    ["--public-url", "example.org"],
    ["url", "--role", "admin"], ["url", "--port", "x"],
    ["--interval", "-1"], ["--interval", "60001"], ["--log-level", "loud"], ["--set", "x"], ["--set", "market.rows=1"],
    ["--set", "processes=1"], ["--plugin", "processes", "--plugin", "processes"],
    ["--plugin", "market", "--set", "market.rows=many"], ["--child", "x"], ["--child", "=true"],
    ["--child", "a b=true"],
    ["--child", "x= "], ["--child", "x=true", "--child", "x=true"], ["--child", "x=true", "--set", "y.z=1"],
    ["--child", "processes=true", "--plugin", "processes"],
  ])
  func aWrongCommandIsOneLineAndTwo(_ arguments: [String]) throws {
    let command = try RunningCommand(arguments, waits: false)
    #expect(try command.end() == 2, "\(arguments)")
    let complaint = command.complaints
    #expect(complaint.hasPrefix("rowcast: "), "\(complaint)")
    #expect(complaint.filter { $0 == "\n" }.count == 1, "\(complaint)")
    #expect(command.remainingOutput == "")
  }

  @Test(arguments: [
    ["--web", "/nowhere"], ["--web", "/etc"], ["--plugin", "nowhere"], ["--plugin", "/etc/passwd"],
    ["--plugin", "/etc"], ["--token-file", "/nowhere/t"], ["--token-file", "/etc/passwd"], ["--token-file", "/tmp"],
    ["--tls-certificate", "/nowhere/c", "--tls-key", "/nowhere/k"], ["--unix", "/nowhere/s"],
    ["--unix", "/etc/passwd"],
  ])
  func aWrongWorldIsOneLineAndOne(_ arguments: [String]) throws {
    let command = try RunningCommand(arguments + ["--port", "0"], waits: false)
    #expect(try command.end() == 1, "\(arguments)")
    let complaint = command.complaints
    #expect(complaint.hasPrefix("rowcast: "), "\(complaint)")
    #expect(complaint.filter { $0 == "\n" }.count == 1, "\(complaint)")
  }

  @Test func aPortInUseIsOneLineAndOne() throws {
    let server = try RunningServer()
    let command = try RunningCommand(["--port", "\(server.port)"], waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints.contains("cannot listen on 127.0.0.1:\(server.port)"))
  }

  @Test(arguments: [
    ["--child", #"jobs=echo '{"id":1,"name":"build"}'; exec sleep 100"#],
    ["--", "sh", "-c", #"echo '{"id":1,"name":"build"}'; exec sleep 100"#],
  ]) func aProgramIsATable(_ arguments: [String]) throws {
    let command = try RunningCommand(["serve", "--port", "0", "--no-token"] + arguments)
    try waitFor("build", in: arguments[0] == "--" ? "sh" : "jobs", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end(within: 3) == 0)
  }

  /// Waits until a table shows this text; it may come after the first window.
  private func waitFor(_ text: String, in table: String, port: Int) throws {
    let client = try WebSocketClient.greeted(port: port)
    client.say(#"{"type":"open","table":"\#(table)","request":1}"#)
    while true {
      let message = try client.message()
      if message["type"] as? String != "tables", "\(message)".contains(text) { return }
      if let sequence = message["seq"] as? Int { client.say(#"{"type":"ack","seq":\#(sequence)}"#) }
    }
  }

  @Test(arguments: [SIGINT, SIGTERM]) func itServesUntilItIsToldToEnd(_ signal: Int32) throws {
    let command = try RunningCommand(["serve", "--port", "0", "--no-token"])
    #expect(command.announcement == "listening on http://127.0.0.1:\(command.port)/")
    #expect(try HTTPAnswer.get("/", port: command.port)?.status == 200)
    let client = try WebSocketClient.open("processes", port: command.port)
    command.send(signal: signal)
    #expect(client.closeCode() == 1001)
    #expect(try command.end(within: 3) == 0)
    #expect(command.remainingOutput == "", "one line only")
  }

  @Test func aPageThatDoesNotAnswerDoesNotKeepIt() throws {
    let command = try RunningCommand(["--port", "0", "--no-token"])
    let silent = try WebSocketClient.open("processes", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end(within: 3) == 0)
    #expect(silent.socket.received.isEmpty)
  }

  @Test func aSecondSignalEndsItAtOnce() throws {
    let command = try RunningCommand(["--port", "0", "--no-token"])
    let silent = try WebSocketClient.open("processes", port: command.port)
    command.send(signal: SIGTERM)
    // The Close frame says that the first one was heard.
    _ = silent.socket.receive(until: RawSocket.now() + RawSocket.patience)
    command.send(signal: SIGTERM)
    let end = try command.end(within: 3)
    #expect(end == -SIGTERM || end == 0)
  }
}
