import ListEngine
import Testing

@testable import Cluster

/// The lease of a publisher, without a server.
@Suite struct LeaseTests {
  private static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private static func see(_ lease: inout Lease, _ entry: Lease.Entry, at milliseconds: Int64) -> Lease.Step {
    lease.see(entry, asked: at(milliseconds), at: at(milliseconds))
  }

  private static var held: Lease {
    var lease = Lease()
    lease.take(7, sent: at(0))
    return lease
  }

  @Test func `a key that does not exist is created after a look`() {
    var lease = Lease()
    #expect(lease.step(at: Self.at(0)) == .look)
    #expect(Self.see(&lease, .none, at: 1) == .create)
    lease.take(7, sent: Self.at(1))
    #expect(lease.fence(at: Self.at(2)) == 7)
  }

  @Test func `the revision of the first write is the fence of all renewals`() {
    var lease = Self.held
    #expect(lease.step(at: Self.at(299)) == .wait)
    #expect(lease.step(at: Self.at(300)) == .write(7))
    lease.take(9, sent: Self.at(300))
    #expect(lease.fence(at: Self.at(400)) == 7)
    #expect(lease.step(at: Self.at(600)) == .write(9))
  }

  @Test func `the holder stops before another publisher may take the key`() {
    let lease = Self.held
    #expect(lease.fence(at: Self.at(1_699)) == 7)
    #expect(lease.fence(at: Self.at(1_700)) == nil)
  }

  @Test func `the key of another holder is taken after two seconds unchanged`() {
    var lease = Lease()
    #expect(Self.see(&lease, .other(5), at: 100) == .wait)
    #expect(Self.see(&lease, .other(5), at: 2_099) == .wait)
    #expect(Self.see(&lease, .other(5), at: 2_100) == .write(5))
    lease.take(8, sent: Self.at(2_100))
    #expect(lease.fence(at: Self.at(2_101)) == 8)
  }

  @Test func `a renewal of the holder begins the two seconds again`() {
    var lease = Lease()
    #expect(Self.see(&lease, .other(5), at: 100) == .wait)
    #expect(Self.see(&lease, .other(6), at: 2_050) == .wait)
    #expect(Self.see(&lease, .other(6), at: 4_049) == .wait)
    #expect(Self.see(&lease, .other(6), at: 4_050) == .write(6))
  }

  @Test func `a standby that was paused looks again before it takes the key`() {
    var lease = Lease()
    #expect(Self.see(&lease, .other(5), at: 100) == .wait)
    // The read was sent before the pause and its answer came after it.
    #expect(lease.see(.other(5), asked: Self.at(150), at: Self.at(60_000)) == .wait)
    #expect(Self.see(&lease, .other(5), at: 60_200) == .write(5))
  }

  @Test func `a standby that loses the race waits for two seconds more`() {
    var lease = Lease()
    _ = Self.see(&lease, .other(5), at: 0)
    #expect(Self.see(&lease, .other(5), at: 2_000) == .write(5))
    lease.refuse(at: Self.at(2_001))
    #expect(lease.step(at: Self.at(2_200)) == .wait)
    #expect(lease.step(at: Self.at(2_201)) == .look)
    #expect(Self.see(&lease, .other(6), at: 2_201) == .wait)
    #expect(lease.fence(at: Self.at(2_201)) == nil)
  }

  @Test func `a key that was given up is taken at once`() {
    var lease = Lease()
    #expect(Self.see(&lease, .free(5), at: 0) == .write(5))
  }

  @Test func `a paused holder takes its own key again with a new fence`() {
    var lease = Self.held
    #expect(lease.step(at: Self.at(10_000)) == .look)
    #expect(lease.fence(at: Self.at(10_000)) == nil)
    #expect(Self.see(&lease, .own(7), at: 10_000) == .write(7))
    lease.take(12, sent: Self.at(10_000))
    #expect(lease.fence(at: Self.at(10_001)) == 12)
  }

  @Test func `a missed renewal keeps the lease until its end`() {
    var lease = Self.held
    lease.miss(at: Self.at(600))
    #expect(lease.fence(at: Self.at(800)) == 7)
    #expect(lease.step(at: Self.at(799)) == .wait)
    #expect(lease.step(at: Self.at(800)) == .look)
    #expect(lease.fence(at: Self.at(1_700)) == nil)
  }

  @Test func `a renewal without an answer that was stored is found by a look`() {
    var lease = Self.held
    lease.miss(at: Self.at(600))
    #expect(lease.step(at: Self.at(800)) == .look)
    #expect(Self.see(&lease, .own(9), at: 800) == .write(9))
    lease.take(10, sent: Self.at(801))
    #expect(lease.fence(at: Self.at(2_000)) == 7)
  }

  @Test func `a look does not extend the lease`() {
    var lease = Self.held
    lease.miss(at: Self.at(600))
    #expect(Self.see(&lease, .own(9), at: 1_600) == .write(9))
    #expect(lease.fence(at: Self.at(1_700)) == nil)
  }

  @Test func `a read of an older revision changes nothing`() {
    var lease = Self.held
    lease.refuse(at: Self.at(300))
    #expect(lease.step(at: Self.at(300)) == .look)
    #expect(Self.see(&lease, .own(6), at: 301) == .wait)
    #expect(Self.see(&lease, .other(5), at: 302) == .wait)
    #expect(lease.fence(at: Self.at(303)) == 7)
  }

  @Test func `a holder whose key another has written stops at once`() {
    var lease = Self.held
    lease.refuse(at: Self.at(300))
    #expect(Self.see(&lease, .other(9), at: 301) == .wait)
    #expect(lease.fence(at: Self.at(302)) == nil)
  }

  @Test func `a lease that was dropped is not held`() {
    var lease = Self.held
    lease.drop(at: Self.at(100))
    #expect(lease.fence(at: Self.at(101)) == nil)
    #expect(lease.step(at: Self.at(399)) == .wait)
    #expect(lease.step(at: Self.at(400)) == .look)
  }
}
