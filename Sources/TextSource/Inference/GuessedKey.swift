import ListEngine

/// The set of row keys seen so far, for validating an inferred key.
///
/// Keys are stored as 64-bit hashes, at 8 to 16 bytes per row. A hash collision counts as a
/// repeated key. It invalidates the inferred key but never loses a row.
struct GuessedKey {
  /// The number of rows after which the inferred key is abandoned and rows are numbered.
  static let mostRows = 1 << 20
  private var hashes: Set<Int> = []

  /// Whether the set accepts no more keys.
  var isFull: Bool { hashes.count >= Self.mostRows }

  /// Adds a key.
  ///
  /// - Returns: Whether the key is new.
  mutating func insert(_ key: RowKey) -> Bool { hashes.insert(key.hashValue).inserted }

  /// Returns whether the key was added.
  func contains(_ key: RowKey) -> Bool { hashes.contains(key.hashValue) }

  /// Removes all keys, because the list is reloaded.
  mutating func forget() { hashes.removeAll(keepingCapacity: true) }
}
