import CWebSockets
import Glibc
import ListEngine
import Wire

/// Rows that clients send; docs/ingest.md describes the requests.
extension Server {
  /// Begins to take rows from a client.
  ///
  /// - Returns: The response if the upload is refused; `nil` if the report follows later.
  func beginUpload(_ head: RequestHead, with pass: AccessControl.Pass, on socket: OpaquePointer) -> HTTPResponse? {
    func refuse(_ status: Int, _ reason: String) -> HTTPResponse {
      operations.metrics.refusals[status, default: 0] += 1
      return HTTPResponse(refusal: status, reason: reason, to: head.method)
    }
    guard head.method == .post || head.method == .put else {
      return HTTPResponse(
        refusal: 405, reason: "Send rows by POST, or the complete list by PUT.", to: head.method, allowsRows: true)
    }
    guard pass.role.mayWrite else { return refuse(403, "Sending rows needs the token of a writer or an operator.") }
    let name = String(head.path.dropFirst(RequestHead.uploadPrefix.count))
    guard let source = sources.all.first(where: { $0.inlet.name == name && $0.inlet.takesUploads }) else {
      return refuse(404, "No source of this name takes rows.")
    }
    let isChunked = !head.transferEncoding.isEmpty
    guard isChunked || !head.contentLength.isEmpty else {
      return refuse(411, "A body needs a Content-Length, or the transfer coding “chunked”.")
    }
    guard head.contentLength != ["0"] else {
      return refuse(400, "The body is empty. An empty list is “[]”.")
    }
    guard let id = exchanges.uploads.begin(of: source, isChunked: isChunked, for: pass.token, on: socket) else {
      return refuse(503, "Too many clients send rows; try again.")
    }
    let upload = UploadHead(mediaType: head.mediaType, replaces: head.method == .put)
    guard source.inlet.ask(.upload(.begin(id, upload))) else {
      _ = exchanges.uploads.remove(socket)
      return refuse(503, "The source is not running.")
    }
    operations.metrics.uploads += 1
    exchanges.connections.settle(socket)
    keepAlive(socket)
    // Without this answer some clients wait a second before they send the body (RFC 9110, 10.1.1).
    if head.expectsContinue {
      _ = write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: socket, with: clws_write_http_head)
    }
    return nil
  }

  /// Detects a client that has vanished, because an endless body may pause for hours.
  private func keepAlive(_ socket: OpaquePointer) {
    let file = lws_get_socket_fd(socket)
    func set(_ level: Int32, _ name: Int32, _ value: Int32) {
      var value = value
      setsockopt(file, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 20)
    set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    noteActivity(socket)
  }

  /// Schedules the removal of the timeout that libwebsockets sets after each part of a body.
  private func noteActivity(_ socket: OpaquePointer) {
    exchanges.uploads.noteActivity(socket)
    loop.requestTurn()
  }

  /// Removes the timeouts of uploads, whose senders may pause.
  func extendUploads() {
    for socket in exchanges.uploads.takeActive() { lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0) }
  }

  /// Receives a part of a request's body; returns `false` if the connection is to be closed.
  func receiveBody(_ bytes: UnsafeRawBufferPointer, on socket: OpaquePointer) -> Bool {
    guard var upload = exchanges.uploads[socket], !upload.isWhole else {
      return exchanges.discardBody(bytes.count, on: socket, at: EventLoop.now)
    }
    let data: [UInt8]
    do throws(ChunkedBody.Fault) {
      data = try upload.decode(bytes)
    } catch {
      leaveUpload(socket)
      answerUpload(HTTPResponse(refusal: 400, reason: "The chunks of the body are malformed."), on: socket)
      return true
    }
    operations.metrics.uploadBytes += UInt64(data.count)
    upload.unprocessed += data.count
    exchanges.uploads[socket] = upload
    if !data.isEmpty { _ = upload.source.inlet.ask(.upload(.bytes(upload.id, data))) }
    noteActivity(socket)
    if upload.isAtEnd || upload.isTooLong {
      endBody(on: socket)
    } else if upload.isFull {
      holdBack(socket)
    }
    return true
  }

  /// Handles the end of a request's body.
  func endBody(on socket: OpaquePointer) {
    guard let upload = exchanges.uploads[socket], !upload.isWhole else { return }
    // libwebsockets ends a chunked body of 100 MiB, which is beyond our own limit.
    if upload.isChunked, !upload.isAtEnd, !upload.isTooLong { return }
    exchanges.uploads[socket]?.isWhole = true
    _ = upload.source.inlet.ask(.upload(.end(upload.id, isWhole: !upload.isCutOff)))
    holdBack(socket)
    noteActivity(socket)
  }

  /// Handles a message of a source about an upload.
  func handle(_ answer: UploadAnswer) {
    switch answer {
    case .taken(let id, let count):
      guard let socket = exchanges.uploads.socket(of: id), let upload = exchanges.uploads[socket] else { return }
      exchanges.uploads[socket]?.unprocessed -= count
      if upload.isFull, !upload.isWhole, exchanges.uploads[socket]?.isFull == false { goOn(socket) }
    case .ended(let id, let report):
      guard let socket = exchanges.uploads.socket(of: id), let upload = exchanges.uploads.remove(socket) else { return }
      operations.metrics.uploadedRows += UInt64(report.accepted)
      operations.metrics.rejectedRows += UInt64(report.rejected)
      answerUpload(HTTPResponse(report, isCutOff: upload.isCutOff), on: socket)
    }
  }

  /// Answers an upload; what the client still sends is discarded, so that it can read the answer.
  private func answerUpload(_ response: HTTPResponse, on socket: OpaquePointer) {
    goOn(socket)
    exchanges.beginDiscarding(on: socket, at: EventLoop.now)
    answer(socket, with: response)
  }

  /// Closes the sending side after the answer to an upload, and waits for the client to close.
  ///
  /// Closing the connection with unread bytes would reset it, and the client could lose the answer.
  func linger(_ socket: OpaquePointer) {
    shutdown(lws_get_socket_fd(socket), Int32(SHUT_WR))
    lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, 2)
  }

  /// Ends an upload without a report, because its connection is lost.
  func leaveUpload(_ socket: OpaquePointer) {
    guard let upload = exchanges.uploads.remove(socket) else { return }
    _ = upload.source.inlet.ask(.upload(.abandon(upload.id)))
  }
}
