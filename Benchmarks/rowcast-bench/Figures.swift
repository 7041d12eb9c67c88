import Foundation

/// Measured times in seconds.
struct Figures {
  private(set) var seconds: [Double] = []

  /// Creates an empty list. Its memory is touched in advance, so that it does not count as memory
  /// of the measured code.
  init(reserving count: Int = 0) {
    seconds = [Double](repeating: 0, count: count)
    seconds.removeAll(keepingCapacity: true)
  }

  /// Runs `body` and records its duration.
  mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    seconds.append((clock.now - start) / .seconds(1))
    return result
  }

  /// Records a duration measured elsewhere.
  mutating func add(_ time: Double) { seconds.append(time) }

  var total: Double { seconds.reduce(0, +) }

  /// The statistics in milliseconds, with the names used by the peers' scripts.
  var milliseconds: [String: Any] {
    let sorted = seconds.sorted()
    func percentile(_ share: Double) -> Double {
      let place = Double(sorted.count - 1) * share
      let below = Int(place)
      let above = min(below + 1, sorted.count - 1)
      return (sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))) * 1000
    }
    func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
    return [
      "n": sorted.count, "p50": rounded(percentile(0.5)), "p99": rounded(percentile(0.99)),
      "mean": rounded(total / Double(sorted.count) * 1000), "max": rounded((sorted.last ?? 0) * 1000),
    ]
  }
}

/// Prints a JSON object on its own line.
func emit(_ fields: [String: Any]) throws {
  let data = try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
  FileHandle.standardOutput.write(data + Data([10]))
}

/// Returns the CPU time of this thread in seconds, which excludes the waiting for other processes.
func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the resident memory of this process in bytes.
func residentBytes() throws -> Int {
  let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
  let pages = text.split(separator: " ").compactMap { Int($0) }
  precondition(pages.count > 1, "/proc/self/statm says \(text)")
  return pages[1] * Int(getpagesize())
}
