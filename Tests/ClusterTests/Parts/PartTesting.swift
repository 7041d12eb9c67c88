import ListEngine
import ListTesting

@testable import Cluster

/// A row key that is equal to another one only if the bytes are.
struct ExactKey: Hashable {
  let key: RowKey

  static func == (left: ExactKey, right: ExactKey) -> Bool {
    !left.key.precedes(right.key) && !right.key.precedes(left.key)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(Array("\(key)".utf8)) }
}

/// A publisher of one part without a server: the events of its stream, and its snapshots.
final class PlayedPublisher {
  let range: KeyRange
  private let make: () -> ShadowTable
  private var table: ShadowTable
  private var filter: KeyFilter

  init(_ range: KeyRange, _ schema: Schema) {
    self.range = range
    make = { ShadowTable(collators: { _, _ in nil }) }
    table = make()
    filter = KeyFilter(range)
    _ = table.apply(.schema(schema), at: .zero)
  }

  /// Applies an event of the source. Returns what the stream has of it.
  func publish(_ event: SourceEvent) -> SourceEvent? {
    guard let event = filter.pass(event), table.apply(event, at: .zero) else { return nil }
    // As it arrives at a relay.
    return EventFrames.frame(event).flatMap { EventFrames.events($0)?.first }
  }

  var isReloading: Bool { table.isReloading }

  /// The events of a snapshot.
  var snapshot: [SourceEvent] { table.events(at: .zero) }

  /// The rows by their keys.
  var rows: [ExactKey: [Cell]] { Self.rows(of: snapshot) }

  static func rows(of snapshot: [SourceEvent]) -> [ExactKey: [Cell]] {
    var rows: [ExactKey: [Cell]] = [:]
    for case .changes(let changes) in snapshot {
      changes.forEachRow { rows[ExactKey(key: $0.key)] = $0.cells.map { $0 ?? .null } }
    }
    return rows
  }
}

/// The table of a relay's server, from the events of a merge.
final class MergedCopy {
  private var table = ShadowTable(collators: { _, _ in nil })
  /// The last state.
  private(set) var state: (SourceState, String)?
  private(set) var schemas = 0
  private(set) var rejections = 0

  func apply(_ events: [SourceEvent]) {
    for event in events {
      switch event {
      case .state(let state, let message, _): self.state = (state, message)
      case .schema, .columnsAdded: schemas += 1
      default: break
      }
      _ = table.apply(event, at: .zero)
    }
  }

  var rows: [ExactKey: [Cell]] {
    let events = table.events(at: .zero)
    for case .changes(let changes) in events where changes.unnamedRejections > 0 {
      rejections = changes.unnamedRejections
    }
    return PlayedPublisher.rows(of: events)
  }
}
