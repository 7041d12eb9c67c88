import ListEngine
import Testing

@testable import Server

/// Tests that each action request runs at most once and is answered in time.
@Suite struct ActionBookTests {
  private let session = SessionID(rawValue: 1)
  private let other = SessionID(rawValue: 2)
  private let table = TableID(rawValue: 0)
  private var book = ActionBook(limit: 2)

  private func at(_ seconds: Int) -> Instant { .zero.advanced(by: .seconds(seconds)) }

  private mutating func begin(_ id: UInt64, from session: SessionID? = nil) -> UInt64 {
    book.begin(id, from: session ?? self.session, on: table, token: nil, until: at(30))
  }

  @Test mutating func `a request ID is new once, then running, then answered`() {
    #expect(book.standing(of: 5, from: session) == .new)
    let number = begin(5)
    #expect(book.standing(of: 5, from: session) == .running)
    #expect(book.finish(number, .done("ok"))?.id == 5)
    #expect(book.standing(of: 5, from: session) == .answered(.done("ok")))
    #expect(book.standing(of: 6, from: session) == .new)
    #expect(book.standing(of: 4, from: session) == .forgotten)
    #expect(book.standing(of: 5, from: other) == .new)
  }

  @Test mutating func `a refused request gets the same answer again`() {
    book.refuse(5, from: session, .failed(.busy, "later"))
    #expect(book.standing(of: 5, from: session) == .answered(.failed(.busy, "later")))
    #expect(book.standing(of: 4, from: session) == .forgotten)
  }

  @Test mutating func `remembers the last 64 answers of a session`() {
    for id: UInt64 in 1...65 { book.refuse(id, from: session, .done("\(id)")) }
    #expect(book.standing(of: 1, from: session) == .forgotten)
    #expect(book.standing(of: 2, from: session) == .answered(.done("2")))
    #expect(book.standing(of: 65, from: session) == .answered(.done("65")))
  }

  @Test mutating func `newer answers do not evict a pending request`() {
    let number = begin(1)
    for id: UInt64 in 2...100 { book.refuse(id, from: session, .done("")) }
    #expect(book.standing(of: 1, from: session) == .running)
    #expect(book.finish(number, .done("late"))?.id == 1)
    #expect(book.standing(of: 1, from: session) == .answered(.done("late")))
  }

  @Test mutating func `ignores a second outcome of a request`() {
    let number = begin(1)
    #expect(book.finish(number, .done("one")) != nil)
    #expect(book.finish(number, .done("two")) == nil)
    #expect(book.standing(of: 1, from: session) == .answered(.done("one")))
  }

  @Test mutating func `another session can take over an answer, not start a request`() {
    let number = begin(1)
    #expect(book.standing(of: 1, from: session, isForeign: true) == .running)
    #expect(book.standing(of: 2, from: session, isForeign: true) == .forgotten)
    #expect(book.standing(of: 2, from: other, isForeign: true) == .forgotten)
    book.redirect(1, from: session, to: other, token: "t")
    let entry = book.finish(number, .done(""))
    #expect(entry?.recipient == other && entry?.origin == session && entry?.token == "t")
  }

  @Test mutating func `remembers the answers of the sessions that ended last`() {
    for session: UInt64 in 1...3 {
      book.refuse(1, from: SessionID(rawValue: session), .done("\(session)"))
      book.leave(SessionID(rawValue: session))
    }
    #expect(book.standing(of: 1, from: SessionID(rawValue: 1), isForeign: true) == .forgotten)
    #expect(book.standing(of: 1, from: SessionID(rawValue: 2), isForeign: true) == .answered(.done("2")))
    #expect(book.standing(of: 1, from: SessionID(rawValue: 3), isForeign: true) == .answered(.done("3")))
  }

  @Test mutating func `a late outcome does not restore an evicted session`() {
    let number = begin(1)
    for session: UInt64 in 1...3 {
      if session > 1 { book.refuse(1, from: SessionID(rawValue: session), .done("")) }
      book.leave(SessionID(rawValue: session))
    }
    #expect(book.finish(number, .done("")) != nil)
    #expect(book.standing(of: 1, from: session, isForeign: true) == .forgotten)
    #expect(book.count(for: table) == 0)
  }

  @Test mutating func `counts pending requests per session and per table`() {
    let first = begin(1)
    _ = begin(2)
    _ = begin(1, from: other)
    #expect(book.count(for: session) == 2 && book.count(for: other) == 1 && book.count(for: table) == 3)
    #expect(book.count(for: TableID(rawValue: 1)) == 0)
    _ = book.finish(first, .done(""))
    #expect(book.count(for: session) == 1 && book.count(for: table) == 2)
  }

  @Test mutating func `reports the earliest deadline and the overdue requests`() {
    #expect(book.deadline == nil)
    let late = book.begin(1, from: session, on: table, token: nil, until: at(9))
    let early = book.begin(2, from: session, on: table, token: nil, until: at(5))
    #expect(book.deadline == at(5))
    #expect(book.overdue(at: at(4)) == [])
    #expect(book.overdue(at: at(5)) == [early])
    #expect(book.overdue(at: at(9)) == [late, early])
  }
}
