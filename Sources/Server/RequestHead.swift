/// What a request says about itself, before anything is done for it.
struct RequestHead {
  enum Method { case get, head, other }

  var method: Method
  /// As libwebsockets has decoded it: without arguments, percent signs and dots resolved.
  var path: String
  /// Every value that came under the name, in order; more than one is suspicious.
  var host: [String] = []
  var origin: [String] = []
  var upgrade: [String] = []
  var subprotocols: [String] = []
  var contentLength: [String] = []
  var transferEncoding: [String] = []
  var ifNoneMatch: [String] = []
}
