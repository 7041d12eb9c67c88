import Foundation

/// Times of many runs, in seconds.
struct Figures {
  private(set) var seconds: [Double] = []

  /// None yet. Room for so many is really there from the beginning, so that keeping them does not count as memory of what is measured.
  init(reserving count: Int = 0) {
    seconds = [Double](repeating: 0, count: count)
    seconds.removeAll(keepingCapacity: true)
  }

  /// Runs `body` and keeps how long it took.
  mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    seconds.append((clock.now - start) / .seconds(1))
    return result
  }

  /// Keeps a time that was measured elsewhere.
  mutating func add(_ time: Double) { seconds.append(time) }

  var total: Double { seconds.reduce(0, +) }

  /// In milliseconds, with the names that the peers' scripts use.
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

/// Prints one JSON object on a line of its own.
func emit(_ fields: [String: Any]) throws {
  let data = try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
  FileHandle.standardOutput.write(data + Data([10]))
}

/// How long this thread has really run, in seconds: what is left of a time when others use the machine as well.
func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The memory of this process that is really there, in bytes.
func residentBytes() throws -> Int {
  let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
  let pages = text.split(separator: " ").compactMap { Int($0) }
  precondition(pages.count > 1, "/proc/self/statm says \(text)")
  return pages[1] * Int(getpagesize())
}
