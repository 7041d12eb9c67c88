extension Schema {
  /// The greatest number of replacements that a shared generation counts before it wraps around.
  static let greatestReplacement = 1 << 12 - 1

  /// Returns the first generation of a table whose row identifiers are shared by several engines.
  ///
  /// It depends on the columns and the seed alone, so that a client notices when it moves to an
  /// engine whose table has other columns. Its last 12 bits are 0: they count the table's
  /// replacements, so that no replacement keeps the generation.
  func sharedGeneration(seed: UInt64) -> Int {
    var text = key.rawValue
    for column in columns { text += "\u{0}\(column.name)\u{0}\(column.type.rawValue)" }
    let hash = text.withUTF8 { BytesHash(seed: seed).hash(UnsafeRawBufferPointer($0)) }
    return Int(hash >> 11) & ~Self.greatestReplacement
  }
}
