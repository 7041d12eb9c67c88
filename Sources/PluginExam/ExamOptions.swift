import ListEngine
import ProcessSource

/// The options of an ``Exam``.
package struct ExamOptions: Sendable {
  /// The plugin's settings.
  package var settings: [String: String] = [:]
  /// The minimum level that the plugin must reach.
  package var level = 0
  /// The longest silence before the first list is complete.
  package var patience: Duration = .seconds(10)
  /// The longest time for an answer, and for exiting after the standard input was closed.
  package var answer: Duration = .seconds(5)
  /// The longest time for exiting after SIGTERM.
  ///
  /// A host then kills the process.
  package var termination = SupervisionPolicy().terminationGrace
  /// The time for which the plugin is watched after its first list.
  package var watch: Duration = .seconds(1)
  /// The time for which the plugin's output is not read, and for which the plugin is stopped.
  package var stall: Duration = .milliseconds(500)
  /// The silence after which the plugin is considered to have sent everything.
  package var quiet: Duration = .milliseconds(300)
  /// The longest time for receiving a list without an end.
  package var longestList: Duration = .seconds(60)
  /// The collators for the languages of columns.
  package var collators: @Sendable (String, Bool) -> (any Collator)? = { _, _ in nil }

  /// Creates the default options.
  package init() {}
}
