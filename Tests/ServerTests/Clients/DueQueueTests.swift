import ListEngine
import Testing

@testable import Server

/// The times at which clients are due.
@Suite struct DueQueueTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
  private func client(_ number: UInt64) -> SessionID { SessionID(rawValue: number) }

  @Test func `each client is due after the same time`() {
    var queue = DueQueue(delay: .seconds(10))
    #expect(queue.deadline == nil)
    queue.add(client(1), at: at(0))
    queue.add(client(2), at: at(500))
    #expect(queue.deadline == at(10_000))
    #expect(queue.takeDue(at: at(9_999)) == [])
    #expect(queue.takeDue(at: at(10_000)) == [client(1)])
    #expect(queue.deadline == at(10_500))
    #expect(queue.takeDue(at: at(60_000)) == [client(2)])
    #expect(queue.deadline == nil)
  }

  @Test func `returns 5,000 due clients in order of arrival`() {
    var queue = DueQueue(delay: .milliseconds(5))
    for number: UInt64 in 1...5_000 { queue.add(client(number), at: at(Int64(number))) }
    var taken: [SessionID] = []
    for moment in stride(from: Int64(0), through: 6_000, by: 7) { taken += queue.takeDue(at: at(moment)) }
    #expect(taken == (1...5_000).map(client))
    #expect(queue.deadline == nil)
  }

  @Test func `clients of the same step share a turn`() {
    var queue = DueQueue(delay: .seconds(1), step: .milliseconds(50))
    for number: UInt64 in 1...40 { queue.add(client(number), at: at(Int64(number))) }
    queue.add(client(41), at: at(51))
    #expect(queue.deadline == at(1_050))
    #expect(queue.takeDue(at: at(1_049)) == [])
    #expect(queue.takeDue(at: at(1_050)) == (1...40).map(client))
    #expect(queue.deadline == at(1_100))
  }
}
