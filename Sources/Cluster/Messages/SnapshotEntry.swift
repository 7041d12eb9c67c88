import Foundation

/// The description of a table's newest whole snapshot, stored in the key-value store.
struct SnapshotEntry: Codable, Hashable {
  /// The table's name.
  var table: String
  /// The place of the table among those of its publisher.
  var position: Int
  /// The fencing number of the publisher that wrote it.
  var fence: UInt64
  /// The last part of the subject of the chunks.
  var id: String
  /// The number of its first chunk in the stream of snapshots.
  var first: UInt64
  /// The number of chunks.
  var chunks: UInt64
  /// The number of the last message of the table's stream whose changes it contains.
  var sequence: UInt64
  /// The time at which it was written, in nanoseconds since 1970.
  var time: Int64
  /// The digest of the messages up to `sequence`; `nil` from an older publisher.
  var digest: UInt32? = nil
  /// The part of the table; `nil` if the table is not split.
  var part: TablePart? = nil

  /// The entry as bytes.
  var encoded: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(self) else { preconditionFailure("encoding \(self) as JSON failed") }
    return Array(data)
  }
}

extension SnapshotEntry {
  /// Decodes an entry; `nil` if the bytes are invalid.
  init?(decoding bytes: [UInt8]) {
    guard let entry = try? JSONDecoder().decode(SnapshotEntry.self, from: Data(bytes)) else { return nil }
    self = entry
  }
}
