import CWebSockets
import Glibc
import Wire

extension Server {
  /// Returns the response to a plain request; `nil` if it follows later.
  ///
  /// The page's files and the two health checks need no token, because they reveal nothing. All
  /// other paths do.
  func response(to head: RequestHead, on socket: OpaquePointer) -> HTTPResponse? {
    if head.path == "/", let code = head.argument("code") {
      return login(code, head, on: socket)
    }
    if let file = configuration.page.file(at: head.path) {
      let keepsConnection = !isStopping && head.isKeepAlive && exchanges.connections.mayServeMore(socket)
      return HTTPResponse(file, to: head, keepsConnection: keepsConnection)
    }
    switch head.path {
    case "/healthz": return HTTPResponse(Array("ok\n".utf8), type: "text/plain; charset=utf-8", to: head.method)
    case "/readyz":
      if let obstacle = configuration.obstacle() {
        return HTTPResponse(refusal: 503, reason: obstacle, to: head.method)
      }
      return HTTPResponse(Array("ok\n".utf8), type: "text/plain; charset=utf-8", to: head.method)
    case "/session":
      // Lets a page find out why its upgrade was refused, which browsers do not reveal.
      switch access.session(head, from: address(of: socket), at: EventLoop.now) {
      case .role(let role):
        var writer = JSONWriter()
        writer.object {
          $0.name("role")
          if let role { $0.text(role.rawValue) } else { $0.raw("null") }
        }
        writer.byte("\n")
        return HTTPResponse(writer.bytes, type: "application/json", to: head.method)
      case .refuse(let status, let reason):
        operations.metrics.refusals[status, default: 0] += 1
        return HTTPResponse(refusal: status, reason: reason, to: head.method)
      }
    case "/metrics":
      return forThoseLetIn(head, on: socket) { _ in
        HTTPResponse(Array(metricsText().utf8), type: MetricsText.contentType, to: head.method)
      }
    case "/image": return forThoseLetIn(head, on: socket) { _ in imageResponse(to: head, on: socket) }
    case _ where head.path.hasPrefix("/tables/"):
      return forThoseLetIn(head, on: socket) { beginExport(head, with: $0, on: socket) }
    case _ where head.path.hasPrefix(RequestHead.uploadPrefix):
      // Browsers send Origin with every upload; a cookie without it could be another site's doing.
      switch access.verdict(onUpgrade: head, from: address(of: socket), at: EventLoop.now) {
      case .allow(let pass): return beginUpload(head, with: pass, on: socket)
      case .refuse(let status, let reason):
        operations.metrics.refusals[status, default: 0] += 1
        return HTTPResponse(refusal: status, reason: reason, to: head.method)
      }
    case _ where head.path.hasPrefix(RequestHead.viewLinkPrefix): return viewLink(head)
    case _ where head.isViewChange:
      // As with uploads, the cookie counts only with an Origin.
      switch access.verdict(onUpgrade: head, from: address(of: socket), at: EventLoop.now) {
      case .allow(let pass): return beginViewChange(head, with: pass, on: socket)
      case .refuse(let status, let reason):
        operations.metrics.refusals[status, default: 0] += 1
        return HTTPResponse(refusal: status, reason: reason, to: head.method)
      }
    case _ where head.path == RequestHead.viewsPath || head.path.hasPrefix(RequestHead.viewPrefix):
      return forThoseLetIn(head, on: socket) { viewsResponse(to: head, for: $0) }
    default: return HTTPResponse(refusal: 404, reason: "Unknown path.", to: head.method)
    }
  }

  private func forThoseLetIn(
    _ head: RequestHead, on socket: OpaquePointer, _ answer: (AccessControl.Pass) -> HTTPResponse?
  ) -> HTTPResponse? {
    switch access.verdict(onPage: head, from: address(of: socket), at: EventLoop.now) {
    case .allow(let pass) where pass.role.mayView: return answer(pass)
    case .allow: return HTTPResponse(refusal: 403, reason: "A writer may only send rows.", to: head.method)
    case .refuse(let status, let reason):
      operations.metrics.refusals[status, default: 0] += 1
      return HTTPResponse(refusal: status, reason: reason, to: head.method)
    }
  }

  private func login(_ code: String, _ head: RequestHead, on socket: OpaquePointer) -> HTTPResponse {
    let login = access.login(
      code, head, from: address(of: socket), at: EventLoop.now, bootTime: BootClock.milliseconds)
    switch login {
    case .goOn(let cookie, let path): return HTTPResponse(toPageWith: cookie, at: path)
    case .refuse(let status, let reason):
      // The link may be opened again in a browser that is signed in. Its cookie is not sent to this
      // path, so serve the page, which knows the path of its cookie.
      if status == 403, head.method == .get, let page = configuration.page.file(at: "/") {
        return HTTPResponse(refusal: status, page: page)
      }
      return HTTPResponse(refusal: status, reason: reason, to: head.method)
    }
  }
}
