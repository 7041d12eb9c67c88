/// What a source says has changed: rows by key, in the order in which it happened.
///
///     var changes = Changeset()
///     changes.upsert(.integer(1), [.text("init"), .number(0.5)])
///     changes.delete(.integer(7))
///
/// It is flat: three buffers, however many rows and cells it has. A hot producer calls ``beginRow(_:key:)`` and then one
/// `append` per column; nothing is allocated per cell.
public struct Changeset: Sendable {
  /// What happens to a row.
  public enum Verb: UInt8, Sendable {
    /// The whole row: one cell per column. It is inserted at the end when its key is new.
    case upsert
    /// Some cells: one cell per column, ``appendUnchanged()`` where a column keeps its value. The row must exist.
    case update
    /// The row goes. No cells.
    case delete
    /// The row goes before another row of the source's own order, or to its end. One cell: that row's key, or null.
    case move
    /// The source said something about this row that cannot be: it stays as it was, and is counted. One cell: the reason, a text.
    case reject
  }

  /// What a packed cell holds.
  enum Kind: UInt8, Sendable {
    case null, unchanged, integer, number, text, boolean, timestamp, image, series
  }

  /// A cell in 16 bytes: numbers in place, texts and series as a place in `bytes`.
  struct PackedCell: Sendable {
    var payload: UInt64
    var length: UInt32
    var kind: Kind
  }

  /// A row's verb and key, and where its cells begin.
  struct Record: Sendable {
    var key: PackedCell
    var firstCell: Int
    var cellCount: Int32
    var verb: Verb
  }

  // Set by whoever reads a changeset from bytes, too.
  var records: [Record] = []
  var cells: [PackedCell] = []
  var bytes: [UInt8] = []

  /// Whether the list begins anew with this changeset: every row that is not named until ``endsReload`` is gone then.
  public var beginsReload = false
  /// Whether the whole list has been named with this changeset.
  public var endsReload = false
  /// Whether the source ended in the middle of a list that it loaded again. Rows that were named stay as they are then, the others too.
  public var abandonsReload = false

  /// How many rows were left out of it because not even their key could be read.
  public private(set) var unnamedRejections = 0
  /// Why the last of them was.
  public private(set) var unnamedRejection = ""

  /// No changes.
  public init() {}

  /// How many rows it names.
  public var count: Int { records.count }
  /// Whether it says nothing at all.
  public var isEmpty: Bool {
    records.isEmpty && !beginsReload && !endsReload && !abandonsReload && unnamedRejections == 0
  }
  /// About how many bytes of memory it takes.
  public var byteCount: Int {
    records.count * MemoryLayout<Record>.stride + cells.count * MemoryLayout<PackedCell>.stride + bytes.count
  }

  // MARK: For the hot path

  /// Makes room.
  public mutating func reserveCapacity(rows: Int, cells cellCount: Int, bytes byteCount: Int = 0) {
    records.reserveCapacity(rows)
    cells.reserveCapacity(cellCount)
    bytes.reserveCapacity(byteCount)
  }

  /// Begins a row with a number as its key; its cells follow, one `append` each.
  public mutating func beginRow(_ verb: Verb, key: Int64) {
    let packed = PackedCell(payload: UInt64(bitPattern: key), length: 0, kind: .integer)
    records.append(Record(key: packed, firstCell: cells.count, cellCount: 0, verb: verb))
  }

  /// Begins a row with a text as its key; its cells follow, one `append` each. The bytes are copied.
  public mutating func beginRow(_ verb: Verb, textKey key: UnsafeRawBufferPointer) {
    let packed = pack(.text, key)
    records.append(Record(key: packed, firstCell: cells.count, cellCount: 0, verb: verb))
  }

  /// An empty cell.
  public mutating func appendNull() { append(PackedCell(payload: 0, length: 0, kind: .null)) }
  /// A cell that keeps its value; only in an ``Verb/update``.
  public mutating func appendUnchanged() { append(PackedCell(payload: 0, length: 0, kind: .unchanged)) }
  /// A whole number.
  public mutating func append(integer value: Int64) {
    append(PackedCell(payload: UInt64(bitPattern: value), length: 0, kind: .integer))
  }
  /// A number; one that is not finite becomes null.
  public mutating func append(number value: Double) {
    if value.isFinite {
      append(PackedCell(payload: value.bitPattern, length: 0, kind: .number))
    } else {
      appendNull()
    }
  }
  /// Yes or no.
  public mutating func append(boolean value: Bool) {
    append(PackedCell(payload: value ? 1 : 0, length: 0, kind: .boolean))
  }
  /// Nanoseconds since 1970.
  public mutating func append(timestamp value: Int64) {
    append(PackedCell(payload: UInt64(bitPattern: value), length: 0, kind: .timestamp))
  }
  /// A text. The bytes are copied; whether they are UTF-8 is looked at when the changeset is applied.
  public mutating func append(text value: UnsafeRawBufferPointer) { append(pack(.text, value)) }
  /// The key of an image. The bytes are copied.
  public mutating func append(image value: UnsafeRawBufferPointer) { append(pack(.image, value)) }
  /// A run of numbers. They are copied.
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

  // MARK: For everyone else

  /// The whole row: one cell per column.
  public mutating func upsert(_ key: RowKey, _ cells: [Cell]) {
    begin(.upsert, key)
    for cell in cells { append(cell) }
  }

  /// Some cells of a row: one per column, `nil` where it keeps its value.
  public mutating func update(_ key: RowKey, _ cells: [Cell?]) {
    begin(.update, key)
    for cell in cells {
      if let cell { append(cell) } else { appendUnchanged() }
    }
  }

  /// The row goes.
  public mutating func delete(_ key: RowKey) { begin(.delete, key) }

  /// The row goes directly before another one in the source's own order, or to the end.
  public mutating func move(_ key: RowKey, before other: RowKey?) {
    begin(.move, key)
    switch other {
    case nil: appendNull()
    case .integer(let value): append(integer: value)
    case .text(let value): append(.text(value))
    }
  }

  /// The source said something about this row that cannot be.
  public mutating func reject(_ key: RowKey, _ reason: String) {
    begin(.reject, key)
    append(.text(reason))
  }

  /// Rows were left out that cannot even be named.
  public mutating func noteUnnamedRejections(_ count: Int, _ reason: String) {
    let (sum, overflow) = unnamedRejections.addingReportingOverflow(count)
    unnamedRejections = overflow ? .max : sum
    unnamedRejection = reason
  }

  /// The whole list again; the engine finds the difference by key.
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

  /// Any cell.
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
