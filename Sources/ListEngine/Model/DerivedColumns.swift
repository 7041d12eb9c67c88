/// The derived columns of a table; see ``Derivation``.
///
///     derived.noteInsertion(slot)
///     let due = derived.due(slot, taking: cells)  // before the given cells are stored
///     changed |= derived.follow(slot, due)        // afterwards, if one of them changed
///
/// A change costs O(history) for each history whose column has changed, without allocation.
final class DerivedColumns {
  private struct History {
    let given: ColumnStore
    let givenNumber: Int
    let derived: ColumnStore
    let number: Int
    let count: Int
  }

  /// The maximum size of all histories of a table, in bytes.
  static let greatestSize = 2 << 30

  private let histories: [History]
  private let changeTime: (column: ColumnStore, number: Int)?
  private let wall: WallTime
  /// The bytes of all histories, and their maximum.
  private let bytes: ByteCounter
  private let byteLimit: Int
  /// The values of the history that is being stored.
  private let values: UnsafeMutableBufferPointer<Double>

  /// Creates the rules of a schema's derived columns; `nil` if it has none.
  ///
  /// - Parameters:
  ///   - bytes: The counter of the derived columns' texts.
  ///   - byteLimit: The maximum of `bytes`. A history beyond it becomes null.
  init?(
    _ schema: Schema, columns: UnsafeMutableBufferPointer<ColumnStore>, bytes: ByteCounter, byteLimit: Int,
    wall: WallTime
  ) {
    guard schema.givenColumnCount < columns.count else { return nil }
    var (histories, changeTime) = ([History](), Int?.none)
    for (number, column) in schema.columns.enumerated() {
      switch column.derivation {
      case nil: continue
      case .changeTime: changeTime = number
      case .history(let name, let count):
        guard let given = schema.index(of: name) else { preconditionFailure("\(column.name) has no column \(name)") }
        histories.append(
          History(
            given: columns[given], givenNumber: given, derived: columns[number], number: number, count: count))
      }
    }
    self.histories = histories
    self.changeTime = changeTime.map { (columns[$0], $0) }
    (self.bytes, self.byteLimit, self.wall) = (bytes, byteLimit, wall)
    values = .allocate(capacity: histories.map(\.count).max() ?? 1)
  }

  deinit { values.deallocate() }

  /// Records that rows were inserted.
  func noteInsertion(_ slots: Range<UInt32>) {
    guard changeTime != nil else { return }
    for slot in slots { stamp(slot) }
  }

  /// Returns the histories that get another value when a row takes these cells, as a bit set, and
  /// starts those that have none yet with the present value.
  func due(_ slot: UInt32, taking cells: UnsafeBufferPointer<Changeset.PackedCell>) -> UInt64 {
    var due: UInt64 = 0
    for (index, history) in histories.enumerated() {
      let cell = cells[history.givenNumber]
      guard cell.kind != .unchanged, cell.kind != .null else { continue }
      let present = history.given.double(slot)
      guard present == nil || history.given.words[slot] != history.given.word(of: cell) else { continue }
      due |= 1 << UInt64(index)
      if let present, history.derived.isNull(slot) { store(present, after: 0, history, slot) }
    }
    return due
  }

  /// Fills the columns after a change of a row, and returns a bit for each column that changed.
  func follow(_ slot: UInt32, _ due: UInt64) -> UInt64 {
    var changed: UInt64 = 0
    for (index, history) in histories.enumerated() where due & (1 << UInt64(index)) != 0 {
      guard let value = history.given.double(slot) else { continue }
      let known = history.derived.isNull(slot) ? 0 : copy(history, slot)
      guard known == 0 || values[known - 1] != value else { continue }
      store(value, after: known, history, slot)
      changed |= 1 << UInt64(history.number & 63)
    }
    if let changeTime {
      stamp(slot)
      changed |= 1 << UInt64(changeTime.number & 63)
    }
    return changed
  }

  private func stamp(_ slot: UInt32) {
    guard let changeTime else { return }
    let cell = Changeset.PackedCell(payload: UInt64(bitPattern: wall.now), length: 0, kind: .timestamp)
    _ = changeTime.column.store(cell, bytes: UnsafeRawBufferPointer(start: nil, count: 0), at: slot)
  }

  /// Copies a row's history into ``values``, and returns the number of its values.
  private func copy(_ history: History, _ slot: UInt32) -> Int {
    let raw = history.derived.bytes(slot)
    UnsafeMutableRawBufferPointer(values).copyMemory(from: raw)
    return raw.count / 8
  }

  /// Appends a value to the first ones of ``values``, and stores them as a row's history.
  private func store(_ value: Double, after known: Int, _ history: History, _ slot: UInt32) {
    var count = known
    if count == history.count {
      for place in 1..<count { values[place - 1] = values[place] }
      count -= 1
    }
    values[count] = value
    let raw = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(values)[..<((count + 1) * 8)])
    guard raw.count - history.derived.textBytes(slot) <= byteLimit - bytes.count else {
      return history.derived.clear(slot)
    }
    let cell = Changeset.PackedCell(payload: 0, length: UInt32(raw.count), kind: .series)
    _ = history.derived.store(cell, bytes: raw, at: slot)
  }
}
