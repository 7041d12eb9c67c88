/// The way a client draws a column.
public enum ColumnStyle: UInt32, Sendable {
  // The values of `enum list_style`; a test compares them.

  /// The value as text.
  case plain = 0
  /// The value over a bar; with the unit `%`, 100 is a full bar.
  case bar = 1
  /// A coloured label.
  case badge = 2
  /// A number of bytes, with a unit.
  case bytes = 3
  /// A duration, from a number of seconds.
  case duration = 4
  /// The time since a timestamp.
  case age = 5
  /// An image.
  case image = 6
  /// A small line chart.
  case sparkline = 7
  /// A link to an http or https address.
  case link = 8
}
