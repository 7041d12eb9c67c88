/// A filter for programs that print a summary above each table: `top -b` and `iostat`.
struct SummaryFilter {
  private enum Program { case top, sysstat }
  private var program: Program?
  private var hasBegun = false
  private var hasTable = false
  /// Whether lines of a summary follow.
  private var isAbove = false

  /// The averages of processors that were skipped, while no table has followed them.
  private(set) var averages: [(line: String, number: Int)] = []

  /// Returns the averages of processors if they are all that `iostat -c` has printed so far; later
  /// ones are not skipped then.
  mutating func takeAverages() -> [(line: String, number: Int)] {
    guard !averages.isEmpty else { return [] }
    defer { averages = [] }
    program = nil
    return averages
  }

  /// Returns whether a line belongs to the summary, or is blank between the tables of `top`.
  mutating func skips(_ line: UnsafeRawBufferPointer, _ number: Int) -> Bool {
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
      let isSkipped = isAverage || isAbove
      if !isBlank {
        isAbove = isAverage
        if !isSkipped { hasTable = true }
        if hasTable { averages = [] } else { averages.append((String(decoding: line, as: UTF8.self), number)) }
      }
      return isSkipped
    }
  }
}
