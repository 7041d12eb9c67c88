import ListEngine

/// A plugin that is examined: something that is told lines, says lines, and can be stopped and ended.
///
/// Used on one thread.
protocol PluginUnderTest: AnyObject {
  /// The moment by a clock that all but stands still while it, or the exam, waits for a processor: see ``ExamClock``.
  var now: Instant { get }
  /// How it has ended; `nil` while it runs.
  var exit: Supervisor.Exit? { get }
  /// What it has written to its log since the last call.
  func takeLog() -> [String]
  /// Hands it bytes; what it does not take within the time is dropped.
  func say(_ bytes: [UInt8], within bound: Duration)
  /// Says that there is no more to hear.
  func closeInput()
  /// Waits for output and reads it. `nil`: nothing came. Empty: nothing more will come.
  func read(atMost count: Int, within bound: Duration) -> [UInt8]?
  /// Asks it to end, for all the world the last time.
  func terminate()
  /// Ends it in the middle of whatever it does.
  func kill()
  /// Holds it, or lets it go on, as if the whole machine had slept.
  func hold(_ isHeld: Bool)
  /// Lets it go when it has ended; the number of processes that it has left behind.
  func reap() -> Int
}

/// What starts an ``PluginUnderTest`` anew.
typealias PluginUnderTestMaker = @Sendable (_ pipeBytes: Int32) throws -> any PluginUnderTest
