/// Which rows a table keeps by itself; the others go as if the source had deleted them, the one that came first goes first.
public enum Retention: Hashable, Sendable {
  /// All of them.
  case everything
  /// The last so many, at least 1.
  case last(Int)
  /// Those that came in this time, more than zero.
  case recent(Duration)

  /// As `list_schema.keep_rows` has it.
  var rows: UInt64 { if case .last(let rows) = self { UInt64(clamping: max(1, rows)) } else { 0 } }

  /// As `list_schema.keep_nanoseconds` has it.
  var nanoseconds: UInt64 {
    guard case .recent(let time) = self else { return 0 }
    let (seconds, attoseconds) = time.components
    let (whole, overflow) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : max(1, whole + UInt64(clamping: attoseconds / 1_000_000_000))
  }
}
