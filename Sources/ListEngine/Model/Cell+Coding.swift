extension Cell: Codable {
  /// The encoded form.
  ///
  /// Numbers are encoded as bit patterns, so that they round-trip exactly.
  private enum Written: Codable {
    case null
    case integer(Int64)
    case number(UInt64)
    case text(String)
    case boolean(Bool)
    case timestamp(Int64)
    case image(String)
    case series([UInt64])
  }

  /// Decodes a cell written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    switch try Written(from: decoder) {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .number(let bits): self = .number(Double(bitPattern: bits))
    case .text(let value): self = .text(value)
    case .boolean(let value): self = .boolean(value)
    case .timestamp(let value): self = .timestamp(value)
    case .image(let value): self = .image(value)
    case .series(let bits): self = .series(bits.map(Double.init(bitPattern:)))
    }
  }

  /// Encodes the cell so that decoding returns exactly the same bits.
  public func encode(to encoder: any Encoder) throws {
    let written: Written =
      switch self {
      case .null: .null
      case .integer(let value): .integer(value)
      case .number(let value): .number(value.bitPattern)
      case .text(let value): .text(value)
      case .boolean(let value): .boolean(value)
      case .timestamp(let value): .timestamp(value)
      case .image(let value): .image(value)
      case .series(let values): .series(values.map(\.bitPattern))
      }
    try written.encode(to: encoder)
  }
}
