import ListEngine
import Wire

/// A client that encodes its deliveries and acknowledges them immediately.
struct BenchClient {
  let session: SessionID
  private(set) var deliveries = 0
  private(set) var bytes = 0
  private(set) var sequence: UInt64 = 0
  private(set) var start = 0
  private(set) var total = 0
  private(set) var items: [WindowItem] = []

  private let interval: Duration

  init(_ session: SessionID, interval: Duration = .zero) {
    self.session = session
    self.interval = interval
  }

  /// Opens the table with a window of the first 60 items.
  func open(_ query: QueryRequest, _ engine: inout Engine, at now: Instant) {
    engine.handle(
      .open(
        session, table: "quotes", request: 1, query: query,
        viewport: Viewport(first: 0, count: 60, ahead: 0, behind: 0, stick: .top), interval: interval), at: now)
  }

  mutating func take(_ outputs: [Output], _ engine: inout Engine, at now: Instant) {
    for case .deliver(let id, let delivery) in outputs {
      if id == session { show(delivery, epoch: engine.epoch) }
      engine.handle(.writable(id), at: now)
      engine.handle(.acknowledge(id, sequence: delivery.sequence), at: now)
    }
  }

  mutating func show(_ delivery: Delivery, epoch: String) {
    deliveries += 1
    bytes += ServerMessage.delivery(delivery, epoch: epoch).encoded.count
    sequence = delivery.sequence
    start = delivery.patch.result.start
    total = delivery.patch.result.total
    items = delivery.patch.result.items
  }

  /// The numbers of the shown rows of `quotes`.
  var ids: [Int] { items.compactMap(\.rowNumber) }

  /// Advances the engine once; returns whether no work remains.
  mutating func isSettled(_ engine: inout Engine, at now: Instant) -> Bool {
    take(engine.advance(to: now), &engine, at: now)
    return engine.deadline.map { $0 > now } ?? true
  }

  /// Returns the values of a number column in the shown rows.
  func numbers(_ column: Int) -> [Double] {
    items.compactMap {
      guard case .row(let row) = $0, case .number(let number) = row.cells[column] else { return nil }
      return number
    }
  }
}

extension WindowItem {
  /// The number of the row in `quotes`; `nil` for a header.
  var rowNumber: Int? {
    guard case .row(let row) = self, case .integer(let id) = row.cells[0] else { return nil }
    return Int(id)
  }
}
