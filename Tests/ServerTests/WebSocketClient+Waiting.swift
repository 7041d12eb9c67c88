extension WebSocketClient {
  /// Opens a table and waits until a message about it contains a text.
  static func waitFor(_ text: String, in table: String, port: Int) throws {
    let client = try WebSocketClient.greeted(port: port)
    client.say(#"{"type":"open","table":"\#(table)","request":1}"#)
    while true {
      let message = try client.message()
      if message["type"] as? String != "tables", "\(message)".contains(text) { return }
      if let sequence = message["seq"] as? Int { client.say(#"{"type":"ack","seq":\#(sequence)}"#) }
    }
  }
}
