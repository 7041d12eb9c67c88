/// A deferred cell, identified by row and column.
struct DeferredItem: Hashable {
  var row: RowID
  var column: Int
}

/// The reason why a deferred cell has no value.
public enum Missing: Hashable, Sendable {
  /// The cell is not loaded yet.
  case pending
  /// Loading failed with this reason, and the engine will retry.
  case failed(String)
}

/// A deferred cell without a value.
public struct MissingCell: Hashable, Sendable {
  /// The column's number.
  public var column: Int
  /// The reason for the missing value.
  public var why: Missing
}

/// The load state of a table's deferred cells: one byte per cell, and a reason per failed cell.
///
/// The values are in the ordinary ``ColumnStore``, where missing ones are null. ``PrefetchQueue``
/// tracks the requests in flight.
final class DeferredCells {
  private enum State: UInt8, BitwiseCopyable {
    case missing, there, failed
  }

  private struct Place: Hashable {
    var slot: UInt32
    var column: Int
  }

  /// The numbers of the deferred columns, in ascending order.
  let columns: [Int]
  /// The states by column; `nil` for a column that is not deferred.
  private let states: [Chunked<State>?]
  private var reasons: [Place: String] = [:]

  /// Creates the state of a table, or returns `nil` if it has no deferred columns.
  init?(_ schema: Schema) {
    columns = schema.columns.indices.filter { schema.columns[$0].isDeferred }
    guard !columns.isEmpty else { return nil }
    states = schema.columns.map { $0.isDeferred ? Chunked(filler: .missing) : nil }
  }

  deinit {
    for column in columns { states[column]?.deallocate() }
  }

  /// Grows to at least `count` slots, with missing cells in new ones.
  func grow(to count: Int) {
    for column in columns { states[column]?.grow(to: count) }
  }

  /// Whether the column exists and is deferred.
  func isDeferred(_ column: Int) -> Bool { states.indices.contains(column) && states[column] != nil }

  /// Whether the cell is loaded, possibly with a null value.
  func isThere(_ slot: UInt32, _ column: Int) -> Bool { states[column]?[slot] == .there }

  /// Returns the cells of a row that have no value.
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

  /// Marks the cell as loaded and returns whether this changed its state.
  func provide(_ slot: UInt32, _ column: Int) -> Bool { set(.there, slot, column) }

  /// Marks the cell as missing and returns whether this changed its state.
  func forget(_ slot: UInt32, _ column: Int) -> Bool { set(.missing, slot, column) }

  /// Marks the cell as failed and returns whether its state or reason changed.
  func fail(_ slot: UInt32, _ column: Int, _ reason: String) -> Bool {
    let place = Place(slot: slot, column: column)
    let isNew = states[column]?[slot] != .failed || reasons[place] != reason
    states[column]?[slot] = .failed
    reasons[place] = reason
    return isNew
  }

  /// Resets the cells of a deleted row.
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
