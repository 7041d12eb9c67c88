/// A filter for programs that print a summary above each table: `top -b` and `iostat`.
struct SummaryFilter {
  private enum Program { case top, sysstat }
  private var program: Program?
  private var hasBegun = false
  /// Whether lines of a summary follow.
  private var isAbove = false

  /// Returns whether a line belongs to the summary, or is blank between the tables of `top`.
  mutating func skips(_ line: UnsafeRawBufferPointer) -> Bool {
    guard !hasBegun || program != nil else { return false }
    let isBlank = !line.contains { $0 > 0x20 }
    if !hasBegun, !isBlank {
      hasBegun = true
      if line.starts(with: "top - ".utf8) { program = .top }
      if line.starts(with: "Linux ".utf8), String(decoding: line, as: UTF8.self).hasSuffix("CPU)") {
        program = .sysstat
        return true
      }
    }
    switch program {
    case nil: return false
    case .top:
      if line.starts(with: "top - ".utf8) { isAbove = true }
      if isAbove, String(decoding: line, as: UTF8.self).contains("PID ") { isAbove = false }
      return isAbove || isBlank
    case .sysstat:
      // The averages of all processors are two lines above the devices.
      let isAverage = line.starts(with: "avg-cpu:".utf8)
      defer { if !isBlank { isAbove = isAverage } }
      return isAverage || isAbove
    }
  }
}
