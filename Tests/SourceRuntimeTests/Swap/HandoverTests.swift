import ListEngine
import Testing

@testable import SourceRuntime

/// The time at which a new instance takes over, and the events that clients then see.
@Suite struct HandoverTests {
  private static let schema = Schema(name: "jobs", key: .integer, columns: [Column("name", .text)])
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func at(_ milliseconds: Int) -> Instant { start.advanced(by: .milliseconds(milliseconds)) }

  private func rows(_ keys: ClosedRange<Int64>, begins: Bool = false, ends: Bool = false) -> SourceEvent {
    var changes = Changeset()
    changes.beginsReload = begins
    changes.endsReload = ends
    for key in keys { changes.upsert(.integer(key), [.text("\(key)")]) }
    return .changes(changes)
  }

  private func changes(_ events: [SourceEvent]) -> [Changeset] {
    events.compactMap { if case .changes(let changes) = $0 { changes } else { nil } }
  }

  @Test func `takes over at the end of the reload`() {
    var handover = Handover(at: start)
    #expect(handover.take(.schema(Self.schema), at: at(0)) == .wait)
    #expect(handover.take(rows(1...2, begins: true), at: at(1)) == .wait)
    #expect(handover.take(.state(.live, message: ""), at: at(1)) == .wait)
    #expect(handover.advance(to: at(2_000)) == .wait, "a list that has begun is waited for")
    #expect(handover.take(rows(3...3, ends: true), at: at(2_001)) == .ready)
    let reported = changes(handover.takeEvents(isInsideReload: false))
    #expect(reported.map(\.beginsReload) == [true, false])
    #expect(reported.map(\.endsReload) == [false, true])
    #expect(reported.map(\.abandonsReload) == [false, false])
  }

  @Test func `takes over with the schema of a remote table`() {
    var schema = Self.schema
    schema.windowed = WindowedCapabilities()
    var handover = Handover(at: start)
    #expect(handover.take(.schema(schema), at: at(0)) == .ready)
    let reported = handover.takeEvents(isInsideReload: false)
    #expect(reported.contains { if case .sourceChanged = $0 { true } else { false } })
    #expect(changes(reported).isEmpty)
  }

  @Test func `takes over 500 ms after the last row outside a reload`() {
    var handover = Handover(at: start)
    #expect(handover.take(rows(1...1), at: at(0)) == .wait)
    #expect(handover.take(rows(2...2), at: at(400)) == .wait)
    #expect(handover.deadline == at(900))
    #expect(handover.advance(to: at(899)) == .wait)
    #expect(handover.advance(to: at(900)) == .ready)
    let reported = changes(handover.takeEvents(isInsideReload: true))
    #expect(reported.map(\.beginsReload) == [true, false], "told as a list, so that what is gone goes")
    #expect(reported.map(\.endsReload) == [false, true])
    #expect(reported.map(\.abandonsReload) == [true, false])
  }

  @Test func `takes over after three seconds of continuous rows`() {
    var handover = Handover(at: start)
    for number in 1...29 {
      #expect(handover.take(rows(1...1), at: at(number * 100)) == .wait)
      #expect(handover.advance(to: at(number * 100)) == .wait)
    }
    #expect(handover.deadline == at(3_100))
    #expect(handover.take(rows(1...1), at: at(3_090)) == .wait)
    #expect(handover.advance(to: at(3_100)) == .ready)
    // An instance that has begun a reload must end it.
    var list = Handover(at: start)
    #expect(list.take(rows(1...1, begins: true), at: at(0)) == .wait)
    #expect(list.take(rows(2...2), at: at(3_000)) == .wait)
    #expect(list.advance(to: at(4_000)) == .wait)
  }

  @Test func `takes over when a program completes after sending rows`() {
    var handover = Handover(at: start)
    #expect(handover.take(.state(.live, message: "Complete"), at: at(0)) == .wait, "no rows have come yet")
    #expect(handover.take(rows(1...1), at: at(1)) == .wait)
    #expect(handover.take(.state(.live, message: "Complete"), at: at(2)) == .ready)
  }

  @Test func `takes over new columns with their list, schema first`() {
    let other = Schema(name: "jobs", key: .text, columns: [Column("title", .text)])
    var handover = Handover(at: start)
    #expect(handover.take(.schema(other), at: at(0)) == .wait, "columns without a list would be an empty table")
    #expect(handover.take(rows(1...1, begins: true, ends: true), at: at(1)) == .ready)
    guard case .schema(other)? = handover.takeEvents(isInsideReload: false).first else {
      Issue.record("rows come before their columns")
      return
    }
  }

  @Test(arguments: [SourceState.stale, .backingOff, .failed, .disabled])
  func `refuses an instance that reports a failure`(
    _ state: SourceState
  ) {
    var handover = Handover(at: start)
    #expect(handover.take(rows(1...1, begins: true), at: at(0)) == .wait)
    #expect(
      handover.take(.state(state, message: "exited with code 1"), at: at(1))
        == .refused("exited with code 1"))
  }

  @Test func `a refusal after silence includes the last message`() {
    var handover = Handover(at: start)
    #expect(handover.take(.state(.starting, message: "line 1: it has no “id”"), at: at(0)) == .wait)
    #expect(
      handover.advance(to: at(30_000))
        == .refused("it has sent no complete list for 30 seconds: line 1: it has no “id”"))
  }

  @Test func `refuses an instance after 30 seconds of silence`() {
    var handover = Handover(at: start)
    #expect(handover.take(rows(1...1, begins: true), at: at(20_000)) == .wait)
    #expect(handover.deadline == at(50_000))
    #expect(handover.advance(to: at(49_999)) == .wait)
    #expect(
      handover.advance(to: at(50_000)) == .refused("it has sent no complete list for 30 seconds"))
  }

  @Test func `takes over before the end of an oversized list`() {
    var handover = Handover(at: start)
    var large = Changeset()
    large.beginsReload = true
    large.upsert(.integer(1), [.text(String(repeating: "x", count: Handover.greatestBytes + 1))])
    #expect(handover.take(.changes(large), at: at(0)) == .ready)
    #expect(changes(handover.takeEvents(isInsideReload: false)).map(\.endsReload) == [false])
  }
}
