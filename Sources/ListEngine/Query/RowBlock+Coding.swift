extension RowBlock: Codable {
  private struct Written: Codable {
    var keys: [RowKey]
    var cells: [[Cell]]
    var hasMore: Bool
    var count: Int?
    /// Absent if false, so that recordings from before this member can be read.
    var isCountEstimated: Bool?
    var begin: BlockCursor?
    var end: BlockCursor?
  }

  /// Decodes a block written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    let written = try Written(from: decoder)
    guard written.keys.count == written.cells.count else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "\(written.keys.count) keys of \(written.cells.count) rows")
      )
    }
    self.init(
      zip(written.keys, written.cells).map { ($0, $1) }, hasMore: written.hasMore, count: written.count,
      isCountEstimated: written.isCountEstimated ?? false, begin: written.begin, end: written.end)
  }

  /// Encodes the block so that decoding returns an equal one.
  public func encode(to encoder: any Encoder) throws {
    try Written(
      keys: rows.map(\.key), cells: rows.map(\.cells), hasMore: hasMore, count: count,
      isCountEstimated: isCountEstimated ? true : nil, begin: begin, end: end
    ).encode(to: encoder)
  }
}
