import Dispatch
import Foundation
import Glibc
import ListEngine
import Testing
import Wire

@testable import Server

/// Tests of exports of windowed tables, over real sockets.
@Suite struct WindowedExportServerTests {
  /// The fault of the source.
  private enum Fault {
    case none
    /// The source delivers only the rows before this one, and then fails.
    case failsBehind(Int)
    case neverAnswers
  }

  /// Adds a source with the rows 0 to `count` that answers on its own thread.
  ///
  /// - Parameter received: Receives the cancelled requests.
  @discardableResult
  private func keep(
    _ count: Int, on server: RunningServer, _ fault: Fault = .none,
    received: @escaping @Sendable ([BlockRequestID]) -> Void = { _ in }
  ) -> SourceInlet {
    let inlet = server.control.addSource("numbers")
    let thread = DispatchQueue(label: "source")
    inlet.listen { request in
      thread.async {
        switch request {
        case .ask(let requests):
          for request in requests { Self.answer(request, count, fault).map { _ = inlet.report($0) } }
        case .cancelBlocks(let ids): received(ids)
        default: break
        }
      }
    }
    var schema = RunningServer.schema
    schema.windowed = WindowedCapabilities(paging: .keyset)
    inlet.report(.schema(schema))
    return inlet
  }

  private static func answer(_ request: BlockRequest, _ count: Int, _ fault: Fault) -> SourceEvent? {
    guard case .rows(let after, _, _, let wanted) = request.what else { return nil }
    let start = after.flatMap { Int($0.text.string) } ?? 0
    switch fault {
    case .neverAnswers: return nil
    case .failsBehind(let row) where start >= row: return .pageFailed(request.id, reason: "the disk is gone")
    default:
      let end = min(count, start + wanted)
      let rows = (start..<end).map { n -> (key: RowKey, cells: [Cell]) in
        (.integer(Int64(n)), [.integer(Int64(n)), .text("row \(n)")])
      }
      return .page(request.id, RowBlock(rows, hasMore: end < count, count: count, end: BlockCursor("\(end)")))
    }
  }

  /// Waits until the table exists.
  private func settle(_ server: RunningServer) throws {
    // A refused query sends no request to the source.
    try until { try HTTPAnswer.get("/tables/numbers.csv?sort=nope", port: server.port)?.status != 404 }
  }

  /// Returns the numbers in a chunked body, and whether it is complete.
  private func numbers(_ answer: HTTPAnswer?) -> (found: [Int], isWhole: Bool) {
    let lines = String(decoding: answer?.body ?? [], as: UTF8.self).components(separatedBy: "\r\n")
    // Rows contain a comma; the sizes of chunks do not. Chunks end between rows.
    let found = lines.compactMap { line -> Int? in
      let parts = line.components(separatedBy: ",row ")
      guard parts.count == 2, let first = Int(parts[0]), let second = Int(parts[1]), first == second else { return nil }
      return first
    }
    return (found, lines.suffix(3) == ["0", "", ""])
  }

  @Test func `exports all rows while a client has the table open`() throws {
    let server = try RunningServer()
    keep(10_000, on: server)
    try settle(server)
    _ = try WebSocketClient.open("numbers", port: server.port)
    let answer = try HTTPAnswer.get("/tables/numbers.csv", port: server.port)
    #expect(answer?.status == 200)
    #expect(answer?.headers["content-type"] == "text/csv; charset=utf-8; header=present")
    #expect(answer?.headers["content-disposition"] == "attachment; filename=\"numbers.csv\"")
    #expect(answer?.headers["transfer-encoding"] == "chunked")
    let (found, isWhole) = numbers(answer)
    #expect(isWhole)
    #expect(found == Array(0..<10_000))
    let ndjson = try HTTPAnswer.get("/tables/numbers.ndjson", port: server.port)
    let text = String(decoding: ndjson?.body ?? [], as: UTF8.self)
    #expect(text.contains("{\"n\":0,\"name\":\"row 0\"}\n{\"n\":1,\"name\":\"row 1\"}\n"))
    #expect(text.contains("{\"n\":9999,\"name\":\"row 9999\"}\n\r\n0\r\n\r\n"))
    try expectTheSameHead("/tables/numbers.csv", server)
  }

  /// Expects that HEAD returns the same status as GET, and occupies no place.
  private func expectTheSameHead(_ path: String, _ server: RunningServer) throws {
    let whole = try HTTPAnswer.get(path, port: server.port)
    for _ in 0...Server.greatestExportCount {
      let head = try HTTPAnswer.get(path, port: server.port, method: "HEAD")
      #expect(head?.status == whole?.status)
      #expect(head?.headers == whole?.headers)
      #expect(head?.body == [])
    }
  }

  @Test func `cancels source requests when a HEAD client disconnects`() throws {
    let server = try RunningServer()
    let isReported = DispatchSemaphore(value: 0)
    keep(10, on: server, .neverAnswers) { _ in isReported.signal() }
    try settle(server)
    var socket: RawSocket? = try RawSocket(port: server.port)
    socket?.send("HEAD /tables/numbers.csv HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    #expect(try HTTPAnswer.get("/healthz", port: server.port)?.status == 200)
    socket = nil
    #expect(isReported.wait(timeout: .now() + RawSocket.patience) == .success)
  }

  @Test func `counts exports by GET but not by HEAD`() throws {
    let server = try RunningServer()
    keep(10, on: server)
    try settle(server)
    for method in ["HEAD", "GET", "HEAD"] {
      #expect(try HTTPAnswer.get("/tables/numbers.csv", port: server.port, method: method)?.status == 200)
    }
    let text = String(decoding: try #require(try HTTPAnswer.get("/metrics", port: server.port)).body, as: UTF8.self)
    #expect(text.contains("\nrowcast_downloads_total 1\n"))
  }

  @Test func `answers 400 to a residual sort of more than 50,000 rows`() throws {
    let server = try RunningServer()
    keep(50_001, on: server)
    try settle(server)
    let answer = try HTTPAnswer.get("/tables/numbers.csv?sort=-n", port: server.port)
    #expect(answer?.status == 400)
    let reason = String(decoding: answer?.body ?? [], as: UTF8.self)
    #expect(
      reason.hasPrefix("This source cannot sort by “n”, and 50,001 rows are too many to do it here (limit 50,000)."))
    try expectTheSameHead("/tables/numbers.csv?sort=-n", server)
    // A refusal occupies no place.
    for _ in 0..<Server.greatestExportCount {
      #expect(try HTTPAnswer.get("/tables/numbers.csv?sort=-n", port: server.port)?.status == 400)
    }
  }

  @Test func `answers 502 if the source fails before the first row`() throws {
    let server = try RunningServer { $0.limits.exportPatience = .zero }
    keep(10, on: server, .failsBehind(0))
    try settle(server)
    let answer = try HTTPAnswer.get("/tables/numbers.csv", port: server.port)
    #expect(answer?.status == 502)
    #expect(
      String(decoding: answer?.body ?? [], as: UTF8.self) == "The source did not return its rows: the disk is gone\n")
    try expectTheSameHead("/tables/numbers.csv", server)
  }

  @Test func `truncates an export whose source fails midway`() throws {
    let server = try RunningServer { $0.limits.exportPatience = .zero }
    keep(10_000, on: server, .failsBehind(3_000))
    try settle(server)
    let answer = try HTTPAnswer.get("/tables/numbers.csv", port: server.port)
    #expect(answer?.status == 200)
    let (found, isWhole) = numbers(answer)
    #expect(!isWhole)
    // The source delivers a hundred rows and then a thousand at once; the last of them were
    // requested before it failed.
    #expect(found == Array(0..<3_100))
  }

  @Test func `cancels source requests when a GET client disconnects`() throws {
    let server = try RunningServer()
    let isReported = DispatchSemaphore(value: 0)
    keep(10, on: server, .neverAnswers) { _ in isReported.signal() }
    try settle(server)
    var socket: RawSocket? = try RawSocket(port: server.port)
    socket?.send("GET /tables/numbers.csv HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    // The answer to a later request shows that the export has started.
    #expect(try HTTPAnswer.get("/healthz", port: server.port)?.status == 200)
    socket = nil
    #expect(isReported.wait(timeout: .now() + RawSocket.patience) == .success)
  }

  /// libwebsockets retries unread input in a busy loop, so such a client could occupy a whole core.
  @Test func `half-closed and stalled clients cause no busy loop`() throws {
    let server = try RunningServer()
    keep(10, on: server, .neverAnswers)
    try settle(server)
    let clients = try (0..<2).map { _ in
      let socket = try RawSocket(port: server.port)
      socket.send("GET /tables/numbers.csv HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
      return socket
    }
    clients[0].send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    // These do not read, either: one has closed its sending direction, the other sends more.
    _ = server.addNumbers(200_000, name: "many")
    try until { try HTTPAnswer.get("/tables/many.csv", port: server.port, method: "HEAD")?.status != 404 }
    let readers = try (0..<2).map { _ in
      let socket = try RawSocket(port: server.port, receiveBuffer: 4_096)
      socket.send("GET /tables/many.ndjson HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
      return socket
    }
    // Wait for the first byte of each.
    for reader in readers {
      var byte: UInt8 = 0
      #expect(recv(reader.descriptor, &byte, 1, Int32(MSG_PEEK)) == 1)
    }
    shutdown(clients[1].descriptor, Int32(SHUT_WR))
    shutdown(readers[0].descriptor, Int32(SHUT_WR))
    readers[1].send("GET / HTTP/1.1\r\n")
    func rounds() throws -> Int {
      let text = String(decoding: try #require(try HTTPAnswer.get("/metrics", port: server.port)).body, as: UTF8.self)
      let line = text.split(separator: "\n").first { $0.hasPrefix("rowcast_loop_rounds_total ") }
      return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }
    // Watching clients receive statistics once a second, so the loop is idle for that time. On a
    // busy machine it may take some seconds to fill the buffers of the readers. They would be
    // closed only after fifteen seconds.
    let client = try WebSocketClient.open("many", port: server.port)
    client.send(#"{"type":"stats","wanted":true}"#)
    _ = try client.message("stats")
    var counts: [Int] = []
    repeat {
      let before = try rounds()
      _ = try client.message("stats")
      counts.append(try rounds() - before)
    } while counts.count < 10 && counts.last! >= 1_000
    #expect(counts.last! < 1_000, "\(counts)")
    withExtendedLifetime((clients, readers)) {}
  }

  @Test func `sends the rows read before a failure, then cuts the export`() throws {
    var engine = Engine(epoch: "test")
    _ = try engine.addTable(RunningServer.schema, at: .zero)
    let id = try engine.beginExport(of: "numbers", QueryRequest())
    var export = ExportResponse(
      id, schema: RunningServer.schema, format: .csv, layout: ExportLayout(), for: nil,
      pace: ExportPace(.init(), at: .zero))
    var slices: [ExportSlice] = [.rows([[.integer(1), .text("one")]]), .failed("gone")]
    guard case .chunk(let bytes) = export.nextPiece({ _ in slices.removeFirst() }) else {
      Issue.record("nothing is sent")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self) == "f\r\nn,name\r\n1,one\r\n\r\n")
    guard case .cut("gone") = export.nextPiece({ _ in .failed("gone") }) else {
      Issue.record("it looks whole")
      return
    }
  }
}
