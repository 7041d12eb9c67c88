import Foundation
import ListEngine

/// The answer of a windowed table's source to a ``QueryCall``.
///
/// The encoding is the length of a head in JSON (4 bytes, little-endian), the head, and the rows as
/// a changeset in the binary form of a recording.
enum QueryAnswer {
  case rows(RowBlock)
  case sections([SectionCount])
  case failed(String)

  private struct Head: Codable {
    var sections: [SectionCount]?
    var failed: String?
    var hasMore: Bool?
    var count: Int?
    var isCountEstimated: Bool?
    var begin: BlockCursor?
    var end: BlockCursor?
  }

  /// The answer as bytes.
  var encoded: [UInt8] {
    var head = Head()
    var rows: [UInt8] = []
    switch self {
    case .rows(let block):
      head.hasMore = block.hasMore
      (head.count, head.isCountEstimated) = (block.count, block.isCountEstimated)
      (head.begin, head.end) = (block.begin, block.end)
      var changes = Changeset()
      for row in block.rows { changes.upsert(row.key, row.cells) }
      rows = changes.encoded
    case .sections(let sections): head.sections = sections
    case .failed(let reason): head.failed = reason
    }
    let json = CallCoding.bytes(head)
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(json.count))
    return bytes + json + rows
  }

  /// Decodes an answer; `nil` if the bytes are invalid.
  init?(decoding bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    let length = Int(bytes.littleEndian(UInt32.self, at: 0))
    guard length <= bytes.count - 4, let head: Head = CallCoding.decoded(Array(bytes[4..<4 + length])) else {
      return nil
    }
    if let sections = head.sections {
      self = .sections(sections)
    } else if let reason = head.failed {
      self = .failed(reason)
    } else if let hasMore = head.hasMore, let changes = try? Changeset(decoding: Array(bytes[(4 + length)...])) {
      var rows: [RowBlock.Row] = []
      changes.forEachRow { rows.append(($0.key, $0.cells.map { $0 ?? .null })) }
      self = .rows(
        RowBlock(
          rows, hasMore: hasMore, count: head.count, isCountEstimated: head.isCountEstimated ?? false,
          begin: head.begin, end: head.end))
    } else {
      return nil
    }
  }

  /// The event that gives the answer to an engine.
  func event(_ id: BlockRequestID) -> SourceEvent {
    switch self {
    case .rows(let block): .page(id, block)
    case .sections(let sections): .sections(id, sections)
    case .failed(let reason): .pageFailed(id, reason: reason)
    }
  }
}
