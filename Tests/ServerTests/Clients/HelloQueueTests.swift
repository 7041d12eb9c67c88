import ListEngine
import Testing

@testable import Server

/// Tests of the deadlines for the `hello` of new clients.
@Suite struct HelloQueueTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
  private func client(_ number: UInt64) -> SessionID { SessionID(rawValue: number) }

  @Test func `each client has the same time to send hello`() {
    var queue = HelloQueue(patience: .seconds(10))
    #expect(queue.deadline == nil)
    queue.add(client(1), at: at(0))
    queue.add(client(2), at: at(500))
    #expect(queue.deadline == at(10_000))
    #expect(queue.takeOverdue(at: at(9_999)) == [])
    #expect(queue.takeOverdue(at: at(10_000)) == [client(1)])
    #expect(queue.deadline == at(10_500))
    #expect(queue.takeOverdue(at: at(60_000)) == [client(2)])
    #expect(queue.deadline == nil)
  }

  @Test func `returns 5,000 overdue clients in order of arrival`() {
    var queue = HelloQueue(patience: .milliseconds(5))
    for number: UInt64 in 1...5_000 { queue.add(client(number), at: at(Int64(number))) }
    var taken: [SessionID] = []
    for moment in stride(from: Int64(0), through: 6_000, by: 7) { taken += queue.takeOverdue(at: at(moment)) }
    #expect(taken == (1...5_000).map(client))
    #expect(queue.deadline == nil)
  }
}
