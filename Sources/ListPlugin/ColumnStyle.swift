/// How a page is to draw a column.
public enum ColumnStyle: UInt32, Sendable {
  // The numbers of `enum list_style`; a test compares them.

  /// The value as it is.
  case plain = 0
  /// The value with a bar behind it; a full bar is 100 when the unit is `%`.
  case bar = 1
  /// A coloured label.
  case badge = 2
  /// A number of bytes, with a unit.
  case bytes = 3
  /// A number of seconds, as a length of time.
  case duration = 4
  /// A timestamp, as the time since.
  case age = 5
  /// A picture.
  case image = 6
  /// A small line chart.
  case sparkline = 7
  /// A link to an http or https address.
  case link = 8
}
