import ListEngine
import ProcessSource

/// A plugin under test, which exchanges lines with the exam and can be stopped and ended.
///
/// Used on one thread only.
protocol PluginUnderTest: AnyObject {
  /// The time of a clock that hardly advances while the plugin or the exam waits for a processor;
  /// see ``ExamClock``.
  var now: Instant { get }
  /// The exit status, or `nil` while the plugin runs.
  var exit: Supervisor.Exit? { get }
  /// Returns the log lines since the last call.
  func takeLog() -> [String]
  /// Writes bytes to the plugin.
  ///
  /// Bytes that it does not accept in time are dropped.
  func send(_ bytes: [UInt8], within bound: Duration)
  /// Closes the plugin's input.
  func closeInput()
  /// Waits for output and reads it.
  ///
  /// Returns `nil` after the timeout, and an empty array at the end of the output.
  func read(atMost count: Int, within bound: Duration) -> [UInt8]?
  /// Asks the plugin to end, like SIGTERM.
  func terminate()
  /// Kills the plugin at once.
  func kill()
  /// Stops or continues the plugin, as if the whole machine were suspended.
  func hold(_ isHeld: Bool)
  /// Reaps the ended plugin; returns the number of processes that it has left behind.
  func reap() -> Int
}

/// Starts a new instance of the plugin under test.
typealias PluginUnderTestMaker = @Sendable (_ pipeBytes: Int32) throws -> any PluginUnderTest
