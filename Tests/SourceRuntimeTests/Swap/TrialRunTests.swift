import ListEngine
import Testing

@testable import SourceRuntime

/// The outcome of a run of a source that shows nothing.
@Suite struct TrialRunTests {
  /// A source that delivers events when it starts.
  private final class Scripted: RunningSource, @unchecked Sendable {
    let reported: [SourceEvent]
    let events: @Sendable (SourceEvent) -> Bool
    /// Whether an event was refused, after which a source ends.
    private(set) var isRefused = false
    private(set) var isStopped = false

    init(_ reported: [SourceEvent], _ events: @escaping @Sendable (SourceEvent) -> Bool) {
      self.reported = reported
      self.events = events
    }

    func start() throws(PluginError) { isRefused = reported.contains { !events($0) } }

    func stop(within bound: Duration) -> Bool {
      isStopped = true
      return true
    }
  }

  private static let schema = Schema(
    name: "jobs", key: .integer, columns: [Column("name", .text), Column("state", .text)])

  private func rows(_ keys: ClosedRange<Int64>, isWhole: Bool) -> SourceEvent {
    var changes = Changeset()
    changes.beginsReload = keys.lowerBound == 1
    changes.endsReload = isWhole
    for key in keys { changes.upsert(.integer(key), [.text("\(key)"), .null]) }
    return .changes(changes)
  }

  /// Runs a source with these events, and returns it with the outcome.
  private func run(_ reported: [SourceEvent]) throws -> (TrialRun.Outcome, Scripted) {
    nonisolated(unsafe) var made: Scripted?
    let outcome = TrialRun.outcome(
      of: { events in
        let source = Scripted(reported, events)
        made = source
        return source
      }, within: .zero)
    return (outcome, try #require(made))
  }

  @Test func `a complete list succeeds and ends the source`() throws {
    let (outcome, source) = try run([
      .schema(Self.schema), rows(1...2, isWhole: false), rows(3...3, isWhole: true), rows(4...4, isWhole: false),
    ])
    #expect(outcome == .works(columns: 2, rows: 3))
    #expect(source.isRefused && source.isStopped)
  }

  @Test func `a remote table succeeds with its columns`() throws {
    var schema = Self.schema
    schema.windowed = WindowedCapabilities()
    #expect(try run([.schema(schema)]).0 == .works(columns: 2, rows: nil))
  }

  @Test func `a failed state fails the trial with its message`() throws {
    let (outcome, source) = try run([.schema(Self.schema), .state(.failed, message: "no such database")])
    #expect(outcome == .fails("no such database"))
    #expect(source.isStopped)
  }

  @Test func `a list that does not end in time fails`() throws {
    let (outcome, source) = try run([.schema(Self.schema), rows(1...2, isWhole: false)])
    #expect(outcome == .fails("it has sent no complete list for 0 seconds"))
    #expect(source.isStopped)
  }

  @Test func `an instance that throws fails with its error`() {
    let error = PluginError.badSetting(source: "jobs", key: "port", message: "not a number")
    let outcome = TrialRun.outcome(of: { _ throws(PluginError) in throw error }, within: .zero)
    #expect(outcome == .fails("\(error)"))
  }
}
