import Foundation
import ListEngine
import Testing
import Threads

@testable import Server

/// Tests of rows that clients send, with a source that keeps the parts of the uploads.
@Suite struct UploadTests {
  private final class Sink: Sendable {
    private struct State {
      var bodies: [UInt64: [UInt8]] = [:]
      var heads: [UInt64: UploadHead] = [:]
      var endings: [UInt64: String] = [:]
      var begun: [UInt64] = []
    }
    private let state = Guarded(State())
    /// Whether bytes are acknowledged at once.
    private let acknowledges: Bool
    private let queue = DispatchQueue(label: "sink")

    init(acknowledges: Bool = true) { self.acknowledges = acknowledges }

    func listen(to inlet: SourceInlet) {
      inlet.takesUploads = true
      inlet.listen { [self, weak inlet] request in
        guard case .upload(let request) = request, let inlet else { return }
        queue.async { self.take(request, inlet) }
      }
    }

    private func take(_ request: UploadRequest, _ inlet: SourceInlet) {
      switch request {
      case .begin(let id, let head):
        state.withLock {
          $0.heads[id] = head
          $0.begun.append(id)
        }
      case .bytes(let id, let bytes):
        state.withLock { $0.bodies[id, default: []] += bytes }
        if acknowledges { inlet.report(.upload(.taken(id, byteCount: bytes.count))) }
      case .end(let id, let isWhole):
        state.withLock { $0.endings[id] = isWhole ? "end" : "cut off" }
        var report = UploadReport()
        report.lines = 41
        report.accepted = state.withLock { $0.bodies[id]?.count(where: { $0 == 0x0A }) ?? 0 }
        inlet.report(.upload(.ended(id, report)))
      case .abandon(let id): state.withLock { $0.endings[id] = "abandoned" }
      }
    }

    var bodies: [String] {
      state.withLock { state in state.begun.map { String(decoding: state.bodies[$0] ?? [], as: UTF8.self) } }
    }
    var heads: [UploadHead] { state.withLock { state in state.begun.map { state.heads[$0]! } } }
    var endings: [String] { state.withLock { state in state.begun.compactMap { state.endings[$0] } } }
    var byteCount: Int { state.withLock { $0.bodies.values.reduce(0) { $0 + $1.count } } }
  }

  private let sink = Sink()

  private func server(_ sink: Sink, _ configure: (inout ServerConfiguration) -> Void = { _ in }) throws -> RunningServer
  {
    let server = try RunningServer(configure)
    sink.listen(to: server.control.addSource("jobs"))
    return server
  }

  private func upload(
    _ body: String, to path: String = "/ingest/jobs", method: String = "POST", headers: [String] = [],
    port: Int
  ) throws -> HTTPAnswer? {
    let framing = headers.contains { $0.hasPrefix("Transfer") || $0.hasPrefix("Content-Length") }
    let lines =
      ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
      + (framing ? [] : ["Content-Length: \(body.utf8.count)"])
    return try HTTPAnswer.to(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, port: port)
  }

  @Test func `a body with a length is uploaded and answered with a report`() throws {
    let server = try server(sink)
    let answer = try #require(
      try upload("{\"id\":1}\n{\"id\":2}\n", headers: ["Content-Type: Text/CSV; charset=utf-8"], port: server.port))
    #expect(answer.status == 200)
    #expect(answer.headers["content-type"] == "application/json")
    #expect(
      String(decoding: answer.body, as: UTF8.self)
        == "{\"accepted\":2,\"rejected\":0,\"faults\":0,\"reasons\":[]}\n")
    #expect(sink.bodies == ["{\"id\":1}\n{\"id\":2}\n"])
    #expect(sink.heads == [UploadHead(mediaType: "text/csv", replaces: false)])
  }

  @Test func `PUT sends the complete list`() throws {
    let server = try server(sink)
    #expect(try upload("[]\n", method: "PUT", port: server.port)?.status == 200)
    #expect(sink.heads == [UploadHead(replaces: true)])
  }

  @Test func `a chunked body is decoded, and what follows it is no request`() throws {
    let server = try server(sink)
    let answer = try upload(
      "4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
      headers: ["Transfer-Encoding: chunked"], port: server.port)
    #expect(answer?.status == 200)
    #expect(answer?.count == 1)
    #expect(sink.bodies == ["one\ntwo\n"])
  }

  @Test func `rows of an endless body arrive before its end`() throws {
    let server = try server(sink)
    let socket = try RawSocket(port: server.port)
    socket.send(
      "POST /ingest/jobs HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nTransfer-Encoding: chunked\r\n"
        + "Expect: 100-continue\r\n\r\n")
    let deadline = RawSocket.now() + RawSocket.patience
    while !String(decoding: socket.received, as: UTF8.self).contains("100 Continue"), socket.receive(until: deadline) {}
    #expect(String(decoding: socket.received, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
    for number in 1...3 {
      socket.send("2\r\n\(number)\n\r\n")
      let wanted = (1...number).map { "\($0)\n" }.joined()
      while sink.bodies != [wanted], RawSocket.now() < deadline { sched_yield() }
      #expect(sink.bodies == [wanted])
    }
    socket.send("0\r\n\r\n")
    let bytes = try #require(socket.readToEnd())
    #expect(String(decoding: bytes, as: UTF8.self).contains("\"accepted\":3"))
  }

  @Test func `a chunked body beyond the limit is answered with its next line`() throws {
    let server = try server(sink)
    let socket = try RawSocket(port: server.port)
    socket.send(
      "POST /ingest/jobs HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0x78, count: 1 << 20) + Array("\r\n".utf8)
    for _ in 0..<97 { guard socket.send(chunk) else { break } }
    let answer = try #require(socket.readToEnd())
    #expect(String(decoding: answer, as: UTF8.self).contains("send the rest, from line 42 on, in another request"))
    #expect(sink.endings == ["cut off"])
    #expect(sink.byteCount <= Uploads.greatestChunkedSize + 65_536)
  }

  @Test func `a lost connection abandons the upload`() throws {
    let server = try server(sink)
    do {
      let socket = try RawSocket(port: server.port)
      socket.send("POST /ingest/jobs HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 100\r\n\r\nabc")
      let deadline = RawSocket.now() + RawSocket.patience
      while sink.bodies != ["abc"], RawSocket.now() < deadline { sched_yield() }
    }
    let deadline = RawSocket.now() + RawSocket.patience
    while sink.endings.isEmpty, RawSocket.now() < deadline { sched_yield() }
    #expect(sink.endings == ["abandoned"])
  }

  @Test func `a slow source blocks the sender`() throws {
    let slow = Sink(acknowledges: false)
    let server = try server(slow)
    let socket = try RawSocket(port: server.port)
    socket.send("POST /ingest/jobs HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 100000000\r\n\r\n")
    // The kernel's buffers of both ends take some megabytes.
    #expect(!socket.send([UInt8](repeating: 0x0A, count: 100_000_000), within: 1))
    #expect(slow.byteCount < Uploads.window + 65_536)
    #expect(try HTTPAnswer.get("/healthz", port: server.port)?.status == 200)
  }

  @Test func `uploads without source, body or allowed method are refused`() throws {
    let server = try server(sink)
    _ = server.control.addSource("plain")
    #expect(try upload("x", to: "/ingest/other", port: server.port)?.status == 404)
    #expect(try upload("x", to: "/ingest/plain", port: server.port)?.status == 404)
    #expect(try upload("", port: server.port)?.status == 400)
    #expect(try upload("x", to: "/tables/jobs.csv", port: server.port)?.status == 400)
    #expect(try HTTPAnswer.get("/ingest/jobs", port: server.port)?.status == 405)
    #expect(try HTTPAnswer.get("/ingest/jobs", port: server.port)?.headers["allow"] == "POST, PUT")
    #expect(try HTTPAnswer.get("/ingest/jobs", port: server.port, method: "DELETE")?.status == 405)
    #expect(try HTTPAnswer.get("/ingest/jobs", port: server.port, method: "POST")?.status == 411)
    #expect(sink.heads.isEmpty)
  }

  @Test(arguments: [
    ["Content-Length: 1", "Content-Length: 2"], ["Content-Length: 1", "Transfer-Encoding: chunked"],
    ["Content-Length: -1"], ["Content-Length: 1x"], ["Content-Length: 9999999999999999"], ["Transfer-Encoding: gzip"],
    ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
  ])
  func `ambiguous lengths are refused`(headers: [String]) throws {
    let server = try server(sink)
    #expect(try upload("x", headers: headers, port: server.port)?.status == 400)
    #expect(sink.heads.isEmpty)
  }

  @Test func `malformed chunks end the upload`() throws {
    let server = try server(sink)
    #expect(try upload("2\r\nabc", headers: ["Transfer-Encoding: chunked"], port: server.port)?.status == 400)
    let deadline = RawSocket.now() + RawSocket.patience
    while sink.endings.isEmpty, RawSocket.now() < deadline { sched_yield() }
    #expect(sink.endings == ["abandoned"])
  }

  @Test func `other sites may not send rows`() throws {
    let server = try server(sink)
    let answer = try upload("x", headers: ["Origin: https://example.org"], port: server.port)
    #expect(answer?.status == 403)
    #expect(sink.heads.isEmpty)
  }

  @Test func `writers only send rows, and viewers send none`() throws {
    let tokens = Role.allCases.map { AccessToken(role: $0) }
    let server = try server(sink) { $0.tokens = tokens }
    func bearer(_ role: Role) -> [String] { ["Authorization: Bearer \(tokens.first { $0.role == role }!.text)"] }
    #expect(try upload("x\n", port: server.port)?.status == 401)
    #expect(try upload("x\n", headers: bearer(.viewer), port: server.port)?.status == 403)
    #expect(try upload("x\n", headers: bearer(.writer), port: server.port)?.status == 200)
    #expect(try upload("x\n", headers: bearer(.operator), port: server.port)?.status == 200)
    for path in ["/metrics", "/tables/jobs.csv", "/image?table=jobs&key=a"] {
      #expect(try HTTPAnswer.get(path, port: server.port, headers: bearer(.writer))?.status == 403)
    }
    let token = tokens.first { $0.role == .writer }!.text
    let upgrade = [
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: rowcast.v1, rowcast.token.\(token)",
    ]
    #expect(try HTTPAnswer.get("/ws", port: server.port, headers: upgrade)?.status == 403)
    #expect(sink.bodies == ["x\n", "x\n"])
  }

  @Test func `one token has a bounded number of uploads`() throws {
    let tokens = [AccessToken(role: .writer)]
    let server = try server(sink) { $0.tokens = tokens }
    let head =
      "POST /ingest/jobs HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nAuthorization: Bearer \(tokens[0].text)\r\n"
      + "Content-Length: 2\r\n\r\nx"
    let sockets = try (0..<Uploads.greatestCountOfToken).map { _ in
      let socket = try RawSocket(port: server.port)
      socket.send(head)
      return socket
    }
    let deadline = RawSocket.now() + RawSocket.patience
    while sink.heads.count < sockets.count, RawSocket.now() < deadline { sched_yield() }
    #expect(try HTTPAnswer.to(head, port: server.port)?.status == 503)
    sockets[0].send("\n")
    #expect(sockets[0].readToEnd().map { String(decoding: $0, as: UTF8.self).contains("200 OK") } == true)
    #expect(try HTTPAnswer.to(head + "\n", port: server.port)?.status == 200)
  }
}
