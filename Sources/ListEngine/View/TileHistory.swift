/// A ring of a tile's values at whole seconds, from a minute ago to the current second.
struct TileHistory {
  /// The distance of two samples.
  private static let interval: Duration = .seconds(1)
  /// The number of samples: both ends of a minute.
  private static let greatestCount = 61
  /// The distance of two values of a course, in samples.
  private static let step = 3

  private var ring: [Cell] = []
  /// The index of the oldest sample once the ring is full.
  private var oldest = 0
  private var lastAt: Instant

  /// Creates a history that begins with this value.
  init(_ value: Cell, at now: Instant) {
    ring = [value]
    lastAt = now
  }

  /// Samples a value for each second that has passed since the last sample.
  ///
  /// - Complexity: O(1); at most 61 samples are written.
  mutating func advance(to now: Instant, with value: Cell) {
    // After the clock has gone back, the next second begins at once.
    guard now >= lastAt else { return lastAt = now }
    let passed = lastAt.duration(to: now).nanoseconds / Self.interval.nanoseconds
    lastAt = lastAt.advanced(by: .nanoseconds(passed * Self.interval.nanoseconds))
    for _ in 0..<min(passed, Int64(Self.greatestCount)) { append(value) }
  }

  private mutating func append(_ value: Cell) {
    guard ring.count == Self.greatestCount else { return ring.append(value) }
    ring[oldest] = value
    oldest = (oldest + 1) % Self.greatestCount
  }

  private func sample(_ index: Int) -> Cell { ring[(oldest + index) % ring.count] }

  /// Returns the report of a tile with this value.
  ///
  /// - Complexity: O(1).
  func report(_ value: Cell) -> TileReport {
    guard ring.contains(where: { $0 != value }) else { return TileReport(value) }
    let end = ring.count - 1
    // The points keep their distance to the current second.
    var course = stride(from: end % Self.step, through: end, by: Self.step).map { sample($0).asNumber }
    course.append(value.asNumber)
    return TileReport(value, before: sample(0), seconds: end, course: course)
  }
}

extension Cell {
  /// The value as a number, timestamps in milliseconds; `nil` for other cells.
  fileprivate var asNumber: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .timestamp(let nanoseconds): Double(nanoseconds) / 1e6
    default: nil
    }
  }
}
