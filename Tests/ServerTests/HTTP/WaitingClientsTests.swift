import Glibc
import ListEngine
import Testing

@testable import Server

/// Tests of clients whose response waits for a source.
@Suite struct WaitingClientsTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }
  private let one = OpaquePointer(bitPattern: 1)!
  private let two = OpaquePointer(bitPattern: 2)!

  @Test func `polls ten times per second while a client waits`() {
    var waiting = WaitingClients()
    #expect(waiting.deadline == nil)
    waiting.add(one, for: .source, at: at(0))
    waiting.add(two, for: .client, at: at(90))
    #expect(waiting.deadline == at(100))
    #expect(waiting.takeLeft(at: at(99)) { _, _ in true } == [])
    #expect(waiting.takeLeft(at: at(100)) { $1 == .client } == [two])
    #expect(waiting.deadline == at(200))
    #expect(waiting.remove(two) == .client)
    #expect(waiting.remove(two) == nil)
    #expect(waiting.takeLeft(at: at(200)) { _, _ in true } == [one])
    #expect(waiting.remove(one) == .source)
    #expect(waiting.deadline == nil)
    #expect(waiting.takeLeft(at: at(900)) { _, _ in true } == [])
  }

  @Test func `detects clients that hang up, or send without reading`() {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(!WaitingClients.hasLeft(ends[0], .source))
    #expect(!WaitingClients.hasLeft(ends[0], .client))
    #expect(send(ends[1], "more", 4, 0) == 4)
    #expect(!WaitingClients.hasLeft(ends[0], .source))
    #expect(!WaitingClients.hasLeft(ends[0], .client), "there is room for what is to be written")
    let much = [UInt8](repeating: 0, count: 65_536)
    while send(ends[0], much, much.count, Int32(MSG_DONTWAIT)) > 0 {}
    #expect(WaitingClients.hasLeft(ends[0], .client), "who says more and does not read")
    #expect(shutdown(ends[1], Int32(SHUT_WR)) == 0)
    #expect(WaitingClients.hasLeft(ends[0], .source))
  }
}
