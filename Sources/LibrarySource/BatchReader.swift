import CListPlugin
import ListEngine

/// Splits one batch of a plugin into changesets of bounded size.
///
///     var reader = try BatchReader(batch, schema: schema, isReloading: false)
///     while let part = reader.next() { deliver(part) }
///
/// Every pointer and length from the plugin is checked before it is used. A malformed batch is
/// refused as a whole. A row with a malformed key or cell is left out, and the other rows are
/// accepted. The engine checks whether cells fit their columns.
struct BatchReader {
  /// The reason why a batch is refused as a whole.
  struct Fault: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Whether the plugin is inside a reload after this batch.
  let isReloadingAfter: Bool
  /// The number of rows left out so far.
  private(set) var rejected = 0
  /// The reason for leaving out the first rejected row, including the row's name or position.
  private(set) var firstRejection: String?

  private let verb: Changeset.Verb
  private let beginsReload: Bool
  private let endsReload: Bool
  private let keys: UnsafeRawPointer
  private let cells: UnsafeRawPointer
  private let rowCount: Int
  private let columnCount: Int
  private let schema: Schema
  private let keyType: UInt32
  private let byteLimit = Limits().cellBytes
  private var row = 0
  private var isAtEnd: Bool

  /// Validates the batch as a whole.
  ///
  /// The plugin's buffers must stay unchanged until the last part has been returned.
  init(_ pointer: UnsafePointer<list_batch>?, schema: Schema, isReloading: Bool) throws(Fault) {
    guard let pointer else { throw Fault("the batch is NULL") }
    let size = Int(pointer.pointer(to: \.size)!.pointee)
    guard size >= MemoryLayout<list_batch>.size else {
      throw Fault("list_batch.size is \(size), at least \(MemoryLayout<list_batch>.size) is needed")
    }
    let batch = pointer.pointee
    let wanted: Int
    switch batch.verb {
    case LIST_UPSERT.rawValue: (verb, wanted) = (.upsert, schema.columns.count)
    case LIST_UPDATE.rawValue: (verb, wanted) = (.update, schema.columns.count)
    case LIST_DELETE.rawValue: (verb, wanted) = (.delete, 0)
    case LIST_MOVE.rawValue: (verb, wanted) = (.move, 1)
    default: throw Fault("list_batch.verb is \(batch.verb), which is not a verb")
    }
    guard batch.flags & ~LIST_RELOAD.rawValue == 0 else {
      throw Fault("list_batch.flags is \(batch.flags), which holds a flag that this version does not have")
    }
    guard batch.flags == 0 || verb == .upsert else { throw Fault("only LIST_UPSERT may have the flags of a reload") }
    beginsReload = batch.flags & LIST_RELOAD_BEGIN.rawValue != 0
    endsReload = batch.flags & LIST_RELOAD_END.rawValue != 0
    guard !endsReload || beginsReload || isReloading else {
      throw Fault("LIST_RELOAD_END without a LIST_RELOAD_BEGIN before it")
    }
    isReloadingAfter = endsReload ? false : (beginsReload || isReloading)

    // 2^40 rows do not fit in memory, so a larger count is an uninitialized length.
    guard batch.row_count <= 1 << 40 else {
      throw Fault("list_batch.row_count is \(batch.row_count), which is out of range")
    }
    rowCount = Int(batch.row_count)
    columnCount = wanted
    if rowCount > 0 {
      guard batch.column_count == wanted else {
        throw Fault("list_batch.column_count is \(batch.column_count); \(wanted) is what the verb and the schema want")
      }
      guard batch.keys != nil else { throw Fault("list_batch.keys is NULL") }
      guard wanted == 0 || batch.cells != nil else { throw Fault("list_batch.cells is NULL") }
    }
    // The pointers are never read when there are no rows, so any valid address is good enough.
    let nowhere = UnsafeRawPointer(pointer)
    keys = rowCount > 0 ? UnsafeRawPointer(batch.keys) : nowhere
    cells = rowCount > 0 && wanted > 0 ? UnsafeRawPointer(batch.cells) : nowhere
    guard (UInt(bitPattern: keys) | UInt(bitPattern: cells)) % UInt(MemoryLayout<list_cell>.alignment) == 0 else {
      throw Fault("keys and cells must be aligned as struct list_cell is")
    }
    self.schema = schema
    keyType = schema.key == .integer ? LIST_INTEGER.rawValue : LIST_TEXT.rawValue
    isAtEnd = rowCount == 0 && batch.flags == 0
  }

  /// Returns the next part, or nil when all parts have been returned.
  mutating func next() -> Changeset? {
    guard !isAtEnd else { return nil }
    var part = Changeset()
    part.beginsReload = beginsReload && row == 0

    // Two passes: the first finds malformed rows and the space needed. The second then never has to
    // undo a row or grow a buffer.
    let first = row
    var bad: [Int] = []
    var bytes = 0
    while row < rowCount, row - first < SourceEvent.partRows, bytes < SourceEvent.partBytes {
      if let size = byteCount(ofRow: row) { bytes += size } else { bad.append(row) }
      row += 1
    }
    part.reserveCapacity(rows: row - first, cells: (row - first) * columnCount, bytes: bytes)
    var start = first
    for end in bad {
      append(start..<end, to: &part)
      reject(end, in: &part)
      start = end + 1
    }
    append(start..<row, to: &part)
    noteRejected(bad)
    isAtEnd = row == rowCount
    part.endsReload = endsReload && isAtEnd
    return part
  }

  // MARK: Checking

  /// Returns the number of bytes of text and series in a row, or nil when its key or a cell is
  /// malformed.
  private func byteCount(ofRow row: Int) -> Int? {
    let key = FlatCell(keys, row)
    guard key.type == keyType, var total = key.byteCount(limit: byteLimit) else { return nil }
    let base = row * columnCount
    for column in 0..<columnCount {
      guard let size = FlatCell(cells, base + column).byteCount(limit: byteLimit) else { return nil }
      total += size
    }
    return total
  }

  private mutating func noteRejected(_ rows: [Int]) {
    guard let first = rows.first else { return }
    rejected += rows.count
    if firstRejection == nil { firstRejection = reason(forRow: first) }
  }

  /// Adds a rejected row to the part.
  ///
  /// The engine counts it and does not treat its key as deleted by a reload.
  private func reject(_ row: Int, in part: inout Changeset) {
    let key = FlatCell(keys, row)
    guard key.type == keyType, key.fault(limit: byteLimit) == nil else {
      return part.noteUnnamedRejections(1, reason(forRow: row))
    }
    if keyType == LIST_INTEGER.rawValue {
      part.beginRow(.reject, key: key.integer)
    } else {
      part.beginRow(.reject, textKey: key.bytes(key.length))
    }
    part.append(.text(fault(ofRow: row)))
  }

  /// Describes the malformed key or cell of a rejected row.
  private func reason(forRow row: Int) -> String {
    let key = FlatCell(keys, row)
    if key.type != keyType {
      let wanted = schema.key == .integer ? "LIST_INTEGER" : "LIST_TEXT"
      return "row \(row) of the batch: its key has type \(key.type), the schema wants \(wanted) (\(keyType))"
    }
    if let fault = key.fault(limit: byteLimit) { return "row \(row) of the batch: its key \(fault)" }
    let name =
      key.type == LIST_INTEGER.rawValue
      ? "\(key.integer)" : "'\(String(decoding: key.bytes(key.length).prefix(80), as: UTF8.self))'"
    return "row \(name): \(fault(ofRow: row))"
  }

  /// Describes the first malformed cell of a row with a readable key.
  private func fault(ofRow row: Int) -> String {
    for column in 0..<columnCount {
      guard let fault = FlatCell(cells, row * columnCount + column).fault(limit: byteLimit) else { continue }
      let place = verb == .move ? "the row it goes before" : "column '\(schema.columns[column].name)'"
      return "\(place) \(fault)"
    }
    preconditionFailure("row \(row) of the batch was rejected for nothing")
  }

  // MARK: Copying

  private func append(_ rows: Range<Int>, to part: inout Changeset) {
    for row in rows {
      let key = FlatCell(keys, row)
      if keyType == LIST_INTEGER.rawValue {
        part.beginRow(verb, key: key.integer)
      } else {
        part.beginRow(verb, textKey: key.bytes(key.length))
      }
      let base = row * columnCount
      for column in 0..<columnCount {
        let cell = FlatCell(cells, base + column)
        switch cell.type {
        case LIST_UNCHANGED.rawValue: part.appendUnchanged()
        case LIST_INTEGER.rawValue: part.append(integer: cell.integer)
        case LIST_NUMBER.rawValue: part.append(number: Double(bitPattern: cell.payload))
        case LIST_TEXT.rawValue: part.append(text: cell.bytes(cell.length))
        case LIST_BOOLEAN.rawValue: part.append(boolean: cell.payload != 0)
        case LIST_TIMESTAMP.rawValue: part.append(timestamp: cell.integer)
        case LIST_IMAGE.rawValue: part.append(image: cell.bytes(cell.length))
        case LIST_SERIES.rawValue: part.append(series: cell.numbers)
        default: part.appendNull()
        }
      }
    }
  }
}
