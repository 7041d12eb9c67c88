import ListEngine
import Testing

@testable import Server

/// The times at which clients are due for a sign of life.
@Suite struct SignQueueTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
  private func client(_ number: UInt64) -> SessionID { SessionID(rawValue: number) }

  @Test func `a client is due after one second`() {
    var queue = SignQueue()
    #expect(queue.deadline == nil)
    queue.add(client(1), at: at(0))
    queue.add(client(2), at: at(300))
    let early = queue.takeDue(at: at(999))
    #expect(early == [])
    let first = queue.takeDue(at: at(1_000))
    #expect(first == [client(1)])
    #expect(queue.deadline == at(1_300))
    let second = queue.takeDue(at: at(5_000))
    #expect(second == [client(2)])
    #expect(queue.deadline == nil)
  }

  @Test func `clients of the same 50 ms share a turn`() {
    var queue = SignQueue()
    for number: UInt64 in 1...40 { queue.add(client(number), at: at(Int64(number))) }
    #expect(queue.deadline == at(1_050))
    let due = queue.takeDue(at: at(1_050))
    #expect(due == (1...40).map(client))
  }
}
