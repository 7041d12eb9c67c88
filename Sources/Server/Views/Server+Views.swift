import CWebSockets
import Glibc
import Wire

/// Requests for saved views; docs/operating.md describes them.
extension Server {
  /// Answers a request for the list of views, or for one of them.
  func viewsResponse(to head: RequestHead, for pass: AccessControl.Pass) -> HTTPResponse {
    let author = ViewAuthor(pass, tokens: configuration.tokens)
    guard head.path != RequestHead.viewsPath else {
      let table = head.argument("table")
      let reason =
        views.folder == nil ? Views.offReason : author.maySave ? "" : "Saving views needs the sign-in of an operator."
      var writer = JSONWriter()
      writer.object {
        $0.member("views", views.library.views(of: table, for: pass.role)) {
          $1.write(to: &$0, for: author, withAddress: table != nil)
        }
        $0.member("maySave", reason.isEmpty)
        $0.member("reason", reason)
      }
      writer.byte("\n")
      return HTTPResponse(writer.bytes, type: "application/json", to: head.method)
    }
    let name = String(head.path.dropFirst(RequestHead.viewPrefix.count))
    guard let view = views.library[name], view.role <= pass.role else {
      return HTTPResponse(refusal: 404, reason: "There is no view of this name.", to: head.method)
    }
    guard head.argument("as") != "json" else {
      return HTTPResponse(view.json(for: author), type: "application/json", to: head.method)
    }
    return HTTPResponse(Array(view.yaml.utf8), type: "application/yaml", to: head.method)
      .with("Content-Disposition", "attachment; filename=\"\(view.name).yaml\"")
  }

  /// Redirects a short link to the page, which opens the view.
  ///
  /// The answer is the same for every name, so that it needs no sign-in and reveals nothing.
  func viewLink(_ head: RequestHead) -> HTTPResponse {
    let name = head.path.dropFirst(RequestHead.viewLinkPrefix.count)
    let isReference = name.first == "~" ? SavedView.isID(name.dropFirst()) : SavedView.isName(name)
    guard isReference else { return HTTPResponse(refusal: 404, reason: "Unknown path.", to: head.method) }
    return HTTPResponse(toPageWith: nil, at: "/#view=\(name)")
  }

  /// Begins to save or delete a view.
  ///
  /// - Returns: The response if the request is refused; `nil` if it follows later.
  func beginViewChange(_ head: RequestHead, with pass: AccessControl.Pass, on socket: OpaquePointer) -> HTTPResponse? {
    func refuse(_ status: Int, _ reason: String) -> HTTPResponse {
      operations.metrics.refusals[status, default: 0] += 1
      return HTTPResponse(refusal: status, reason: reason, to: head.method)
    }
    guard pass.role.mayView else { return refuse(403, "A writer may only send rows.") }
    guard views.folder != nil else { return refuse(404, Views.offReason) }
    let author = ViewAuthor(pass, tokens: configuration.tokens)
    guard author.maySave else { return refuse(403, "Saving and deleting views needs the token of an operator.") }
    guard !views.requests.isFull else { return refuse(503, "Too many clients change views; try again.") }
    let name = String(head.path.dropFirst(RequestHead.viewPrefix.count))
    guard name.hasPrefix("~") ? SavedView.isID(name.dropFirst()) : SavedView.isName(name) else {
      return refuse(400, ViewDraft.nameRule)
    }
    guard head.method == .put else {
      let text = head.argument("version")
      guard text == nil || text.flatMap({ Int($0) }) != nil else { return refuse(400, "“version” must be a number.") }
      views.requests.add(.remove(name, version: text.flatMap { Int($0) }), by: author, on: socket)
      awaitView(on: socket)
      return nil
    }
    guard head.transferEncoding.isEmpty, let length = head.contentLength.first.flatMap({ Int($0) }) else {
      return refuse(411, "A view needs a Content-Length.")
    }
    guard (1...ViewRequests.greatestBody).contains(length) else {
      return refuse(413, "A view has 1 to \(ViewRequests.greatestBody) bytes.")
    }
    views.requests[body: socket] = ViewRequests.Body(name: name, author: author)
    if head.expectsContinue {
      _ = write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: socket, with: clws_write_http_head)
    }
    return nil
  }

  /// Receives a part of a view; returns `false` if the connection is to be closed.
  func receiveView(_ bytes: UnsafeRawBufferPointer, on socket: OpaquePointer) -> Bool {
    views.requests[body: socket]?.bytes += bytes
    return (views.requests[body: socket]?.bytes.count ?? 0) <= ViewRequests.greatestBody
  }

  /// Handles the end of a view's body.
  func endViewBody(on socket: OpaquePointer) {
    guard let body = views.requests[body: socket] else { return }
    views.requests[body: socket] = nil
    do throws(ViewFault) {
      let draft = try ViewDraft(yaml: body.bytes)
      views.requests.add(.save(body.name, draft), by: body.author, on: socket)
      awaitView(on: socket)
    } catch {
      answerView(on: socket, HTTPResponse(refusal: error.status, reason: error.reason))
    }
  }

  private func awaitView(on socket: OpaquePointer) {
    lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, 60)
    holdBack(socket)
    loop.requestTurn()
  }

  /// Takes the results of the folder, and begins the next change.
  func advanceViews() {
    while let (entry, change, fault) = views.takeResult() { finishView(entry, change, fault) }
    while let (entry, fault) = views.startNext(control.waker) {
      operations.metrics.refusals[fault.status, default: 0] += 1
      answerView(on: entry.socket, HTTPResponse(refusal: fault.status, reason: fault.reason))
    }
  }

  private func finishView(_ entry: ViewRequests.Entry, _ change: ViewLibrary.Change, _ fault: String?) {
    let view = change.view
    let details: [(String, String)] = [
      ("view", view.name), ("id", view.id), ("version", "\(view.version)"),
      ("by", entry.author.id.isEmpty ? "anyone" : entry.author.id),
    ]
    func log(_ action: String) {
      operations.logger.info(
        "\(action)", metadata: Dictionary(uniqueKeysWithValues: details.map { ($0.0, .string($0.1)) }))
    }
    if let fault {
      operations.logger.error(
        "a view is not changed",
        metadata: ["view": "\(view.name)", "folder": "\(views.folder?.path ?? "")", "reason": "\(fault)"])
      return answerView(
        on: entry.socket,
        HTTPResponse(
          refusal: 507,
          reason: "The view is not changed, because the server could not write its file: \(fault). "
            + "The server's log names the folder."))
    }
    switch change {
    case .write:
      log("a view is saved")
      answerView(on: entry.socket, HTTPResponse(view.json(for: entry.author), type: "application/json", to: .put))
    case .remove:
      log("a view is deleted")
      answerView(on: entry.socket, HTTPResponse(Array("{}\n".utf8), type: "application/json", to: .delete))
    }
  }

  private func answerView(on socket: OpaquePointer?, _ response: HTTPResponse) {
    guard let socket else { return }
    goOn(socket)
    exchanges.beginDiscarding(on: socket, at: EventLoop.now)
    answer(socket, with: response)
  }
}
