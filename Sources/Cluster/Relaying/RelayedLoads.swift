import ListEngine
import Threads

/// The requests of a relay's server for deferred cells and images at the publisher.
///
/// Values of cells come with the table's stream; failures and images are answers. The server's
/// engine limits the number of loads and their time.
final class RelayedLoads: Sendable {
  /// The number of cells in one request, which bounds its size.
  static let requestSize = 64
  /// The time in which an image has a use for the server's clients.
  private static let imagePatience = Duration.seconds(10)

  private let path: PublisherPath
  /// The cells that were requested and have not ended.
  private let pending = Guarded<Set<DeferredCell>>([])

  init(_ path: PublisherPath) { self.path = path }

  // MARK: Cells

  /// Requests cells. [the queue of the table's requests]
  func load(_ cells: [DeferredCell]) {
    pending.withLock { $0.formUnion(cells) }
    guard let schema = path.schema else { return }
    let expires = BootTime.wall(after: schema.prefetch.patience)
    for part in Self.parts(cells) {
      let call = LoadCall(node: path.node, wanted: part.compactMap { schema.place(of: $0) }, expires: expires)
      do throws(ClusterError) {
        try path.send(CallCoding.bytes(call), to: path.names.loads, .cells, 0)
      } catch {
        fail(part, "the publisher is not reachable")
      }
    }
  }

  /// Cancels requests for cells. [the queue of the table's requests]
  func cancel(_ cells: [DeferredCell]) {
    pending.withLock { $0.subtract(cells) }
    guard let schema = path.schema else { return }
    for part in Self.parts(cells) {
      let call = LoadCall(node: path.node, cancelled: part.compactMap { schema.place(of: $0) }, expires: .max)
      // A load that is not cancelled ends at its deadline.
      try? path.send(CallCoding.bytes(call), to: path.names.loads, .cancels, 0)
    }
  }

  private static func parts(_ cells: [DeferredCell]) -> [ArraySlice<DeferredCell>] {
    stride(from: 0, to: cells.count, by: requestSize).map { cells[$0..<min($0 + requestSize, cells.count)] }
  }

  /// Records that the stream has the value of a cell.
  func noteLoaded(_ cell: DeferredCell) { pending.withLock { _ = $0.remove(cell) } }

  /// Forgets all requests for cells, because the columns have changed.
  func forgetAll() { pending.withLock { $0 = [] } }

  /// Reports the failure of those cells that have not ended.
  private func fail(_ cells: some Collection<DeferredCell>, _ reason: String) {
    let ended = pending.withLock { pending in cells.filter { pending.remove($0) != nil } }
    for cell in ended { path.report(.notLoaded(cell.key, column: cell.column, reason: reason)) }
  }

  /// Reports the failure of all cells, because their requests are lost. The server requests them
  /// again.
  func failAll(_ reason: String) { fail(pending.withLock { $0 }, reason) }

  /// Takes an answer about cells. [a thread of the library]
  func takeCells(_ message: NatsMessage) {
    if message.hasNoResponders {
      failAll("no publisher runs for this table")
    } else if let failure: LoadFailure = CallCoding.decoded(message.bytes), let schema = path.schema {
      fail(failure.cells.compactMap { schema.deferredCell($0) }, failure.reason)
    }
  }

  // MARK: Images

  /// Requests an image. [the queue of the table's requests]
  func loadImage(_ number: UInt64, _ key: String) {
    let call = ImageCall(node: path.node, number: number, key: key, expires: BootTime.wall(after: Self.imagePatience))
    do throws(ClusterError) {
      try path.send(CallCoding.bytes(call), to: path.names.images, .image, number)
    } catch {
      path.report(.image(number, .sourceDown))
    }
  }

  /// Cancels requests for images. [the queue of the table's requests]
  func cancelImages(_ numbers: [UInt64]) {
    for number in numbers {
      let call = ImageCall(node: path.node, number: number, expires: .max)
      try? path.send(CallCoding.bytes(call), to: path.names.images, .cancels, 0)
    }
  }

  /// Takes an image. [a thread of the library]
  func takeImage(_ number: UInt64, _ message: NatsMessage) {
    let outcome = message.hasNoResponders ? .sourceDown : ImageOutcome(decoding: message.bytes)
    path.report(.image(number, outcome ?? .failed("the publisher's answer is invalid")))
  }
}
