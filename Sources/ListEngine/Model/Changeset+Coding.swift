/// Why bytes are no changeset.
public enum ChangesetError: Error, Hashable, Sendable {
  /// They end in the middle of something, or go on behind the end.
  case wrongLength
  /// The row with this number, or one of its cells, cannot be.
  case badRow(Int)
}

/// A changeset as bytes and back: what recordings keep.
///
/// The layout, all numbers little-endian: flags (1 byte: 1 the list begins, 2 it ends), how many rows, cells and bytes (8 each), the unnamed
/// rejections (8) and the length of their reason (8); then of each row verb (1), its number of cells (4) and its key; then the cells. A
/// key or cell is its kind (1), length (4) and payload (8). Then the bytes of texts, and the reason.
extension Changeset: Codable {
  /// Its bytes.
  ///
  /// - Complexity: O(rows + cells + bytes).
  public var encoded: [UInt8] {
    let reason = Array(unnamedRejection.utf8)
    var writer = ByteWriter()
    writer.bytes.reserveCapacity(41 + records.count * 18 + cells.count * 13 + bytes.count + reason.count)
    writer.put(UInt8((beginsReload ? 1 : 0) | (endsReload ? 2 : 0) | (abandonsReload ? 4 : 0)))
    for count in [records.count, cells.count, bytes.count, unnamedRejections, reason.count] {
      writer.put(UInt64(count))
    }
    for record in records {
      writer.put(record.verb.rawValue)
      writer.put(UInt32(record.cellCount))
      writer.put(record.key)
    }
    for cell in cells { writer.put(cell) }
    writer.bytes += bytes
    writer.bytes += reason
    return writer.bytes
  }

  /// Reads what ``encoded`` wrote. Nothing is believed: bytes that no changeset has are refused, and never read beyond.
  ///
  /// - Complexity: O(bytes).
  public init(decoding encoded: [UInt8]) throws(ChangesetError) {
    var reader = ByteReader(encoded)
    guard let flags = reader.byte(), flags < 8, let rows = reader.count(each: 18),
      let cellCount = reader.count(each: 13),
      let byteCount = reader.count(each: 1), let rejections = reader.count(each: 0),
      let reasonLength = reader.count(each: 1),
      reader.rest == rows * 18 + cellCount * 13 + byteCount + reasonLength
    else { throw .wrongLength }
    self.init()
    beginsReload = flags & 1 != 0
    endsReload = flags & 2 != 0
    abandonsReload = flags & 4 != 0
    var records: [Record] = []
    records.reserveCapacity(rows)
    var first = 0
    for row in 0..<rows {
      guard let verb = reader.byte().flatMap(Verb.init), let count = reader.integer(UInt32.self),
        count <= cellCount - first,
        let key = reader.cell(below: byteCount), key.kind == .integer || key.kind == .text
      else { throw .badRow(row) }
      records.append(Record(key: key, firstCell: first, cellCount: Int32(count), verb: verb))
      first += Int(count)
    }
    guard first == cellCount else { throw .wrongLength }
    var cells: [PackedCell] = []
    cells.reserveCapacity(cellCount)
    for (row, record) in records.enumerated() {
      for _ in 0..<record.cellCount {
        guard let cell = reader.cell(below: byteCount) else { throw .badRow(row) }
        cells.append(cell)
      }
    }
    self.records = records
    self.cells = cells
    bytes = reader.bytes(byteCount)
    noteUnnamedRejections(rejections, String(decoding: reader.bytes(reasonLength), as: UTF8.self))
  }

  /// Reads a changeset that was written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    try self.init(decoding: [UInt8](from: decoder))
  }

  /// Writes the changeset as its bytes, one by one: for few rows. Whoever writes many takes ``encoded``.
  public func encode(to encoder: any Encoder) throws { try encoded.encode(to: encoder) }
}

private struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ cell: Changeset.PackedCell) {
    put(cell.kind.rawValue)
    put(cell.length)
    put(cell.payload)
  }
}

private struct ByteReader {
  private let source: [UInt8]
  private var place = 0

  init(_ source: [UInt8]) { self.source = source }

  var rest: Int { source.count - place }

  mutating func byte() -> UInt8? { integer(UInt8.self) }

  mutating func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
    let size = MemoryLayout<Value>.size
    guard rest >= size else { return nil }
    defer { place += size }
    return source.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Value.self)) }
  }

  /// How many things of so many bytes follow somewhere; never more than there are bytes for.
  mutating func count(each size: Int) -> Int? {
    guard let value = integer(UInt64.self), let count = Int(exactly: value), size == 0 || count <= source.count / size
    else {
      return nil
    }
    return count
  }

  /// A key or cell that lies within so many bytes of texts.
  mutating func cell(below limit: Int) -> Changeset.PackedCell? {
    guard let kind = byte().flatMap(Changeset.Kind.init), let length = integer(UInt32.self),
      let payload = integer(UInt64.self)
    else { return nil }
    switch kind {
    case .text, .image, .series:
      guard payload <= UInt64(limit), UInt64(length) <= UInt64(limit) - payload else { return nil }
      guard kind != .series || length % 8 == 0 else { return nil }
    case .number:
      guard Double(bitPattern: payload).isFinite else { return nil }
    case .boolean:
      guard payload <= 1 else { return nil }
    case .null, .unchanged: return Changeset.PackedCell(payload: 0, length: 0, kind: kind)
    case .integer, .timestamp: break
    }
    return Changeset.PackedCell(payload: payload, length: length, kind: kind)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { place += count }
    return Array(source[place..<place + count])
  }
}
