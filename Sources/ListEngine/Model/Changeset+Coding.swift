/// The reason why bytes do not decode to a changeset.
public enum ChangesetError: Error, Hashable, Sendable {
  /// The input is truncated or too long.
  case wrongLength
  /// The row with this number, or one of its cells, is invalid.
  case badRow(Int)
}

/// The binary form of a changeset, used by recordings.
///
/// All integers are little-endian. The layout is:
/// 1. the flags (1 byte): 1 begins a reload, 2 ends it, 4 abandons it
/// 2. the number of rows, of cells, of payload bytes, of unnamed rejections, and the length of the
///    rejections' reason (8 bytes each)
/// 3. for each row: the verb (1), the number of cells (4) and the key (13)
/// 4. the cells (13 each)
/// 5. the payload bytes, then the reason
///
/// A key or cell is its kind (1), length (4) and payload (8).
extension Changeset: Codable {
  /// The changeset in binary form.
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

  /// Decodes the output of ``encoded``.
  ///
  /// The input is untrusted: invalid bytes throw, and no read goes out of bounds.
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

  /// Decodes a changeset written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    try self.init(decoding: [UInt8](from: decoder))
  }

  /// Encodes the changeset as an array of bytes, one by one.
  ///
  /// For many rows ``encoded`` is faster.
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

  /// Reads the number of elements of the given size.
  ///
  /// Fails if the input is too short to hold them.
  mutating func count(each size: Int) -> Int? {
    guard let value = integer(UInt64.self), let count = Int(exactly: value), size == 0 || count <= source.count / size
    else {
      return nil
    }
    return count
  }

  /// Reads a key or cell whose payload lies within the first `limit` payload bytes.
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
