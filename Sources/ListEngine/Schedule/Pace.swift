/// The flush interval of one session: the requested one, or longer while acknowledgements are slow.
///
/// Intervals are rounded up to a few classes, so that sessions of one class flush together and
/// share their patches.
struct Pace {
  /// The classes, in milliseconds.
  static let classes: [Int64] = [
    0, 16, 33, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 30_000, 60_000,
  ]
  /// The delay above which an acknowledgement counts as slow, unless the interval is longer.
  static let patience: Duration = .milliseconds(100)
  /// The number of consecutive fast acknowledgements that shrink the interval by one class.
  static let fastRun = 4

  private var requestedClass: Int
  private var currentClass: Int
  private var fastCount = 0

  /// Creates a pace with the smallest class of at least this interval.
  init(requested: Duration) {
    requestedClass = Self.class(for: requested)
    currentClass = requestedClass
  }

  /// The current interval.
  var interval: Duration { .milliseconds(Self.classes[currentClass]) }

  /// Sets the interval requested by the client.
  mutating func request(_ requested: Duration) {
    requestedClass = Self.class(for: requested)
    currentClass = requestedClass
    fastCount = 0
  }

  /// Adapts the interval to an acknowledgement received `delay` after its patch was sent.
  mutating func noteAcknowledgement(after delay: Duration) {
    if delay > max(interval, Self.patience) {
      currentClass = min(currentClass + 1, Self.classes.count - 1)
      fastCount = 0
    } else if currentClass > requestedClass && delay * 2 <= max(interval, Self.patience) {
      fastCount += 1
      guard fastCount == Self.fastRun else { return }
      currentClass -= 1
      fastCount = 0
    } else {
      fastCount = 0
    }
  }

  private static func `class`(for interval: Duration) -> Int {
    classes.firstIndex { .milliseconds($0) >= interval } ?? classes.count - 1
  }
}
