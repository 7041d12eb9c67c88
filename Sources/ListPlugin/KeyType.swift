/// What kind of key a table's rows have.
public enum KeyType: Sendable {
  /// 64-bit whole numbers.
  case integer
  /// UTF-8 texts.
  case text
}
