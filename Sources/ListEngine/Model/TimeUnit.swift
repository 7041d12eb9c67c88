/// A unit of the calendar.
public enum TimeUnit: String, CaseIterable, Codable, Sendable {
  /// Sixty seconds.
  case minute
  /// Sixty minutes.
  case hour
  /// The day from midnight.
  case day
  /// Seven days from Monday.
  case week
  /// The month of the Gregorian calendar.
  case month
  /// The year of the Gregorian calendar.
  case year
}
