import ListEngine
import Wire

/// A 16-byte digest of an engine's outputs at one moment.
///
/// Equal digests mean equal outputs, except with a probability of 2^−64: the same messages to the
/// same clients in the same order, and the same requests to the same sources.
struct AnswerDigest: Hashable {
  /// The number of outputs.
  private(set) var count = 0
  /// The hash of all outputs.
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Creates the digest of no outputs.
  init() {}

  /// Creates a digest from its stored values.
  init(count: Int, value: UInt64) {
    self.count = count
    self.value = value
  }

  /// Creates the digest of some outputs.
  init(_ outputs: [Output], epoch: String) {
    for output in outputs { add(output, epoch: epoch) }
  }

  private mutating func add(_ output: Output, epoch: String) {
    count += 1
    switch output {
    case .deliver(let id, let delivery):
      fold(1, id.rawValue)
      fold(ServerMessage.delivery(delivery, epoch: epoch).encoded)
    case .status(let id, let table, let status):
      fold(2, id.rawValue)
      fold(ServerMessage.status(table: table, status).encoded)
    case .waiting(let id, let waiting):
      fold(7, id.rawValue)
      fold(ServerMessage.waiting(waiting).encoded)
    case .tiles(let id, let reports):
      fold(10, id.rawValue)
      fold(ServerMessage.tiles(reports).encoded)
    case .facets(let id, let reports):
      fold(11, id.rawValue)
      fold(ServerMessage.facets(reports).encoded)
    case .pins(let id, let reports):
      fold(12, id.rawValue)
      fold(ServerMessage.pins(reports).encoded)
    case .tables(let tables):
      fold(3, 0)
      fold(ServerMessage.tables(tables).encoded)
    case .refuse(let id, let refusal):
      fold(4, id.rawValue)
      fold(ServerMessage.refused(refusal).encoded)
    case .load(let table, let cells):
      fold(5, UInt64(table.rawValue))
      for cell in cells { fold(cell) }
    case .cancel(let table, let cells):
      fold(6, UInt64(table.rawValue))
      for cell in cells { fold(cell) }
    case .ask(let table, let requests):
      fold(8, UInt64(table.rawValue))
      // Requests contain no sets, so equal requests have equal descriptions in every run.
      for request in requests { fold(Array("\(request)".utf8)) }
    case .cancelBlocks(let table, let requests):
      fold(9, UInt64(table.rawValue))
      for request in requests { fold(Array("\(request)".utf8)) }
    }
  }

  private mutating func fold(_ cell: DeferredCell) {
    fold(UInt64(cell.column), 0)
    fold(Array(cell.key.description.utf8))
  }

  private mutating func fold(_ first: UInt64, _ second: UInt64) {
    fold(first)
    fold(second)
  }

  private mutating func fold(_ word: UInt64) {
    // Multiplication only carries bits upwards; the shift mixes high bits back into low ones.
    value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
    value = value &>> 29 ^ value
  }

  private mutating func fold(_ bytes: [UInt8]) {
    fold(UInt64(bytes.count))
    bytes.withUnsafeBytes { buffer in
      var place = 0
      while place + 8 <= buffer.count {
        fold(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        place += 8
      }
      var last: UInt64 = 0
      while place < buffer.count {
        last = last << 8 | UInt64(buffer[place])
        place += 1
      }
      fold(last)
    }
  }
}
