extension WebSocketClient {
  /// A time limit for waits during which other messages arrive, on a busy machine.
  static let longPatience = 60.0

  /// Opens a table, and waits until a message about it contains a text.
  static func waitFor(_ text: String, in table: String, port: Int) throws {
    let client = try WebSocketClient.greeted(port: port)
    client.send(#"{"type":"open","table":"\#(table)","request":1}"#)
    try client.wait { $0["type"] as? String != "tables" && "\($0)".contains(text) }
  }

  /// Waits until the server's list of tables contains a text.
  static func waitForTables(with text: String, port: Int) throws {
    let client = try WebSocketClient(port: port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    try client.wait { $0["tables"] != nil && "\($0)".contains(text) }
  }

  /// Receives messages until one satisfies the condition.
  func wait(for isTheOne: ([String: Any]) -> Bool) throws {
    let deadline = RawSocket.now() + Self.longPatience
    while RawSocket.now() < deadline {
      let message = try message(within: Self.longPatience)
      if let sequence = message["seq"] as? Int { send(#"{"type":"ack","seq":\#(sequence)}"#) }
      if isTheOne(message) { return }
    }
    throw RawSocket.Failure.nothingCame
  }
}
