import ListEngine

/// The plain requests and upgrades that are being answered.
///
///     if case .refuse = exchanges.guardian.verdict(onPage: head) { ... }
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
  }

  private var bySocket: [OpaquePointer: Exchange] = [:]
  /// The exports in progress.
  private(set) var downloads: [OpaquePointer: TableDownload] = [:]
  var downloadShares: TokenShares
  /// The clients whose response waits for a source or for the client itself.
  var waiting = WaitingClients()
  var images = ImageRequests()
  var guardian: RequestGuard
  var connections: Connections

  init(_ configuration: ServerConfiguration, guardian: RequestGuard) {
    self.guardian = guardian
    downloadShares = TokenShares(limit: configuration.exportShare)
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
    downloads = [:]
  }

  // MARK: Responses

  mutating func noteHead(on socket: OpaquePointer) { bySocket[socket, default: Exchange()].isHead = true }

  func isHead(_ socket: OpaquePointer) -> Bool { bySocket[socket]?.isHead == true }

  /// Begins to write a response, without the body if the request was HEAD.
  mutating func begin(_ response: HTTPResponse, on socket: OpaquePointer) {
    let isHead = isHead(socket)
    bySocket[socket] = Exchange(transfer: PageTransfer(isHead ? response.withoutBody : response))
  }

  /// The response that is being written to a socket.
  subscript(transfer socket: OpaquePointer) -> PageTransfer? {
    get { bySocket[socket]?.transfer }
    set {
      if let newValue { bySocket[socket]?.transfer = newValue } else { bySocket[socket] = nil }
    }
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

  subscript(download socket: OpaquePointer) -> TableDownload? {
    get { downloads[socket] }
    set { downloads[socket] = newValue }
  }

  /// Removes and returns an export, and returns its share.
  mutating func removeDownload(on socket: OpaquePointer) -> TableDownload? {
    guard let download = downloads.removeValue(forKey: socket) else { return nil }
    downloadShares.release(download.token)
    waiting.remove(socket)
    return download
  }
}
