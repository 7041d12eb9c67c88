import ListEngine
import Testing

@testable import Server

/// Tests of closing slow connections and of the limits on connections.
@Suite struct ConnectionsTests {
  private func socket(_ number: Int) -> OpaquePointer { OpaquePointer(bitPattern: number * 16)! }
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  private func door(perAddress: Int = 3, rate: Int = 1_000_000, burst: Int = 1_000_000) -> Connections {
    Connections(limitPerAddress: perAddress, rate: rate, burst: burst, at: at(0))
  }

  private func crowd(_ count: Int, at moment: Int = 0) -> Connections {
    var connections = door()
    for number in 1...count {
      _ = connections.admit(from: nil, at: at(moment))
      connections.add(socket(number), at: at(moment))
    }
    return connections
  }

  @Test func `closes no connection while their number is within the limit`() {
    var connections = crowd(Connections.greatestCount)
    #expect(connections.deadline == nil)
    #expect(connections.dismiss(at: at(100_000)) { _ in true } == [])
  }

  @Test func `closes the oldest incomplete requests beyond the limit`() {
    var connections = crowd(Connections.greatestCount + 2)
    #expect(connections.deadline != nil)
    #expect(connections.dismiss(at: at(249)) { _ in true } == [])
    #expect(connections.dismiss(at: at(349)) { _ in true } == [socket(1), socket(2)])
    #expect(connections.count == Connections.greatestCount)
    #expect(connections.deadline == nil)
  }

  @Test func `does not close connections that wait for the server`() {
    var connections = crowd(Connections.greatestCount + 2)
    #expect(connections.dismiss(at: at(250)) { $0 != socket(1) } == [socket(2), socket(3)])
    var patient = crowd(Connections.greatestCount + 2)
    #expect(patient.dismiss(at: at(1_000)) { _ in false } == [])
    #expect(patient.count == Connections.greatestCount + 2)
  }

  @Test func `checks for slow connections at most ten times per second`() {
    var connections = crowd(Connections.greatestCount + 1)
    #expect(connections.dismiss(at: at(300)) { _ in false } == [])
    #expect(connections.deadline == at(400))
    #expect(connections.dismiss(at: at(399)) { _ in true } == [])
    #expect(connections.dismiss(at: at(400)) { _ in true } == [socket(1)])
  }

  @Test func `does not close settled, removed or re-added sockets`() {
    var connections = crowd(Connections.greatestCount + 3)
    connections.settle(socket(1))
    connections.remove(socket(2))
    #expect(connections.dismiss(at: at(500)) { _ in true } == [socket(3)])
    // The address of a socket may be reused.
    connections.remove(socket(4))
    _ = connections.admit(from: nil, at: at(500))
    connections.add(socket(4), at: at(500))
    _ = connections.admit(from: nil, at: at(500))
    connections.add(socket(900), at: at(500))
    #expect(connections.dismiss(at: at(600)) { _ in true } == [socket(5)])
  }

  @Test func `limits connections per network, except from this machine`() {
    var connections = door()
    func come(_ number: Int, from address: String?) -> Bool {
      guard connections.admit(from: address, at: at(0)) == .welcome else { return false }
      connections.add(socket(number), at: at(0))
      return true
    }
    #expect((1...4).map { come($0, from: "1.2.3.4") } == [true, true, true, false])
    #expect(come(5, from: "1.2.3.5"))
    #expect((6...20).allSatisfy { come($0, from: nil) })
    // A page still counts; a closed connection does not.
    connections.settle(socket(1))
    #expect(!come(21, from: "1.2.3.4"))
    connections.remove(socket(1))
    connections.remove(socket(1))
    #expect(come(21, from: "1.2.3.4"))
    #expect(!come(22, from: "1.2.3.4"))
    #expect((23...26).map { come($0, from: "2001:db8::\($0)") } == [true, true, true, false])
  }

  // MARK: Rates

  /// Returns how many of `knocks` connections are accepted at this time.
  private func welcomed(_ connections: inout Connections, of knocks: Int, at moment: Int) -> Int {
    var count = 0
    for _ in 0..<knocks where connections.admit(from: nil, at: at(moment)) == .welcome { count += 1 }
    return count
  }

  @Test func `accepts 10,000 connections at once, then 4,000 per second`() {
    var connections = door(rate: Connections.standardRate, burst: Connections.standardBurst)
    #expect(welcomed(&connections, of: 20_000, at: 0) == 10_000)
    #expect(connections.admit(from: nil, at: at(0)) == .tooMany)
    // At 4,000 per second, one connection is accepted every quarter of a millisecond.
    #expect(welcomed(&connections, of: 10_000, at: 1) == 4)
    #expect(welcomed(&connections, of: 10_000, at: 101) == 400)
    var spread = 0
    for millisecond in 102...1_101 { spread += welcomed(&connections, of: 100, at: millisecond) }
    #expect(spread == 4_000)
    // The bucket holds no more than the burst.
    #expect(welcomed(&connections, of: 20_000, at: 100_000) == 10_000)
  }

  @Test func `rejections of an address at its limit do not use up the rate`() {
    var connections = door(perAddress: 1, rate: 1, burst: 3)
    #expect(connections.admit(from: "1.2.3.4", at: at(0)) == .welcome)
    connections.add(socket(1), at: at(0))
    for _ in 0..<100 { #expect(connections.admit(from: "1.2.3.4", at: at(0)) == .enoughFromThere) }
    #expect(welcomed(&connections, of: 100, at: 0) == 2)
    // A connection rejected by the rate limit does not count towards the limit of its address.
    #expect(connections.admit(from: "5.6.7.8", at: at(0)) == .tooMany)
    connections.add(socket(2), at: at(0))
    #expect(connections.admit(from: "5.6.7.8", at: at(1_000)) == .welcome)
  }
}

extension Connections {
  /// Removes and returns the connections to close.
  fileprivate mutating func dismiss(at now: Instant, isSilent: (OpaquePointer) -> Bool) -> [OpaquePointer] {
    let overdue = overdue(at: now, isSilent: isSilent)
    for socket in overdue { remove(socket) }
    return overdue
  }
}
