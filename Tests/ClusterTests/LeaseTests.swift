import ListEngine
import Testing

@testable import Cluster

/// The lease of a publisher, without a server.
@Suite struct LeaseTests {
  private static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test func `the revision of the creation is the fence of all renewals`() {
    var lease = Lease()
    #expect(lease.step(at: Self.at(0)) == .create)
    lease.take(7, sent: Self.at(0))
    #expect(lease.step(at: Self.at(499)) == .wait)
    #expect(lease.step(at: Self.at(500)) == .renew(7))
    lease.take(9, sent: Self.at(500))
    #expect(lease.fence(at: Self.at(600)) == 7)
    #expect(lease.step(at: Self.at(1_000)) == .renew(9))
  }

  @Test func `a lease ends before its key expires`() {
    var lease = Lease()
    lease.take(7, sent: Self.at(0))
    #expect(lease.fence(at: Self.at(1_699)) == 7)
    #expect(lease.fence(at: Self.at(1_700)) == nil)
  }

  @Test func `a paused holder creates the key again with a new fence`() {
    var lease = Lease()
    lease.take(7, sent: Self.at(0))
    #expect(lease.step(at: Self.at(10_000)) == .create)
    lease.take(12, sent: Self.at(10_000))
    #expect(lease.fence(at: Self.at(10_001)) == 12)
  }

  @Test func `a missed renewal keeps the lease until its end`() {
    var lease = Lease()
    lease.take(7, sent: Self.at(0))
    lease.miss(at: Self.at(600))
    #expect(lease.fence(at: Self.at(800)) == 7)
    #expect(lease.step(at: Self.at(849)) == .wait)
    #expect(lease.step(at: Self.at(850)) == .renew(7))
    #expect(lease.fence(at: Self.at(1_700)) == nil)
  }

  @Test func `a lease that was dropped is not held`() {
    var lease = Lease()
    lease.take(7, sent: Self.at(0))
    lease.drop(at: Self.at(100))
    #expect(lease.fence(at: Self.at(101)) == nil)
    #expect(lease.step(at: Self.at(600)) == .create)
  }
}
