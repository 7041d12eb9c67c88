import ListEngine

/// A data source that sends scripted changes at scripted times.
///
///     let source = ScriptedSource(schema, script: [
///       (.zero, .reload([(.integer(1), [.text("init")])])),
///       (.seconds(1), change),
///     ])
public struct ScriptedSource: Sendable {
  /// The schema of its table.
  public let schema: Schema
  private let script: [(at: Duration, changes: Changeset)]
  private var next = 0

  /// Creates a source with changesets and their times after the start.
  ///
  /// - Precondition: The times are in ascending order.
  public init(_ schema: Schema, script: [(at: Duration, changes: Changeset)]) {
    for (earlier, later) in zip(script, script.dropFirst()) {
      precondition(earlier.at <= later.at, "a script goes back from \(earlier.at) to \(later.at)")
    }
    self.schema = schema
    self.script = script
  }

  /// The time of the next changes after the start; `nil` at the end of the script.
  public var deadline: Duration? { next < script.count ? script[next].at : nil }

  /// Returns the changes due by this time after the start.
  public mutating func take(until time: Duration) -> [Changeset] {
    let first = next
    while next < script.count && script[next].at <= time { next += 1 }
    return script[first..<next].map(\.changes)
  }
}
