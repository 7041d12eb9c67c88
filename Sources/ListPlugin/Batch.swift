import CListPlugin

/// A reusable buffer of rows to send to the host.
///
///     var batch = Batch(.upsert, columns: 3)
///     batch.add(key: 7, "seven", 7.0, true)        // the key, then one value per column
///     try host.push(batch)
///     batch.removeAll()                            // keeps the memory
///
/// A source with a high row rate can write cell by cell, with texts directly into the buffer. This
/// allocates nothing per cell:
///
///     batch.beginRow(key: 7)
///     batch.append(textOfAtMost: 16) { buffer in ... ; return count }
///     batch.append(number: 7)
///     batch.append(boolean: true)
///
/// ``ListHost/push(_:reload:)`` throws an error for a batch in which a row has the wrong number of
/// cells.
public struct Batch: ~Copyable {
  /// The operation that the batch applies to its rows.
  public let verb: Verb
  /// The number of cells of each row.
  public let columns: Int

  /// The number of rows.
  public var count: Int { rowCount }
  /// Whether the batch has no rows.
  public var isEmpty: Bool { rowCount == 0 }

  // Raw memory in the layout of `list_cell`, written as three words by offset.
  @usableFromInline var keys: UnsafeMutableRawPointer
  @usableFromInline var rowCount = 0
  @usableFromInline var rowCapacity: Int
  @usableFromInline var cells: UnsafeMutableRawPointer
  @usableFromInline var cellCount = 0
  @usableFromInline var cellCapacity: Int

  // Texts are stored in blocks that never move, because cells point into them.
  @usableFromInline var blocks: [UnsafeMutableRawBufferPointer] = []
  @usableFromInline var block = 0
  @usableFromInline var place: UnsafeMutableRawPointer?
  @usableFromInline var room = 0
  @usableFromInline var fault: String?

  @usableFromInline static var blockSize: Int { 64 * 1024 }

  /// Creates an empty batch for rows of this many columns.
  public init(_ verb: Verb, columns: Int, reserving rows: Int = 64) {
    precondition(columns >= 0 && rows >= 0, "a batch cannot have \(columns) columns and \(rows) rows")
    self.verb = verb
    self.columns = columns
    rowCapacity = max(rows, 1)
    cellCapacity = max(rows * columns, 1)
    keys = .allocate(byteCount: rowCapacity * 16, alignment: 16)
    cells = .allocate(byteCount: cellCapacity * 16, alignment: 16)
  }

  deinit {
    keys.deallocate()
    cells.deallocate()
    for block in blocks { block.deallocate() }
  }

  /// Removes all rows and keeps the memory.
  public mutating func removeAll() {
    rowCount = 0
    cellCount = 0
    fault = nil
    block = 0
    place = blocks.first?.baseAddress
    room = blocks.first?.count ?? 0
  }

  // MARK: A whole row

  /// Adds a row: its key and one value per column.
  @inlinable
  public mutating func add<each Value: CellValue>(key: some KeyValue, _ values: repeat each Value) {
    key.beginRow(of: &self)
    repeat (each values).append(to: &self)
  }

  // MARK: Cell by cell

  /// Starts a row with an integer key.
  @inlinable
  public mutating func beginRow(key: Int64) {
    beginRow(LIST_INTEGER, 0, UInt64(bitPattern: key))
  }

  /// Starts a row with a text key, which is copied.
  @inlinable
  public mutating func beginRow(textKey: some StringProtocol) {
    let (start, length) = copy(textKey)
    beginRow(LIST_TEXT, length, start)
  }

  /// Adds a null cell.
  @inlinable
  public mutating func appendNull() { append(LIST_NULL, 0, 0) }
  /// Adds a cell that keeps its value; only for updates.
  @inlinable
  public mutating func appendUnchanged() { append(LIST_UNCHANGED, 0, 0) }
  /// Adds a whole number.
  @inlinable
  public mutating func append(integer value: Int64) { append(LIST_INTEGER, 0, UInt64(bitPattern: value)) }
  /// Adds a number. A value that is not finite counts as null.
  @inlinable
  public mutating func append(number value: Double) { append(LIST_NUMBER, 0, value.bitPattern) }
  /// Adds a Boolean.
  @inlinable
  public mutating func append(boolean value: Bool) { append(LIST_BOOLEAN, 0, value ? 1 : 0) }
  /// Adds a timestamp in nanoseconds since 1970-01-01T00:00Z.
  @inlinable
  public mutating func append(timestamp value: Int64) { append(LIST_TIMESTAMP, 0, UInt64(bitPattern: value)) }

  /// Adds a text, which is copied.
  @inlinable
  public mutating func append(text value: some StringProtocol) {
    let (start, length) = copy(value)
    append(LIST_TEXT, length, start)
  }

  /// Adds a UTF-8 text, which is copied.
  @inlinable
  public mutating func append(text value: UnsafeRawBufferPointer) {
    append(LIST_TEXT, UInt32(clamping: value.count), copy(value))
  }

  /// Adds a string literal without copying it.
  @inlinable
  public mutating func append(constant value: StaticString) {
    if value.hasPointerRepresentation {
      append(LIST_TEXT, UInt32(value.utf8CodeUnitCount), UInt64(UInt(bitPattern: value.utf8Start)))
    } else {
      append(text: value.description)
    }
  }

  /// Adds a text that `write` stores as UTF-8 in the buffer that it receives.
  ///
  /// `write` returns the number of bytes that it has written.
  @inlinable
  public mutating func append(textOfAtMost capacity: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
    let start = reserve(capacity)
    let length = min(max(write(UnsafeMutableRawBufferPointer(start: start, count: capacity)), 0), capacity)
    take(length)
    append(LIST_TEXT, UInt32(truncatingIfNeeded: length), UInt64(UInt(bitPattern: start)))
  }

  /// Adds an image key, which is copied.
  public mutating func append(image value: some StringProtocol) {
    let (start, length) = copy(value)
    append(LIST_IMAGE, length, start)
  }

  /// Adds a series, for a sparkline. The numbers are copied.
  public mutating func append(series value: UnsafeBufferPointer<Double>) {
    append(LIST_SERIES, UInt32(clamping: value.count), copy(UnsafeRawBufferPointer(value)))
  }

  // MARK: Inside

  /// The reason why the batch is invalid; nil if it is valid.
  var mistake: String? {
    if let fault { return fault }
    guard cellCount != rowCount * columns else { return nil }
    return "the last row has \(cellCount - (rowCount - 1) * columns) cells instead of \(columns)"
  }

  @inlinable
  mutating func beginRow(_ type: list_type, _ length: UInt32, _ payload: UInt64) {
    if _slowPath(cellCount != rowCount * columns) { noteFault() }
    if _slowPath(rowCount == rowCapacity) { growRows() }
    store(keys + rowCount * 16, type, length, payload)
    rowCount += 1
  }

  @inlinable
  mutating func append(_ type: list_type, _ length: UInt32, _ payload: UInt64) {
    if _slowPath(cellCount == cellCapacity) { growCells() }
    store(cells + cellCount * 16, type, length, payload)
    cellCount += 1
  }

  @inlinable
  func store(_ place: UnsafeMutableRawPointer, _ type: list_type, _ length: UInt32, _ payload: UInt64) {
    place.storeBytes(of: type.rawValue, as: UInt32.self)
    place.storeBytes(of: length, toByteOffset: 4, as: UInt32.self)
    place.storeBytes(of: payload, toByteOffset: 8, as: UInt64.self)
  }

  @usableFromInline
  mutating func noteFault() {
    if fault == nil { fault = "row \(rowCount - 1) does not have \(columns) cells, as the schema says" }
    // Fills or cuts the row, so that the error names this row and later ones are aligned.
    while cellCount < rowCount * columns { appendNull() }
    cellCount = rowCount * columns
  }

  @usableFromInline
  mutating func growRows() {
    keys = Self.grown(keys, from: rowCapacity, to: rowCapacity * 2)
    rowCapacity *= 2
  }

  @usableFromInline
  mutating func growCells() {
    cells = Self.grown(cells, from: cellCapacity, to: cellCapacity * 2)
    cellCapacity *= 2
  }

  private static func grown(
    _ old: UnsafeMutableRawPointer, from count: Int, to capacity: Int
  ) -> UnsafeMutableRawPointer {
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity * 16, alignment: 16)
    new.copyMemory(from: old, byteCount: count * 16)
    old.deallocate()
    return new
  }

  @inlinable
  mutating func copy(_ value: some StringProtocol) -> (start: UInt64, length: UInt32) {
    if let fast = value.utf8.withContiguousStorageIfAvailable({ (copy(UnsafeRawBufferPointer($0)), $0.count) }) {
      return (fast.0, UInt32(clamping: fast.1))
    }
    return copySlowly(String(value))
  }

  @usableFromInline
  mutating func copySlowly(_ value: String) -> (start: UInt64, length: UInt32) {
    var value = value
    return value.withUTF8 { (copy(UnsafeRawBufferPointer($0)), UInt32(clamping: $0.count)) }
  }

  @inlinable
  mutating func copy(_ value: UnsafeRawBufferPointer) -> UInt64 {
    let start = reserve(value.count)
    if let base = value.baseAddress { start.copyMemory(from: base, byteCount: value.count) }
    take(value.count)
    return UInt64(UInt(bitPattern: start))
  }

  /// Returns space for this many contiguous bytes.
  @inlinable
  mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if _fastPath(count <= room), let place { return place }
    return openBlock(count)
  }

  /// Consumes this many of the reserved bytes, rounded up to 8 because series need that alignment.
  @inlinable
  mutating func take(_ count: Int) {
    let padded = min((count + 7) & ~7, room)
    place = place.map { $0 + padded }
    room -= padded
  }

  @usableFromInline
  mutating func openBlock(_ count: Int) -> UnsafeMutableRawPointer {
    while block + 1 < blocks.count {
      block += 1
      if blocks[block].count >= count { return enter(block) }
    }
    blocks.append(.allocate(byteCount: max(count, Self.blockSize), alignment: 16))
    block = blocks.count - 1
    return enter(block)
  }

  private mutating func enter(_ index: Int) -> UnsafeMutableRawPointer {
    place = blocks[index].baseAddress
    room = blocks[index].count
    return blocks[index].baseAddress!
  }
}
