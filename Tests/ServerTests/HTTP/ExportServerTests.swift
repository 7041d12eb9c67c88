import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests of exports over real sockets.
@Suite struct ExportServerTests {
  /// Returns the decoded chunked body; `nil` if it is incomplete.
  private func whole(_ answer: HTTPAnswer?) -> String? {
    guard let answer, answer.headers["transfer-encoding"] == "chunked" else { return nil }
    var body: [UInt8] = []
    var rest = answer.body[...]
    while let end = rest.firstRange(of: Array("\r\n".utf8)) {
      guard let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16) else { return nil }
      rest = rest[end.upperBound...]
      guard rest.count >= count + 2, rest.dropFirst(count).starts(with: Array("\r\n".utf8)) else { return nil }
      body += rest.prefix(count)
      rest = rest.dropFirst(count + 2)
      if count == 0 { return rest.isEmpty ? String(decoding: body, as: UTF8.self) : nil }
    }
    return nil
  }

  private func settled(_ server: RunningServer, rows: Int, name: String = "numbers") throws -> SourceInlet {
    let inlet = server.addNumbers(rows, name: name)
    let client = try WebSocketClient.open(name, port: server.port)
    var sequence = 1
    while true {
      client.send(#"{"type":"ack","seq":\#(sequence)}"#)
      client.send(#"{"type":"query","request":\#(sequence)}"#)
      let window = try client.message("window")
      sequence = try #require(window["seq"] as? Int)
      if window["total"] as? Int == rows { return inlet }
    }
  }

  @Test func `exports a table as CSV and NDJSON, and answers HEAD`() throws {
    let server = try RunningServer()
    _ = try settled(server, rows: 5)
    let csv = try HTTPAnswer.get("/tables/numbers.csv", port: server.port)
    #expect(csv?.status == 200)
    #expect(csv?.headers["content-type"] == "text/csv; charset=utf-8; header=present")
    #expect(csv?.headers["content-disposition"] == "attachment; filename=\"numbers.csv\"")
    #expect(csv?.headers["cache-control"] == "no-store")
    #expect(csv?.headers["x-content-type-options"] == "nosniff")
    #expect(csv?.headers["content-length"] == nil)
    #expect(whole(csv) == "n,name\r\n0,row 0\r\n1,row 1\r\n2,row 2\r\n3,row 3\r\n4,row 4\r\n")
    let ndjson = try HTTPAnswer.get("/tables/numbers.ndjson", port: server.port)
    #expect(ndjson?.headers["content-type"] == "application/x-ndjson; charset=utf-8")
    #expect(whole(ndjson)?.hasPrefix("{\"n\":0,\"name\":\"row 0\"}\n{\"n\":1,") == true)
    let head = try HTTPAnswer.get("/tables/numbers.csv", port: server.port, method: "HEAD")
    #expect(head?.status == 200)
    #expect(head?.body == [])
  }

  @Test func `applies sort, search and filter of the URL, or refuses it`() throws {
    let server = try RunningServer()
    _ = try settled(server, rows: 12)
    for (query, numbers) in [
      ("", Array(0..<12)), ("&", Array(0..<12)), ("&sort=-n&", Array((0..<12).reversed())),
      ("sort=-n", Array((0..<12).reversed())), ("search=row+1", [1, 10, 11]), ("search=row%201&sort=-n", [11, 10, 1]),
      ("filter=%7B%22column%22:%22n%22,%22op%22:%22%3C%22,%22value%22:2%7D", [0, 1]),
      (
        "filter=%5B%7B%22column%22%3A%22n%22%2C%22op%22%3A%22range%22%2C%22from%22%3A3%2C%22through%22%3A4%7D%5D&sort=-n",
        [4, 3]
      ),
    ] as [(String, [Int])] {
      let text = whole(try HTTPAnswer.get("/tables/numbers.csv?\(query)", port: server.port))
      let found = text?.split(separator: "\r\n").dropFirst().compactMap { Int($0.prefix { $0 != "," }) }
      #expect(found == numbers, "\(query): \(text ?? "nothing")")
    }
    for (path, status) in [
      ("/tables/numbers.csv?sort=nope", 400), ("/tables/numbers.csv?limit=5", 400),
      ("/tables/numbers.csv?filter=x", 400),
      ("/tables/nope.csv", 404), ("/tables/numbers.txt", 404), ("/tables/numbers", 404), ("/tables/.csv", 404),
      ("/tables/", 404),
    ] { #expect(try HTTPAnswer.get(path, port: server.port)?.status == status, "\(path)") }
  }

  @Test func `an export has the columns and the separator of its URL`() throws {
    let server = try RunningServer()
    _ = try settled(server, rows: 2)
    let chosen = try HTTPAnswer.get("/tables/numbers.csv?fields=name,n&separator=semicolon", port: server.port)
    #expect(whole(chosen) == "name;n\r\nrow 0;0\r\nrow 1;1\r\n")
    let tabs = try HTTPAnswer.get("/tables/numbers.csv?separator=tab", port: server.port)
    #expect(tabs?.headers["content-disposition"] == "attachment; filename=\"numbers.tsv\"")
    #expect(whole(tabs) == "n\tname\r\n0\trow 0\r\n1\trow 1\r\n")
    let ndjson = whole(try HTTPAnswer.get("/tables/numbers.ndjson?fields=name", port: server.port))
    #expect(ndjson == "{\"name\":\"row 0\"}\n{\"name\":\"row 1\"}\n")
    for address in ["numbers.csv?fields=nope", "numbers.csv?separator=x", "numbers.ndjson?separator=tab"] {
      for method in ["GET", "HEAD"] {
        let answer = try HTTPAnswer.get("/tables/\(address)", port: server.port, method: method)
        #expect(answer?.status == 400, "\(method) \(address)")
      }
    }
    // Refused exports take no place.
    for _ in 0..<20 { _ = try HTTPAnswer.get("/tables/numbers.csv?fields=nope", port: server.port) }
    #expect(try HTTPAnswer.get("/tables/numbers.csv", port: server.port)?.status == 200)
  }

  @Test func `refuses exports without a token`() throws {
    let guest = AccessToken(role: .viewer)
    let server = try RunningServer { $0.tokens = [guest] }
    for path in ["/tables/numbers.csv", "/tables/nope.csv"] {
      #expect(try HTTPAnswer.get(path, port: server.port)?.status == 401, "\(path)")
    }
    let answer = try HTTPAnswer.get(
      "/tables/nope.csv", port: server.port, headers: ["Authorization: Bearer \(guest.text)"])
    #expect(answer?.status == 404)
  }

  @Test func `exports a large table while other clients receive patches`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = try settled(server, rows: 60_000)
    let client = try WebSocketClient.open("numbers", port: server.port)
    let socket = try RawSocket(port: server.port)
    socket.send("GET /tables/numbers.csv?sort=-name HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    // The client does not read, but other clients are served.
    var sequence = 1
    for round in 0..<20 {
      client.send(#"{"type":"ack","seq":\#(sequence)}"#)
      inlet.report(.changes(RunningServer.rows(0..<5, name: "round \(round)")))
      sequence = try #require(try client.message("patch")["seq"] as? Int)
    }
    let bytes = try #require(socket.readToEnd(within: 60))
    let text = try #require(whole(HTTPAnswer(bytes)))
    let numbers = text.split(separator: "\r\n").dropFirst().compactMap { Int($0.prefix { $0 != "," }) }
    #expect(numbers.count == 60_000)
    #expect(Set(numbers).count == 60_000)
  }

  @Test func `refuses exports beyond the limit until a client disconnects`() throws {
    let server = try RunningServer()
    _ = try settled(server, rows: 200_000)
    let request = "GET /tables/numbers.csv HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
    var held = try (0..<Server.greatestExportCount).map { _ in
      let socket = try RawSocket(port: server.port)
      socket.send(request)
      #expect(socket.receive(until: RawSocket.now() + RawSocket.patience))
      return socket
    }
    #expect(try HTTPAnswer.get("/tables/numbers.csv", port: server.port)?.status == 503)
    #expect(try HTTPAnswer.get("/", port: server.port)?.status == 200)
    held.removeAll()
    try until { try HTTPAnswer.get("/tables/numbers.csv?search=nothing", port: server.port)?.status != 503 }
    #expect(whole(try HTTPAnswer.get("/tables/numbers.csv?search=nothing", port: server.port)) == "n,name\r\n")
  }

  @Test func `sanitizes the file name in the response header`() throws {
    let server = try RunningServer()
    _ = try settled(server, rows: 2, name: "a;b c")
    let answer = try HTTPAnswer.get("/tables/a%3Bb%20c.csv", port: server.port)
    #expect(answer?.status == 200)
    #expect(answer?.headers["content-disposition"] == "attachment; filename=\"a_b_c.csv\"")
    let hostile = HTTPResponse(streaming: "text/csv", named: "a\"b\r\nSet-Cookie: x=1\u{0}é/../.csv")
    let lines = String(decoding: hostile.head, as: UTF8.self).split(separator: "\r\n")
    #expect(lines.contains("Content-Disposition: attachment; filename=\"a_b__Set-Cookie__x_1___.._.csv\""))
    #expect(!lines.contains { $0.hasPrefix("Set-Cookie") })
  }
}
