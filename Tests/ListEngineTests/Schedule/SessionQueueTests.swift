import ListTesting
import Testing

@testable import ListEngine

@Suite struct SessionQueueTests {
  private func session(_ number: UInt64) -> Session {
    Session(
      SessionID(rawValue: number), table: "t", request: 1, query: QueryRequest(), viewport: nil, interval: .zero,
      limits: Limits())
  }

  private func at(_ seconds: Int) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

  @Test func thoseThatAreDueComeInTheOrderInWhichTheyCameAndAreTaken() {
    var queue = SessionQueue()
    let sessions = (1...4).map { session($0) }
    for session in sessions { queue.insert(session) }
    for (session, second) in zip(sessions, [5, 2, 9, 1]) {
      queue.update(session, deadline: at(second), awaitsChange: false)
    }
    #expect(queue.deadline == at(1))
    #expect(queue.takeDue(at: at(5)).map(\.id.rawValue) == [1, 2, 4])
    #expect(queue.takeDue(at: at(5)).isEmpty)
    #expect(queue.deadline == at(9))
  }

  @Test func aLaterDeadlineTakesThePlaceOfTheFormer() {
    var queue = SessionQueue()
    let one = session(1)
    queue.insert(one)
    queue.update(one, deadline: at(1), awaitsChange: false)
    queue.update(one, deadline: at(3), awaitsChange: false)
    #expect(queue.takeDue(at: at(2)).isEmpty)
    queue.update(one, deadline: nil, awaitsChange: false)
    #expect(queue.deadline == nil)
  }

  @Test func whoAwaitsAChangeHearsOfOne() {
    var queue = SessionQueue()
    let sessions = (1...3).map { session($0) }
    for session in sessions { queue.insert(session) }
    for session in sessions.prefix(2) {
      queue.update(session, deadline: nil, awaitsChange: true)
      queue.update(session, deadline: nil, awaitsChange: true)
    }
    #expect(queue.takeAwaitingChange().map(\.id.rawValue) == [1, 2])
    #expect(queue.takeAwaitingChange().isEmpty)
    queue.update(sessions[0], deadline: nil, awaitsChange: true)
    #expect(queue.takeAwaitingChange().count == 1)
  }

  @Test func whoIsTakenOutIsNeitherDueNorAwaitsAnything() {
    var queue = SessionQueue()
    let (one, two) = (session(1), session(2))
    queue.insert(one)
    queue.update(one, deadline: at(1), awaitsChange: true)
    queue.remove(one)
    queue.remove(one)
    queue.insert(two)
    queue.update(one, deadline: at(1), awaitsChange: true)
    #expect(queue.takeDue(at: at(9)).isEmpty && queue.takeAwaitingChange().isEmpty)
    #expect(queue.all.map(\.id.rawValue) == [2])
  }
}
