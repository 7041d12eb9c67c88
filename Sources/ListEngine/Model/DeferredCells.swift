/// A deferred cell of one row, by ids.
struct DeferredItem: Hashable {
  var row: RowID
  var column: Int
}

/// Why a cell of a deferred column shows no value.
public enum Missing: Hashable, Sendable {
  /// It will be loaded now that someone looks.
  case pending
  /// It could not be loaded, for this reason. It is tried again.
  case failed(String)
}

/// A cell of a deferred column that shows no value, and why.
public struct MissingCell: Hashable, Sendable {
  /// The column's number.
  public var column: Int
  /// Why.
  public var why: Missing
}

/// Which cells of a table's deferred columns have a value: one byte for each, and a text for each that failed.
///
/// The values themselves are in the ordinary ``ColumnStore``, where a missing one is null. Whether a cell has been asked for is not
/// kept here: the ``PrefetchQueue`` knows what is in flight.
final class DeferredCells {
  private enum State: UInt8, BitwiseCopyable {
    case missing, there, failed
  }

  private struct Place: Hashable {
    var slot: UInt32
    var column: Int
  }

  /// The numbers of the deferred columns, ascending.
  let columns: [Int]
  /// By column; `nil` where it is not deferred.
  private let states: [Chunked<State>?]
  private var reasons: [Place: String] = [:]

  /// `nil` when the table has no deferred columns.
  init?(_ schema: Schema) {
    columns = schema.columns.indices.filter { schema.columns[$0].isDeferred }
    guard !columns.isEmpty else { return nil }
    states = schema.columns.map { $0.isDeferred ? Chunked(filler: .missing) : nil }
  }

  deinit {
    for column in columns { states[column]?.deallocate() }
  }

  /// Makes room for this many slots; nothing is there in new ones.
  func grow(to count: Int) {
    for column in columns { states[column]?.grow(to: count) }
  }

  /// Whether the column is deferred. Any number may be asked for.
  func isDeferred(_ column: Int) -> Bool { states.indices.contains(column) && states[column] != nil }

  /// Whether the cell has a value; null may be one.
  func isThere(_ slot: UInt32, _ column: Int) -> Bool { states[column]?[slot] == .there }

  /// The cells of a row that have no value.
  func missing(_ slot: UInt32) -> [MissingCell] {
    var missing: [MissingCell] = []
    for column in columns {
      switch states[column]?[slot] {
      case .missing: missing.append(MissingCell(column: column, why: .pending))
      case .failed:
        missing.append(MissingCell(column: column, why: .failed(reasons[Place(slot: slot, column: column)] ?? "")))
      case .there, nil: break
      }
    }
    return missing
  }

  /// The cell has a value. The result is whether it had none.
  func provide(_ slot: UInt32, _ column: Int) -> Bool { set(.there, slot, column) }

  /// The cell has no value. The result is whether it had one, or had failed.
  func forget(_ slot: UInt32, _ column: Int) -> Bool { set(.missing, slot, column) }

  /// The cell could not be loaded. The result is whether that is news.
  func fail(_ slot: UInt32, _ column: Int, _ reason: String) -> Bool {
    let place = Place(slot: slot, column: column)
    let isNews = states[column]?[slot] != .failed || reasons[place] != reason
    states[column]?[slot] = .failed
    reasons[place] = reason
    return isNews
  }

  /// The row is gone.
  func clear(_ slot: UInt32) {
    for column in columns { _ = forget(slot, column) }
  }

  private func set(_ state: State, _ slot: UInt32, _ column: Int) -> Bool {
    guard let states = states[column], states[slot] != state else { return false }
    if states[slot] == .failed { reasons[Place(slot: slot, column: column)] = nil }
    states[slot] = state
    return true
  }
}
