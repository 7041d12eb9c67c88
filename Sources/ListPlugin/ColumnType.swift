/// The type of a column's values. Every column may also contain null.
public enum ColumnType: UInt32, Sendable {
  // The values of `enum list_type`; a test compares them.

  /// 64-bit integers.
  case integer = 2
  /// 64-bit floating-point numbers.
  case number = 3
  /// UTF-8 texts.
  case text = 4
  /// Booleans.
  case boolean = 5
  /// Nanoseconds since 1970-01-01T00:00Z.
  case timestamp = 6
  /// Keys of images.
  case image = 7
  /// Short series of numbers, for sparklines.
  case series = 8
}
