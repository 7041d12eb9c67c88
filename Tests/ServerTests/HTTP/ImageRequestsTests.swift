import CWebSockets
import ListEngine
import Testing

@testable import Server

/// Tests of pending image loads.
@Suite struct ImageRequestsTests {
  private var requests = ImageRequests()
  private let table = TableID(rawValue: 0)
  private func socket(_ number: Int) -> OpaquePointer { OpaquePointer(bitPattern: number * 16)! }
  private func at(_ seconds: Int) -> Instant { .zero.advanced(by: .seconds(seconds)) }

  @Test mutating func `concurrent requests for an image share one load`() {
    #expect(requests.ask(table, "a", for: socket(1), until: at(10)) == .begun(1))
    #expect(requests.ask(table, "a", for: socket(2), until: at(11)) == .joined)
    #expect(requests.ask(table, "b", for: socket(3), until: at(12)) == .begun(2))
    #expect(requests.ask(TableID(rawValue: 1), "a", for: socket(4), until: at(13)) == .begun(3))
    #expect(requests.finish(1) == [socket(1), socket(2)])
    #expect(requests.finish(1) == [])
    #expect(requests.ask(table, "a", for: socket(1), until: at(14)) == .begun(4))
  }

  @Test mutating func `treats canonically equivalent keys as different`() {
    #expect(requests.ask(table, "\u{E9}", for: socket(1), until: at(1)) == .begun(1))
    #expect(requests.ask(table, "e\u{301}", for: socket(2), until: at(1)) == .begun(2))
  }

  @Test mutating func `a load ends when its last client leaves`() {
    _ = requests.ask(table, "a", for: socket(1), until: at(10))
    _ = requests.ask(table, "a", for: socket(2), until: at(10))
    #expect(requests.leave(socket(1)) == nil)
    #expect(requests.leave(socket(1)) == nil)
    let left = requests.leave(socket(2))
    #expect(left?.number == 1 && left?.table == table)
    #expect(requests.deadline == nil && requests.finish(1) == [])
  }

  @Test mutating func `limits pending loads to 64 per table`() {
    for number in 1...64 {
      #expect(requests.ask(table, "\(number)", for: socket(number), until: at(1)) == .begun(UInt64(number)))
    }
    #expect(requests.ask(table, "65", for: socket(65), until: at(1)) == .full)
    #expect(requests.ask(table, "64", for: socket(66), until: at(1)) == .joined)
    #expect(requests.ask(TableID(rawValue: 1), "65", for: socket(67), until: at(1)) == .begun(65))
    _ = requests.finish(7)
    #expect(requests.ask(table, "65", for: socket(65), until: at(1)) == .begun(66))
  }

  @Test mutating func `reports the earliest deadline and the overdue loads`() {
    #expect(requests.deadline == nil)
    _ = requests.ask(table, "a", for: socket(1), until: at(9))
    _ = requests.ask(table, "b", for: socket(2), until: at(5))
    #expect(requests.deadline == at(5))
    #expect(requests.overdue(at: at(4)).map(\.number) == [])
    #expect(requests.overdue(at: at(5)).map(\.number) == [2])
    #expect(requests.overdue(at: at(9)).map(\.number) == [1, 2])
  }
}
