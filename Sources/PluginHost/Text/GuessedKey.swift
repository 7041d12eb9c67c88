import ListEngine

/// Keys that rows have had, kept as 64-bit hashes: 8 to 16 bytes a row. Two keys with one hash count as a repeat, which costs the
/// guess and never a row.
struct GuessedKey {
  /// After so many rows a guess is not checked any more, and rows are numbered.
  static let mostRows = 1 << 20
  private var hashes: Set<Int> = []

  /// Whether no further key can be noted.
  var isFull: Bool { hashes.count >= Self.mostRows }

  /// Notes a key.
  ///
  /// - Returns: Whether it is new.
  mutating func insert(_ key: RowKey) -> Bool { hashes.insert(key.hashValue).inserted }

  /// Whether the key was noted.
  func contains(_ key: RowKey) -> Bool { hashes.contains(key.hashValue) }

  /// Forgets all keys: a list is read again from its beginning.
  mutating func forget() { hashes.removeAll(keepingCapacity: true) }
}
