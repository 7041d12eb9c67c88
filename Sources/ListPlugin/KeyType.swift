/// The type of a table's keys.
public enum KeyType: Sendable {
  /// 64-bit integers.
  case integer
  /// UTF-8 texts.
  case text
}
