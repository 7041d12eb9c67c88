import Foundation

/// The complete response to one request on its own connection.
struct HTTPAnswer {
  var status: Int
  /// The headers by lower-case name.
  var headers: [String: String]
  var body: [UInt8]
  /// The number of responses received.
  var count: Int

  /// Sends the bytes unchanged; returns `nil` if the connection was closed without a response.
  ///
  /// - Throws: An error if the server neither responds nor closes the connection.
  static func to(_ request: [UInt8], port: Int) throws -> HTTPAnswer? {
    let socket = try RawSocket(port: port)
    socket.send(request)
    guard let bytes = socket.readToEnd() else { throw RawSocket.Failure.nothingCame }
    return HTTPAnswer(bytes)
  }

  static func to(_ request: String, port: Int) throws -> HTTPAnswer? { try to(Array(request.utf8), port: port) }

  /// Sends a plain request like that of a browser.
  static func get(
    _ path: String, port: Int, method: String = "GET", headers: [String] = [], host: String? = nil
  ) throws -> HTTPAnswer? {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + headers
    return try to(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port)
  }

  init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("HTTP/1."), let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].split(separator: "\r\n")
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
    self.status = status
    headers = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].drop(while: { $0 == " " }).description : ""
    }
    body = Array(bytes.dropFirst(text[..<end.upperBound].utf8.count))
    count = text.components(separatedBy: "HTTP/1.").count - 1
  }
}
