import Foundation

/// A minimal WebSocket client that can also send invalid frames.
final class WebSocketClient {
  enum Frame: Equatable {
    case text([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(code: Int?, reason: String)
    case other(opcode: UInt8, [UInt8])
    /// The peer has closed the connection.
    case end
  }

  let socket: RawSocket
  /// The server's response to the upgrade.
  private(set) var handshake = ""

  /// Returns the lines of a valid upgrade, which tests modify.
  static func upgrade(
    port: Int, path: String = "/ws", host: [String]? = nil, origin: [String] = [],
    subprotocol: String? = "rowcast.v1", extra: [String] = []
  ) -> [String] {
    ["GET \(path) HTTP/1.1"] + (host ?? ["127.0.0.1:\(port)"]).map { "Host: \($0)" }
      + ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
      + ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="] + origin.map { "Origin: \($0)" }
      + (subprotocol.map { ["Sec-WebSocket-Protocol: \($0)"] } ?? []) + extra
  }

  /// Sends an upgrade and waits for the response.
  ///
  /// - Returns: The status; `nil` if the connection was closed without a response.
  static func status(of lines: [String], port: Int) throws -> Int? {
    let client = try WebSocketClient(port: port, lines: lines)
    return client.handshake.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  convenience init(port: Int, lines: [String]? = nil) throws {
    try self.init(socket: RawSocket(port: port), lines: lines ?? Self.upgrade(port: port))
  }

  init(socket: RawSocket, lines: [String]) throws {
    self.socket = socket
    socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    let deadline = RawSocket.now() + RawSocket.patience
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let head = socket.received.firstRange(of: end) {
        handshake = String(decoding: socket.take(head.upperBound), as: UTF8.self)
        return
      }
      guard socket.receive(until: deadline) else {
        if socket.isClosedByPeer { return }
        throw RawSocket.Failure.nothingCame
      }
    }
  }

  /// Returns a client that has exchanged `hello` messages.
  static func greeted(port: Int) throws -> WebSocketClient {
    let client = try WebSocketClient(port: port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    _ = try client.message("hello")
    return client
  }

  /// Returns a client that has opened a table and received its first window.
  static func open(_ table: String, port: Int, count: Int = 10) throws -> WebSocketClient {
    let client = try greeted(port: port)
    client.send(#"{"type":"open","table":"\#(table)","request":1,"viewport":{"first":0,"count":\#(count)}}"#)
    _ = try client.message("window")
    return client
  }

  // MARK: Sending

  @discardableResult
  func send(_ text: String) -> Bool { send(opcode: 1, Array(text.utf8)) }

  @discardableResult
  func send(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> Bool {
    socket.send(Self.frame(opcode: opcode, payload, isFinal: isFinal))
  }

  static func frame(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, declaring length: UInt64? = nil) -> [UInt8]
  {
    let length = length ?? UInt64(payload.count)
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    switch length {
    case ..<126: bytes.append(0x80 | UInt8(length))
    case ..<65_536: bytes += [0xFE, UInt8(length >> 8), UInt8(length & 0xFF)]
    default: bytes += [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
    }
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    bytes += mask
    bytes += payload.enumerated().map { $1 ^ mask[$0 & 3] }
    return bytes
  }

  // MARK: Receiving

  /// Returns the next frame; `nil` if none arrives in time.
  func frame(within seconds: Double = RawSocket.patience) -> Frame? {
    let deadline = RawSocket.now() + seconds
    while true {
      if let frame = parse() { return frame }
      if !socket.receive(until: deadline) { return socket.isClosedByPeer ? .end : nil }
    }
  }

  private func parse() -> Frame? {
    let bytes = socket.received
    guard bytes.count >= 2 else { return nil }
    var length = Int(bytes[1] & 0x7F)
    var head = 2
    if length == 126 {
      guard bytes.count >= 4 else { return nil }
      length = Int(bytes[2]) << 8 | Int(bytes[3])
      head = 4
    } else if length == 127 {
      guard bytes.count >= 10 else { return nil }
      length = bytes[2..<10].reduce(0) { $0 << 8 | Int($1) }
      head = 10
    }
    guard bytes.count >= head + length else { return nil }
    let payload = Array(socket.take(head + length)[head...])
    switch bytes[0] & 0xF {
    case 1: return .text(payload)
    case 8:
      let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
      return .close(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
    case 9: return .ping(payload)
    case 10: return .pong(payload)
    case let opcode: return .other(opcode: opcode, payload)
    }
  }

  /// Returns the next message of a type, skipping others.
  func message(_ type: String? = nil, within seconds: Double = RawSocket.patience) throws -> [String: Any] {
    // A server that has nothing to say sends pings.
    let deadline = RawSocket.now() + seconds
    while let frame = frame(within: deadline - RawSocket.now()) {
      switch frame {
      case .text(let bytes):
        let message = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
        if type == nil || message["type"] as? String == type { return message }
      case .ping(let payload): send(opcode: 10, payload)
      case .close, .end: throw RawSocket.Failure.closed
      default: break
      }
    }
    throw RawSocket.Failure.nothingCame
  }

  /// Returns the code with which the server closes, skipping other frames; 1006 if there is none.
  func closeCode(within seconds: Double = RawSocket.patience) -> Int? {
    let deadline = RawSocket.now() + seconds
    while let frame = frame(within: deadline - RawSocket.now()) {
      switch frame {
      case .close(let code, _):
        send(opcode: 8, [UInt8((code ?? 1000) >> 8), UInt8((code ?? 1000) & 0xFF)])
        return code
      case .end: return 1006
      default: break
      }
    }
    return nil
  }

  /// Returns the server's error code and the code with which it closes the connection.
  func refusal(within seconds: Double = RawSocket.patience) throws -> (error: String?, close: Int?) {
    let error = try message("error", within: seconds)["code"] as? String
    return (error, closeCode(within: seconds))
  }
}
