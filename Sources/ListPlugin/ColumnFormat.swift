/// The text form of a column's numbers or times.
///
///     Column("year", .integer, format: .plain)
///     Column("price", .number, format: .grouped(decimals: 2))
///     Column("at", .timestamp, format: .time(decimals: 3))
///
/// Without a number of decimals, a value shows as many as it has.
public struct ColumnFormat: Hashable, Sendable {
  /// The value of `list_column_presentation.format`.
  let text: String

  /// Digits without thousands separators: years, ports, process ids.
  public static let plain = ColumnFormat(text: "plain")
  /// Digits with thousands separators.
  public static let grouped = ColumnFormat(text: "grouped")
  /// The day of a timestamp.
  public static let date = ColumnFormat(text: "date")
  /// The day and the time of a timestamp.
  public static let dateTime = ColumnFormat(text: "datetime")
  /// The time of day of a timestamp.
  public static let time = ColumnFormat(text: "time")

  /// Returns digits without thousands separators and with a fixed number of decimals, 0 to 15.
  public static func plain(decimals: Int) -> ColumnFormat { ColumnFormat(text: "plain.\(decimals)") }
  /// Returns digits with thousands separators and a fixed number of decimals, 0 to 15.
  public static func grouped(decimals: Int) -> ColumnFormat { ColumnFormat(text: "grouped.\(decimals)") }
  /// Returns the day and the time of a timestamp with a fixed number of decimals, 0 to 9.
  public static func dateTime(decimals: Int) -> ColumnFormat { ColumnFormat(text: "datetime.\(decimals)") }
  /// Returns the time of day of a timestamp with a fixed number of decimals, 0 to 9.
  public static func time(decimals: Int) -> ColumnFormat { ColumnFormat(text: "time.\(decimals)") }
}

/// The direction in which a column's numbers improve.
public enum BetterDirection: UInt32, Sendable {
  // The values of `enum list_better`; a test compares them.

  /// A greater number is better.
  case higher = 1
  /// A smaller number is better.
  case lower = 2
}
