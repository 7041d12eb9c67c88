import Foundation
import ListEngine

/// The part of a table to which a snapshot belongs, as its entry has it.
///
/// A range without a text at an end begins or ends with all keys.
struct TablePart: Codable, Hashable {
  var key: KeyType
  var from: String?
  var to: String?
  /// The host and the process of the publisher, for messages.
  var publisher: String

  init(_ range: KeyRange, _ key: KeyType, publisher: String) {
    self.key = key
    if case .before(let first) = range.from { from = "\(first)" }
    if case .before(let end) = range.to { to = "\(end)" }
    self.publisher = publisher
  }

  /// The keys; `nil` if the texts are no range of keys of this type.
  var range: KeyRange? {
    guard from?.isEmpty != true, to?.isEmpty != true else { return nil }
    return KeyRange(from: from ?? "", to: to ?? "", of: key)
  }

  /// The name of this process, for messages of other nodes.
  static let ownPublisher = "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
}

extension SnapshotEntry {
  private enum CodingKeys: String, CodingKey {
    case table, position, fence, id, first, chunks, sequence, time, digest, part, splitTable
  }

  /// Decodes an entry. The entry of a part has the name of the table as `splitTable`.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let part = try values.decodeIfPresent(TablePart.self, forKey: .part)
    self.init(
      table: try values.decode(String.self, forKey: part == nil ? .table : .splitTable),
      position: try values.decode(Int.self, forKey: .position), fence: try values.decode(UInt64.self, forKey: .fence),
      id: try values.decode(String.self, forKey: .id), first: try values.decode(UInt64.self, forKey: .first),
      chunks: try values.decode(UInt64.self, forKey: .chunks),
      sequence: try values.decode(UInt64.self, forKey: .sequence), time: try values.decode(Int64.self, forKey: .time),
      digest: try values.decodeIfPresent(UInt32.self, forKey: .digest), part: part)
  }

  /// Encodes the entry.
  ///
  /// A relay of a version without parts requires `table`. It therefore ignores the entry of a part,
  /// which it would show as the whole table.
  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(table, forKey: part == nil ? .table : .splitTable)
    try values.encodeIfPresent(part, forKey: .part)
    try values.encode(position, forKey: .position)
    try values.encode(fence, forKey: .fence)
    try values.encode(id, forKey: .id)
    try values.encode(first, forKey: .first)
    try values.encode(chunks, forKey: .chunks)
    try values.encode(sequence, forKey: .sequence)
    try values.encode(time, forKey: .time)
    try values.encodeIfPresent(digest, forKey: .digest)
  }
}

extension SnapshotEntry {
  /// The keys of the rows; all keys if the table is not split, and `nil` if they are invalid.
  var range: KeyRange? { part.map { $0.range } ?? .everything }
}
