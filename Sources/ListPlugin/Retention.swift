/// The rows that a table keeps.
///
/// The oldest rows are removed first, as if the source had deleted them.
public enum Retention: Hashable, Sendable {
  /// All rows.
  case everything
  /// This many of the newest rows, at least 1.
  case last(Int)
  /// Rows inserted within this time, which is more than zero.
  case recent(Duration)

  /// The value of `list_schema.keep_rows`.
  var rows: UInt64 { if case .last(let rows) = self { UInt64(clamping: max(1, rows)) } else { 0 } }

  /// The value of `list_schema.keep_nanoseconds`.
  var nanoseconds: UInt64 {
    guard case .recent(let time) = self else { return 0 }
    let (seconds, attoseconds) = time.components
    let (whole, overflow) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : max(1, whole + UInt64(clamping: attoseconds / 1_000_000_000))
  }
}
