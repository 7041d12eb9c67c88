import ListEngine
import Logging
import Threads

/// The requests of a relay's server for deferred cells and images at the publisher.
///
/// Values of cells come with the table's stream; failures and images are answers. The server's
/// engine limits the number of loads and their time.
final class RelayedLoads: Sendable {
  private struct State {
    var schema: Schema?
    /// The cells that were requested and have not ended.
    var pending: Set<DeferredCell> = []
    var receiving: NatsConnection.Receiving?
  }

  /// The number of cells in one request, which bounds its size.
  static let requestSize = 64
  /// The time in which an image has a use for the server's clients.
  private static let imagePatience = Duration.seconds(10)

  private let names: TableNames
  private let connection: NatsConnection
  private let target: RelayTarget
  private let node: String
  /// The subject of answers, without its last part: `cells`, or the number of an image.
  private let inbox: String
  private let state = Guarded(State())
  private let logger = Logger(label: "cluster")

  init(_ names: TableNames, connection: NatsConnection, target: RelayTarget, node: String) {
    self.names = names
    self.connection = connection
    self.target = target
    self.node = node
    inbox = "_INBOX.rowcast-loads.\(node).\(names.token)"
  }

  func start() {
    do throws(ClusterError) {
      let receiving = try connection.receive("\(inbox).*") { [self] in take($0) }
      state.withLock { $0.receiving = receiving }
    } catch {
      logger.error("deferred cells and images of the table do not load", metadata: ["reason": "\(error)"])
    }
  }

  func stop() { if let receiving = state.withLock({ $0.receiving }) { connection.end(receiving) } }

  /// Records the schema, which names the columns.
  func note(_ schema: Schema) {
    state.withLock { state in
      if state.schema?.columns != schema.columns { state.pending = [] }
      state.schema = schema
    }
  }

  /// Records that the stream has the value of a cell.
  func noteLoaded(_ cell: DeferredCell) { state.withLock { _ = $0.pending.remove(cell) } }

  /// Sends a request of the server. [the queue of the table's requests]
  func send(_ request: SourceRequest) {
    switch request {
    case .load(let cells):
      for start in stride(from: 0, to: cells.count, by: Self.requestSize) {
        load(Array(cells[start..<min(start + Self.requestSize, cells.count)]))
      }
    case .cancel(let cells):
      let schema = state.withLock { state in
        state.pending.subtract(cells)
        return state.schema
      }
      guard let schema else { return }
      for start in stride(from: 0, to: cells.count, by: Self.requestSize) {
        let part = cells[start..<min(start + Self.requestSize, cells.count)]
        let call = LoadCall(node: node, cancelled: part.compactMap { schema.place(of: $0) }, expires: .max)
        // A load that is not cancelled ends at its deadline.
        try? connection.send(CallCoding.bytes(call), to: names.loads, reply: "\(inbox).cancels")
      }
    case .image(let number, let key):
      let expires = BootTime.wall + Self.imagePatience.nanoseconds
      let call = ImageCall(node: node, number: number, key: key, expires: expires)
      do throws(ClusterError) {
        guard connection.isConnected else { throw .failed("the connection to NATS is down") }
        try connection.send(CallCoding.bytes(call), to: names.images, reply: "\(inbox).\(number)")
      } catch {
        _ = target.report(.image(number, .sourceDown))
      }
    case .cancelImages(let numbers):
      for number in numbers {
        let call = ImageCall(node: node, number: number, expires: .max)
        try? connection.send(CallCoding.bytes(call), to: names.images)
      }
    default: break
    }
  }

  private func load(_ cells: [DeferredCell]) {
    let schema = state.withLock { state in
      state.pending.formUnion(cells)
      return state.schema
    }
    guard let schema else { return }
    let (expires, overflow) = BootTime.wall.addingReportingOverflow(schema.prefetch.patience.nanoseconds)
    let call = LoadCall(
      node: node, wanted: cells.compactMap { schema.place(of: $0) }, expires: overflow ? .max : expires)
    do throws(ClusterError) {
      guard connection.isConnected else { throw .failed("the connection to NATS is down") }
      try connection.send(CallCoding.bytes(call), to: names.loads, reply: "\(inbox).cells")
    } catch {
      fail(cells, "the publisher is not reachable")
    }
  }

  /// Reports the failure of those cells that have not ended.
  private func fail(_ cells: [DeferredCell], _ reason: String) {
    let ended = state.withLock { state in cells.filter { state.pending.remove($0) != nil } }
    for cell in ended { _ = target.report(.notLoaded(cell.key, column: cell.column, reason: reason)) }
  }

  /// Reports the failure of all cells, because their requests are lost. The server requests them
  /// again.
  func failAll(_ reason: String) { fail(state.withLock { Array($0.pending) }, reason) }

  /// Takes an answer. [a thread of the library]
  private func take(_ message: NatsMessage) {
    let place = message.subject.split(separator: ".").last ?? ""
    if let number = UInt64(place) {
      let outcome = message.hasNoResponders ? .sourceDown : ImageOutcome(decoding: message.bytes)
      _ = target.report(.image(number, outcome ?? .failed("the publisher's answer is invalid")))
    } else if message.hasNoResponders {
      if place == "cells" { failAll("no publisher runs for this table") }
    } else if let failure: LoadFailure = CallCoding.decoded(message.bytes), let schema = state.withLock({ $0.schema }) {
      fail(failure.cells.compactMap { schema.deferredCell($0) }, failure.reason)
    }
  }
}
