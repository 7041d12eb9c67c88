import CWebSockets
import ListEngine
import Wire

/// Image requests; docs/protocol.md, section 6, describes them.
extension Server {
  /// Answers an image request immediately, or when its source has loaded the image.
  ///
  /// - Returns: The response if it is known already.
  func imageResponse(to head: RequestHead, on socket: OpaquePointer) -> HTTPResponse? {
    func refuse(_ status: Int, _ reason: String) -> HTTPResponse {
      HTTPResponse(refusal: status, reason: reason, to: head.method)
    }
    guard let name = head.argument("table"), let key = head.argument("key"), !key.isEmpty,
      key.utf8.count <= ImageRequests.greatestKey
    else { return refuse(400, "An image has a table and a key of at most \(ImageRequests.greatestKey) bytes.") }
    guard let table = sources[name], table.schema.loadsImages else {
      return refuse(404, "Unknown table, or a table without images.")
    }
    switch exchanges.images.ask(table.id, key, for: socket, until: EventLoop.now.advanced(by: ImageRequests.patience)) {
    case .full:
      return refuse(503, "\(ImageRequests.greatestForTable) images of this table are loading; try again later.")
    case .begun(let number):
      // Replaces libwebsockets' timeout, which is shorter than the source's time limit.
      lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, Int32(2 * ImageRequests.patience.components.seconds))
      holdBack(socket)
      if !table.source.inlet.ask(.image(number, key: key)) { finishImage(number, .sourceDown) }
      loop.requestTurn()
      return nil
    case .joined:
      holdBack(socket)
      lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, Int32(2 * ImageRequests.patience.components.seconds))
      return nil
    }
  }

  /// Answers all requests for an image with the result of its source.
  func finishImage(_ number: UInt64, _ outcome: ImageOutcome) {
    let response: HTTPResponse
    switch outcome {
    case .bytes(let bytes):
      if bytes.count > ImageRequests.greatestByteCount {
        response = HTTPResponse(
          refusal: 502, reason: "The image has more than \(ImageRequests.greatestByteCount) bytes.")
      } else if let kind = ImageKind(of: bytes) {
        response = HTTPResponse(image: bytes, kind)
      } else {
        response = HTTPResponse(refusal: 502, reason: "The source's image has an unknown format.")
      }
    case .none: response = HTTPResponse(refusal: 404, reason: "Unknown image.")
    case .failed(let reason): response = HTTPResponse(refusal: 502, reason: "The source could not load it: \(reason)")
    case .sourceDown: response = HTTPResponse(refusal: 503, reason: "The source is not running.")
    }
    answerImage(number, response)
  }

  private func answerImage(_ number: UInt64, _ response: HTTPResponse) {
    for socket in exchanges.images.finish(number) {
      goOn(socket)
      answer(socket, with: response)
    }
  }

  /// Fails the image loads whose deadline has passed.
  func finishOverdueImages(at now: Instant) {
    for (number, table) in exchanges.images.overdue(at: now) {
      _ = sources[table]?.source.inlet.ask(.cancelImages([number]))
      answerImage(number, HTTPResponse(refusal: 504, reason: "The source has not answered in time."))
    }
  }

  /// Cancels the image load of a closed socket, unless other requests share it.
  func leaveImages(_ socket: OpaquePointer) {
    guard let (number, table) = exchanges.images.leave(socket) else { return }
    _ = sources[table]?.source.inlet.ask(.cancelImages([number]))
  }
}
