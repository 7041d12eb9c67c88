import CWebSockets
import ListEngine
import Wire

extension Server {
  /// The maximum number of exports that run at the same time.
  public static let greatestExportCount = 8
  /// The time that a client may take to accept one piece, in seconds.
  static let exportPatience: Int32 = 15

  /// Begins to answer a request for an export.
  ///
  /// - Returns: The response if it is known already; `nil` if it follows later.
  func beginExport(
    _ head: RequestHead, with pass: AccessControl.Pass, on socket: OpaquePointer
  ) -> HTTPResponse? {
    guard let (table, format) = Self.exportTarget(at: head.path) else {
      return HTTPResponse(refusal: 404, reason: "Unknown path.", to: head.method)
    }
    guard exchanges.exports.count < Self.greatestExportCount else {
      return HTTPResponse(refusal: 503, reason: "Too many exports are running; try again later.", to: head.method)
    }
    // A request that is answered immediately does not count towards the token's share.
    guard exchanges.exportShares.take(pass.token) else {
      let reason = "\(exchanges.exportShares.limit) exports are running with this token; try again later."
      return HTTPResponse(refusal: 503, reason: reason, to: head.method)
    }
    defer { if exchanges[export: socket] == nil { exchanges.exportShares.release(pass.token) } }
    do throws(ClientError) {
      let export = try makeExport(of: table, as: format, head, for: pass)
      guard export.schema.windowed != nil || head.method == .get else {
        // A HEAD request for a table that the engine holds cannot fail later, so answer it now.
        engine.endExport(export.id)
        return HTTPResponse(streaming: format.contentType(export.layout), named: export.fileName)
      }
      exchanges[export: socket] = export
      if head.method == .get { operations.metrics.exports += 1 }
      exchanges.connections.settle(socket)
      if export.schema.windowed == nil {
        answerExport(on: socket)
      } else {
        // The source's first result decides the response.
        waitForRows(socket)
      }
      loop.requestTurn()
      return nil
    } catch .unknownTable {
      return HTTPResponse(refusal: 404, reason: "Unknown table.", to: head.method)
    } catch {
      return HTTPResponse(refusal: 400, reason: LogText.printable(error.reason), to: head.method)
    }
  }

  /// Begins an export in the engine, with the query and the layout of a request's arguments.
  private func makeExport(
    of table: String, as format: ExportFormat, _ head: RequestHead, for pass: AccessControl.Pass
  ) throws(ClientError) -> ExportResponse {
    let query = try QueryRequest(arguments: head.arguments, limits: configuration.limits)
    let isRestricted = pass.role == .viewer
    let id = try engine.beginExport(of: table, query, isRestricted: isRestricted, at: EventLoop.now)
    do throws(ClientError) {
      guard let source = sources[id.table] else { throw .unknownTable(table) }
      let schema = isRestricted ? source.schema.restricted : source.schema
      return ExportResponse(
        id, schema: schema, format: format,
        layout: try ExportLayout(arguments: head.arguments, format: format, schema: schema), for: pass.token,
        pace: ExportPace(configuration.exportPace, at: EventLoop.now))
    } catch {
      engine.endExport(id)
      throw error
    }
  }

  /// Parses a path `/tables/NAME.csv` or `/tables/NAME.ndjson`.
  static func exportTarget(at path: String) -> (table: String, format: ExportFormat)? {
    guard path.hasPrefix("/tables/") else { return nil }
    let name = path.dropFirst("/tables/".count)
    for format in ExportFormat.allCases where name.hasSuffix(".\(format.rawValue)") {
      let table = name.dropLast(format.rawValue.count + 1)
      return table.isEmpty ? nil : (String(table), format)
    }
    return nil
  }

  /// Answers with the head of the file, or with an error.
  private func answerExport(on socket: OpaquePointer) {
    guard let export = exchanges[export: socket] else { return }
    let response: HTTPResponse
    switch engine.read(export.id, rows: 0) {
    case .refused(let error):
      response = HTTPResponse(refusal: 400, reason: LogText.printable(error.reason))
    case .failed(let reason):
      let reason = "The source did not return its rows: \(reason)"
      response = HTTPResponse(refusal: 502, reason: LogText.printable(reason))
    case .notYet, .rows, .end:
      response = HTTPResponse(streaming: export.format.contentType(export.layout), named: export.fileName)
      if !exchanges.isHead(socket) { return answer(socket, with: response) }
    }
    // The response has no body to follow.
    endExport(on: socket)
    answer(socket, with: response)
  }

  /// Suspends a download until rows are available; the client's timeout does not run meanwhile.
  private func waitForRows(_ socket: OpaquePointer) {
    exchanges[export: socket]?.pace.wait(at: EventLoop.now)
    holdBack(socket)
    lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0)
  }

  /// Writes the next piece of an export; returns `false` if the connection is to be closed.
  func continueExport(on socket: OpaquePointer) -> Bool {
    guard var export = exchanges[export: socket] else { return false }
    lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, Self.exportPatience)
    if let fault = export.pace.fault(at: EventLoop.now) {
      operations.metrics.abandonedExports += 1
      operations.logger.warning(
        "an export is ended", metadata: ["table": "\(export.schema.name)", "reason": "\(fault)"])
      return false
    }
    // Flush what libwebsockets still buffers first, so that at most one piece per client is kept.
    guard lws_partial_buffered(socket) == 0 else {
      writeMore(to: socket)
      return true
    }
    let id = export.id
    let piece = export.nextPiece { engine.read(id, rows: $0) }
    exchanges[export: socket] = export
    switch piece {
    case .notYet:
      waitForRows(socket)
      loop.requestTurn()
      return true
    case .end: return false
    case .cut(let reason):
      operations.logger.warning(
        "an export is cut off", metadata: ["table": "\(export.schema.name)", "reason": "\(reason)"])
      return false
    case .chunk(let bytes):
      guard bytes.isEmpty || write(bytes, to: socket, with: clws_write_http_body) else { return false }
      operations.metrics.bytesSent += UInt64(bytes.count)
      exchanges[export: socket]?.pace.goOn(sent: bytes.count, at: EventLoop.now)
      if engine.needsRows(id) { loop.requestTurn() }
      writeMore(to: socket)
      return true
    }
  }

  /// Resumes the downloads for which the engine has rows.
  func wakeExports() {
    for (socket, export) in exchanges.exports where export.pace.isWaiting && engine.isReady(export.id) {
      exchanges[export: socket]?.pace.goOn(at: EventLoop.now)
      goOn(socket)
      if exchanges[transfer: socket] == nil { answerExport(on: socket) } else { lws_callback_on_writable(socket) }
    }
  }

  /// Removes a download, whether it is complete or not.
  func endExport(on socket: OpaquePointer) {
    guard let export = exchanges.removeExport(on: socket) else { return }
    let leftOut = engine.rowsLeftOut(export.id)
    if leftOut > 0 {
      operations.logger.warning(
        "rows that do not fit their table were left out of an export",
        metadata: ["table": "\(export.schema.name)", "rows": "\(leftOut)"])
    }
    engine.endExport(export.id)
    // The engine must cancel the source's pending requests.
    loop.requestTurn()
  }
}
