import ListEngine

/// A data source whose changes are written down beforehand, each at its time.
///
///     let source = ScriptedSource(schema, script: [
///       (.zero, .reload([(.integer(1), [.text("init")])])),
///       (.seconds(1), change),
///     ])
public struct ScriptedSource: Sendable {
  /// What it says about its table.
  public let schema: Schema
  private let script: [(at: Duration, changes: Changeset)]
  private var next = 0

  /// A source that says each changeset at its time after the start.
  ///
  /// - Precondition: The times ascend.
  public init(_ schema: Schema, script: [(at: Duration, changes: Changeset)]) {
    for (earlier, later) in zip(script, script.dropFirst()) {
      precondition(earlier.at <= later.at, "a script goes back from \(earlier.at) to \(later.at)")
    }
    self.schema = schema
    self.script = script
  }

  /// When it has something to say next, after its start; `nil` when it has said everything.
  public var deadline: Duration? { next < script.count ? script[next].at : nil }

  /// What it has to say by this time after its start.
  public mutating func take(until time: Duration) -> [Changeset] {
    let first = next
    while next < script.count && script[next].at <= time { next += 1 }
    return script[first..<next].map(\.changes)
  }
}
