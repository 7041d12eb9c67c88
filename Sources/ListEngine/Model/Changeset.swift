/// Changes reported by a source: rows identified by key, in order of occurrence.
///
///     var changes = Changeset()
///     changes.upsert(.integer(1), [.text("init"), .number(0.5)])
///     changes.delete(.integer(7))
///
/// The storage is three flat buffers, regardless of the number of rows and cells.
/// Performance-critical producers call ``beginRow(_:key:)`` and then `append` once per column,
/// which allocates nothing per cell.
public struct Changeset: Sendable {
  /// The kinds of change to a row.
  public enum Verb: UInt8, Sendable {
    /// Inserts or replaces a row, with one cell per column.
    ///
    /// A row with a new key goes to the end.
    case upsert
    /// Changes some cells of an existing row.
    ///
    /// It has one cell per column, ``appendUnchanged()`` for columns that keep their value.
    case update
    /// Deletes a row, without cells.
    case delete
    /// Moves a row before another one in the source's order, or to the end.
    ///
    /// Its only cell is the other row's key, or null.
    case move
    /// Reports invalid data for a row.
    ///
    /// The row stays unchanged, and the rejection is counted. Its only cell is the reason as text.
    case reject
  }

  /// The type of a packed cell.
  enum Kind: UInt8, Sendable {
    case null, unchanged, integer, number, text, boolean, timestamp, image, series
  }

  /// A cell in 16 bytes.
  ///
  /// Numbers are stored in place; texts and series are stored as an offset into `bytes`.
  struct PackedCell: Sendable {
    var payload: UInt64
    var length: UInt32
    var kind: Kind
  }

  /// The verb, key and cells of a row.
  struct Record: Sendable {
    var key: PackedCell
    var firstCell: Int
    var cellCount: Int32
    var verb: Verb
  }

  // Internal rather than private because decoding sets them.
  var records: [Record] = []
  var cells: [PackedCell] = []
  var bytes: [UInt8] = []

  /// Whether a reload begins with this changeset.
  ///
  /// Rows not named until ``endsReload`` are deleted then.
  public var beginsReload = false
  /// Whether a reload ends with this changeset.
  public var endsReload = false
  /// Whether the source ended during a reload.
  ///
  /// Rows named so far keep their new values. Other rows stay unless the table exceeds its limits.
  public var abandonsReload = false

  /// The number of rows dropped because their key was unreadable.
  public private(set) var unnamedRejections = 0
  /// The reason for the last such rejection.
  public private(set) var unnamedRejection = ""

  /// Creates an empty changeset.
  public init() {}

  /// The number of changed rows.
  public var count: Int { records.count }
  /// Whether the changeset has no effect.
  public var isEmpty: Bool {
    records.isEmpty && !beginsReload && !endsReload && !abandonsReload && unnamedRejections == 0
  }
  /// The approximate size in memory, in bytes.
  public var byteCount: Int {
    records.count * MemoryLayout<Record>.stride + cells.count * MemoryLayout<PackedCell>.stride + bytes.count
  }

  // MARK: Fast path

  /// Reserves memory.
  public mutating func reserveCapacity(rows: Int, cells cellCount: Int, bytes byteCount: Int = 0) {
    records.reserveCapacity(rows)
    cells.reserveCapacity(cellCount)
    bytes.reserveCapacity(byteCount)
  }

  /// Starts a row with an integer key.
  ///
  /// Its cells follow, one `append` each.
  public mutating func beginRow(_ verb: Verb, key: Int64) {
    let packed = PackedCell(payload: UInt64(bitPattern: key), length: 0, kind: .integer)
    records.append(Record(key: packed, firstCell: cells.count, cellCount: 0, verb: verb))
  }

  /// Starts a row with a text key.
  ///
  /// Its cells follow, one `append` each. The bytes are copied.
  public mutating func beginRow(_ verb: Verb, textKey key: UnsafeRawBufferPointer) {
    let packed = pack(.text, key)
    records.append(Record(key: packed, firstCell: cells.count, cellCount: 0, verb: verb))
  }

  /// Appends a null cell.
  public mutating func appendNull() { append(PackedCell(payload: 0, length: 0, kind: .null)) }
  /// Appends a cell that keeps its value, valid only in an ``Verb/update``.
  public mutating func appendUnchanged() { append(PackedCell(payload: 0, length: 0, kind: .unchanged)) }
  /// Appends an integer.
  public mutating func append(integer value: Int64) {
    append(PackedCell(payload: UInt64(bitPattern: value), length: 0, kind: .integer))
  }
  /// Appends a number, or null if it is not finite.
  public mutating func append(number value: Double) {
    if value.isFinite {
      append(PackedCell(payload: value.bitPattern, length: 0, kind: .number))
    } else {
      appendNull()
    }
  }
  /// Appends a boolean.
  public mutating func append(boolean value: Bool) {
    append(PackedCell(payload: value ? 1 : 0, length: 0, kind: .boolean))
  }
  /// Appends a timestamp in nanoseconds since 1970.
  public mutating func append(timestamp value: Int64) {
    append(PackedCell(payload: UInt64(bitPattern: value), length: 0, kind: .timestamp))
  }
  /// Appends a text.
  ///
  /// The bytes are copied; UTF-8 is validated when the changeset is applied.
  public mutating func append(text value: UnsafeRawBufferPointer) { append(pack(.text, value)) }
  /// Appends a copy of the key of an image.
  public mutating func append(image value: UnsafeRawBufferPointer) { append(pack(.image, value)) }
  /// Appends a copy of a series of numbers.
  public mutating func append(series value: UnsafeBufferPointer<Double>) {
    append(pack(.series, UnsafeRawBufferPointer(value)))
  }

  private mutating func append(_ cell: PackedCell) {
    precondition(!records.isEmpty, "a cell needs a row: call beginRow first")
    cells.append(cell)
    records[records.count - 1].cellCount += 1
  }

  private mutating func pack(_ kind: Kind, _ value: UnsafeRawBufferPointer) -> PackedCell {
    let packed = PackedCell(payload: UInt64(bytes.count), length: UInt32(clamping: value.count), kind: kind)
    bytes.append(contentsOf: value)
    return packed
  }

  // MARK: Convenience

  /// Inserts or replaces a row, with one cell per column.
  public mutating func upsert(_ key: RowKey, _ cells: [Cell]) {
    begin(.upsert, key)
    for cell in cells { append(cell) }
  }

  /// Changes some cells of a row: one per column, `nil` for a column that keeps its value.
  public mutating func update(_ key: RowKey, _ cells: [Cell?]) {
    begin(.update, key)
    for cell in cells {
      if let cell { append(cell) } else { appendUnchanged() }
    }
  }

  /// Deletes a row.
  public mutating func delete(_ key: RowKey) { begin(.delete, key) }

  /// Moves a row directly before another one in the source's order, or to the end.
  public mutating func move(_ key: RowKey, before other: RowKey?) {
    begin(.move, key)
    switch other {
    case nil: appendNull()
    case .integer(let value): append(integer: value)
    case .text(let value): append(.text(value))
    }
  }

  /// Reports invalid data for a row.
  public mutating func reject(_ key: RowKey, _ reason: String) {
    begin(.reject, key)
    append(.text(reason))
  }

  /// Reports rows that were dropped because their key was unreadable.
  public mutating func noteUnnamedRejections(_ count: Int, _ reason: String) {
    let (sum, overflow) = unnamedRejections.addingReportingOverflow(count)
    unnamedRejections = overflow ? .max : sum
    unnamedRejection = reason
  }

  /// Returns a changeset that replaces the whole list.
  ///
  /// The engine computes the difference by key.
  public static func reload(_ rows: [(RowKey, [Cell])]) -> Changeset {
    var changes = Changeset()
    changes.beginsReload = true
    changes.endsReload = true
    for (key, cells) in rows { changes.upsert(key, cells) }
    return changes
  }

  private mutating func begin(_ verb: Verb, _ key: RowKey) {
    switch key {
    case .integer(let value): beginRow(verb, key: value)
    case .text(var value): value.withUTF8 { beginRow(verb, textKey: UnsafeRawBufferPointer($0)) }
    }
  }

  /// Appends a cell of any type.
  public mutating func append(_ cell: Cell) {
    switch cell {
    case .null: appendNull()
    case .integer(let value): append(integer: value)
    case .number(let value): append(number: value)
    case .boolean(let value): append(boolean: value)
    case .timestamp(let value): append(timestamp: value)
    case .text(var value): value.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
    case .image(var value): value.withUTF8 { append(image: UnsafeRawBufferPointer($0)) }
    case .series(let value): value.withUnsafeBufferPointer { append(series: $0) }
    }
  }
}
