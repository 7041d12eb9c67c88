/// What one table may hold. A row that would go beyond is rejected, with the limit in its reason; the others are taken.
///
/// The engine's own ``Limits`` hold for every table: the lower bound counts.
///
/// Bytes are counted by a rule that anyone can follow, not by what the engine happens to need: a row weighs 32 bytes, 8 for each
/// column, and its key 8 when it is a number. Texts, keys of images, series (8 for each number) and text keys weigh their bytes
/// besides, as often as rows hold them, though the engine stores what is repeated only once.
public struct TableLimits: Hashable, Codable, Sendable {
  /// How many rows; `nil` for the engine's own limit.
  public var rows: Int?
  /// How many bytes; `nil` for the engine's own limit.
  public var bytes: Int?

  /// The engine's own limits, unless told otherwise.
  public init(rows: Int? = nil, bytes: Int? = nil) {
    self.rows = rows
    self.bytes = bytes
  }
}
