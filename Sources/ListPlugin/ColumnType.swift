/// What kind of value a column holds. Every column may also hold nothing.
public enum ColumnType: UInt32, Sendable {
  // The numbers of `enum list_type`; a test compares them.

  /// 64-bit whole numbers.
  case integer = 2
  /// 64-bit floating-point numbers.
  case number = 3
  /// UTF-8 texts.
  case text = 4
  /// Yes or no.
  case boolean = 5
  /// Nanoseconds since 1970.
  case timestamp = 6
  /// Keys of images.
  case image = 7
  /// Short runs of numbers.
  case series = 8
}
