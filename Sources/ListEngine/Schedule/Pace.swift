/// The interval of one page: what it asked for, longer while its acknowledgements are slow.
///
/// Intervals fall into a few classes, so that sessions of one class are due together and share their patches.
struct Pace {
  /// The classes, in milliseconds.
  static let classes: [Int64] = [
    0, 16, 33, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 30_000, 60_000,
  ]
  /// An acknowledgement that takes longer than this and the interval is slow: the page cannot keep up.
  static let patience: Duration = .milliseconds(100)
  /// So many fast acknowledgements in a row let the interval shrink by one class.
  static let fastRun = 4

  private var askedClass: Int
  private var currentClass: Int
  private var fastCount = 0

  /// The least class of at least this interval.
  init(asked: Duration) {
    askedClass = Self.class(for: asked)
    currentClass = askedClass
  }

  /// The interval now.
  var interval: Duration { .milliseconds(Self.classes[currentClass]) }

  /// The page asks for another interval.
  mutating func ask(_ asked: Duration) {
    askedClass = Self.class(for: asked)
    currentClass = askedClass
    fastCount = 0
  }

  /// The page has acknowledged a patch `delay` after it was sent.
  mutating func noteAcknowledgement(after delay: Duration) {
    if delay > max(interval, Self.patience) {
      currentClass = min(currentClass + 1, Self.classes.count - 1)
      fastCount = 0
    } else if currentClass > askedClass && delay * 2 <= max(interval, Self.patience) {
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
