/// The maximum size of one table.
///
/// Rows that would exceed it are rejected with the limit as the reason.
///
/// The engine's ``Limits`` apply as well: the lower bound counts.
///
/// Size is measured by a fixed rule rather than by actual memory. A row weighs 32 bytes, plus 8 per
/// column, plus 8 if its key is an integer. Texts, text keys, image keys and series (8 bytes per
/// number) add their size. Repeated texts count every time, although the engine stores them once.
public struct TableLimits: Hashable, Codable, Sendable {
  /// The maximum number of rows; `nil` for the engine's limit.
  public var rows: Int?
  /// The maximum weight of all rows in bytes; `nil` for the engine's limit.
  public var bytes: Int?

  /// Creates limits, by default those of the engine.
  public init(rows: Int? = nil, bytes: Int? = nil) {
    self.rows = rows
    self.bytes = bytes
  }
}
