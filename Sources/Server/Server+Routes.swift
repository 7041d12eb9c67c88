import CWebSockets
import Glibc

extension Server {
  /// What a plain request is answered; `nil` when the answer is on its way already.
  ///
  /// The page's files are the same for everyone and tell nothing, so nobody is asked for a token; nor is who asks whether the server is
  /// well. Everything else is for those who are let in.
  func response(to head: RequestHead, on socket: OpaquePointer) -> HTTPResponse? {
    if head.path == "/", let code = head.argument("code") {
      return login(code, head, on: socket)
    }
    if let file = configuration.page.file(at: head.path) {
      let keepsConnection = !isStopping && head.wishesForMore && connections.mayAskForMore(socket)
      return HTTPResponse(file, to: head, keepsConnection: keepsConnection)
    }
    switch head.path {
    case "/healthz": return HTTPResponse(Array("ok\n".utf8), type: "text/plain; charset=utf-8", to: head.method)
    case "/session":
      // So that a page whose upgrade was refused, which a browser tells it nothing about, can find out why.
      switch access.session(head, from: address(of: socket), at: EventLoop.now) {
      case .role(let role):
        let text = role.map { "\"\($0.rawValue)\"" } ?? "null"
        return HTTPResponse(Array("{\"role\":\(text)}\n".utf8), type: "application/json", to: head.method)
      case .refuse(let status, let reason):
        metrics.refusals[status, default: 0] += 1
        return HTTPResponse(refusal: status, reason: reason, to: head.method)
      }
    case "/metrics":
      return forThoseLetIn(head, on: socket) { _ in
        HTTPResponse(Array(metricsText().utf8), type: MetricsText.contentType, to: head.method)
      }
    case "/image": return forThoseLetIn(head, on: socket) { _ in imageResponse(to: head, on: socket) }
    case _ where head.path.hasPrefix("/tables/"):
      return forThoseLetIn(head, on: socket) { beginDownload(head, with: $0, on: socket) }
    default: return HTTPResponse(refusal: 404, reason: "There is nothing here.", to: head.method)
    }
  }

  private func forThoseLetIn(
    _ head: RequestHead, on socket: OpaquePointer, _ answer: (AccessControl.Pass) -> HTTPResponse?
  ) -> HTTPResponse? {
    switch access.verdict(onPage: head, from: address(of: socket), at: EventLoop.now) {
    case .allow(let pass): return answer(pass)
    case .refuse(let status, let reason):
      metrics.refusals[status, default: 0] += 1
      return HTTPResponse(refusal: status, reason: reason, to: head.method)
    }
  }

  private func login(_ code: String, _ head: RequestHead, on socket: OpaquePointer) -> HTTPResponse {
    let login = access.login(
      code, head, from: address(of: socket), at: EventLoop.now, bootTime: BootClock.milliseconds)
    switch login {
    case .goOn(let cookie, let path): return HTTPResponse(toPageWith: cookie, at: path)
    case .refuse(let status, let reason):
      // Opened again in a browser that is signed in: its cookie is not sent here, but the page knows its room.
      if status == 403, head.method == .get, let page = configuration.page.file(at: "/") {
        return HTTPResponse(refusal: status, page: page)
      }
      return HTTPResponse(refusal: status, reason: reason, to: head.method)
    }
  }
}
