import ListEngine

/// The plain requests and upgrades that are being answered.
///
///     if case .refuse = exchanges.requestGuard.verdict(onPage: head) { ... }
///     exchanges.begin(response, on: socket)
///     exchanges.remove(socket)
struct Exchanges {
  /// The answer to one request.
  private struct Exchange {
    /// Whether a HEAD request is answered: like GET, without the body.
    var isHead = false
    var transfer: PageTransfer?
    /// The pass of an accepted upgrade whose WebSocket is not established yet.
    var pass: AccessControl.Pass?
    /// The part of the request's body that is discarded; `nil` for none.
    var discards: Discard?
  }

  /// A body that is discarded, so that the client can read the answer before the connection ends.
  private struct Discard {
    /// The number of bytes that may still follow.
    var rest = 16 << 20
    /// The time at which the connection ends.
    ///
    /// libwebsockets extends its own timeout with each part of a body.
    var deadline: Instant
  }

  /// The time that a client has to read the answer while it still sends its body.
  static let discardPatience: Duration = .seconds(5)

  private var bySocket: [OpaquePointer: Exchange] = [:]
  /// The exports in progress.
  private(set) var exports: [OpaquePointer: ExportResponse] = [:]
  var exportShares: TokenShares
  /// The clients whose response waits for a source or for the client itself.
  var waiting = WaitingClients()
  var images = ImageRequests()
  var uploads = Uploads()
  var requestGuard: RequestGuard
  var connections: Connections

  init(_ configuration: ServerConfiguration, requestGuard: RequestGuard) {
    self.requestGuard = requestGuard
    exportShares = TokenShares(limit: configuration.exportShare)
    connections = Connections(
      limitPerAddress: configuration.connectionsPerAddress, rate: configuration.acceptRate,
      burst: configuration.acceptBurst, at: EventLoop.now)
  }

  /// The earliest time at which an image is overdue, or clients must be checked.
  var deadline: Instant? {
    [images.deadline, connections.deadline, waiting.deadline].compactMap(\.self).min()
  }

  /// Whether a response is being written.
  ///
  /// - Complexity: O(*n*) in the requests.
  var isWriting: Bool { bySocket.values.contains { $0.transfer != nil } }

  /// Removes everything about a closed socket except its export.
  mutating func remove(_ socket: OpaquePointer) {
    bySocket[socket] = nil
    waiting.remove(socket)
  }

  mutating func removeAll() {
    bySocket = [:]
    exports = [:]
  }

  // MARK: Responses

  mutating func noteHead(on socket: OpaquePointer) { bySocket[socket, default: Exchange()].isHead = true }

  func isHead(_ socket: OpaquePointer) -> Bool { bySocket[socket]?.isHead == true }

  /// Begins to write a response, without the body if the request was HEAD.
  mutating func begin(_ response: HTTPResponse, on socket: OpaquePointer) {
    let isHead = isHead(socket)
    bySocket[socket] = Exchange(
      transfer: PageTransfer(isHead ? response.withoutBody : response), discards: bySocket[socket]?.discards)
  }

  /// The response that is being written to a socket.
  subscript(transfer socket: OpaquePointer) -> PageTransfer? {
    get { bySocket[socket]?.transfer }
    set {
      if let newValue { bySocket[socket]?.transfer = newValue } else { bySocket[socket] = nil }
    }
  }

  // MARK: Bodies

  /// Marks the rest of a request's body as discarded.
  mutating func beginDiscarding(on socket: OpaquePointer, at now: Instant) {
    bySocket[socket, default: Exchange()].discards = Discard(deadline: now.advanced(by: Self.discardPatience))
  }

  func isDiscarding(_ socket: OpaquePointer) -> Bool { bySocket[socket]?.discards != nil }

  /// Discards bytes of a body; returns `false` if they are too many, too late or unexpected.
  mutating func discardBody(_ count: Int, on socket: OpaquePointer, at now: Instant) -> Bool {
    if uploads[socket] != nil, !isDiscarding(socket) { beginDiscarding(on: socket, at: now) }
    guard let discard = bySocket[socket]?.discards, discard.rest > count, now < discard.deadline else { return false }
    bySocket[socket]?.discards?.rest -= count
    return true
  }

  // MARK: Upgrades

  /// Accepts an upgrade.
  mutating func admit(_ socket: OpaquePointer, with pass: AccessControl.Pass) {
    bySocket[socket, default: Exchange()].pass = pass
  }

  /// Removes and returns the pass of an accepted upgrade.
  mutating func takePass(of socket: OpaquePointer) -> AccessControl.Pass? {
    bySocket.removeValue(forKey: socket)?.pass
  }

  // MARK: Exports

  subscript(export socket: OpaquePointer) -> ExportResponse? {
    get { exports[socket] }
    set { exports[socket] = newValue }
  }

  /// Removes and returns an export, and returns its share.
  mutating func removeExport(on socket: OpaquePointer) -> ExportResponse? {
    guard let export = exports.removeValue(forKey: socket) else { return nil }
    exportShares.release(export.token)
    waiting.remove(socket)
    return export
  }
}
