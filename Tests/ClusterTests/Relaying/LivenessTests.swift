import ListEngine
import Testing

@testable import Cluster

/// The states that a relay reports, by the age of its rows.
@Suite struct LivenessTests {
  private static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  /// Returns a table whose rows were read at 0 ms and whose publisher is live.
  private static func live() -> Liveness {
    var liveness = Liveness(at: at(0))
    #expect(liveness.note(.live, "all well") == nil)
    #expect(liveness.noteWhole(at: at(0)) == nil)
    #expect(
      liveness.noteSign(delayed: .zero, at: at(0)) == .init(state: .live, message: "all well", isLive: true))
    return liveness
  }

  @Test func `rows become stale 2.5 s after the newest message`() {
    var liveness = Self.live()
    #expect(liveness.noteSign(delayed: .zero, at: Self.at(1_000)) == nil)
    #expect(liveness.check(at: Self.at(3_499)) == nil)
    let report = liveness.check(at: Self.at(3_500))
    #expect(report?.state == .stale)
    #expect(report?.isLive == false)
    #expect(liveness.check(at: Self.at(9_000)) == nil)
  }

  @Test func `the next message brings the publisher's state back`() {
    var liveness = Self.live()
    #expect(liveness.check(at: Self.at(2_500))?.state == .stale)
    // The publisher's state is not reported while the rows are old.
    #expect(liveness.note(.backingOff, "it has ended") == nil)
    #expect(
      liveness.noteSign(delayed: .zero, at: Self.at(4_000))
        == .init(state: .backingOff, message: "it has ended", isLive: true))
    #expect(liveness.note(.live, "") == .init(state: .live, message: "", isLive: true))
  }

  @Test func `messages that were delayed for long leave the rows stale`() {
    var liveness = Self.live()
    #expect(liveness.noteSign(delayed: .milliseconds(3_000), at: Self.at(6_000))?.state == .stale)
    #expect(liveness.noteSign(delayed: .milliseconds(2_600), at: Self.at(6_100)) == nil)
    #expect(liveness.noteSign(delayed: .milliseconds(2_400), at: Self.at(6_200))?.state == .live)
    // The rows are those of the time at which the message was sent.
    #expect(liveness.check(at: Self.at(6_299)) == nil)
    #expect(liveness.check(at: Self.at(6_300))?.state == .stale)
  }

  @Test func `a table without rows does not become stale`() {
    var liveness = Liveness(at: Self.at(0))
    #expect(liveness.check(at: Self.at(60_000)) == nil)
    #expect(liveness.noteWhole(at: Self.at(60_000))?.state == .stale)
  }

  @Test func `rows without a later message become stale`() {
    var liveness = Liveness(at: Self.at(0))
    #expect(liveness.note(.live, "") == nil)
    #expect(liveness.noteWhole(at: Self.at(1_000)) == nil)
    #expect(liveness.check(at: Self.at(2_500))?.state == .stale)
  }

  @Test func `rows that missed a change are stale at once, until a later message`() {
    var liveness = Self.live()
    #expect(liveness.noteMissed()?.state == .stale)
    #expect(liveness.noteMissed() == nil)
    #expect(liveness.noteWhole(at: Self.at(100)) == nil)
    #expect(liveness.noteSign(delayed: .zero, at: Self.at(200))?.state == .live)
  }
}
