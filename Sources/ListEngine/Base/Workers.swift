/// The threads that may work for the engine during a call of it.
///
/// The engine hands them parts that write to different places. Its outputs therefore do not depend
/// on their number, order or speed.
///
///     Workers(count: 2) { DispatchQueue.concurrentPerform(iterations: $0, execute: $1) }
public struct Workers: Sendable {
  /// Calls a body for each number below a count, in any order and on any threads, and returns when
  /// all calls have returned.
  public typealias Run = @Sendable (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

  /// The number of threads.
  public let count: Int
  /// The number of rows below which the engine does not share the work.
  let leastRows: Int
  let run: Run

  /// One worker: the caller's thread.
  public static let caller = Workers(count: 1) { count, body in for number in 0..<count { body(number) } }

  /// Creates workers.
  ///
  /// - Precondition: The count is positive.
  public init(count: Int, _ run: @escaping Run) { self.init(count: count, leastRows: 8_192, run) }

  package init(count: Int, leastRows: Int, _ run: @escaping Run) {
    precondition(count > 0, "\(count) workers")
    (self.count, self.leastRows, self.run) = (count, leastRows, run)
  }
}
