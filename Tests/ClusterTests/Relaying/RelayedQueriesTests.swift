import ListEngine
import Testing
import Threads

@testable import Cluster

/// A relay's requests for rows: each is answered once, also when the publisher says nothing.
@Suite struct RelayedQueriesTests {
  private static let schema = Schema(name: "jobs", key: .integer, columns: [Column("id", .integer)])

  /// The requests of one table without a publisher.
  private final class Table: Sendable {
    private let events = Guarded<[SourceEvent]>([])
    private let sent = Guarded<[QueryCall]>([])
    let queries: RelayedQueries

    init(isReachable: Bool = true) {
      let (events, sent) = (events, sent)
      let target = RelayTarget(
        report: { event in
          events.withLock { $0.append(event) }
          return true
        }, listen: { _ in })
      let path = PublisherPath(TableNames("jobs"), target: target, node: "a") { bytes, _, _ throws(ClusterError) in
        guard isReachable else { throw .failed("down") }
        let call: QueryCall? = CallCoding.decoded(bytes)
        sent.withLock { if let call { $0.append(call) } }
      }
      _ = path.note(RelayedQueriesTests.schema)
      queries = RelayedQueries(path)
    }

    func ask(_ number: UInt64) {
      queries.ask([
        BlockRequest(
          id: .init(rawValue: number), query: Query(), section: [],
          what: .rows(after: nil, upTo: nil, skip: 0, count: 9))
      ])
    }

    /// The requests that have ended, each with the reason if it has failed.
    var ended: [(number: UInt64, reason: String?)] {
      events.withLock { events in
        events.map {
          switch $0 {
          case .page(let id, _): (id.rawValue, nil)
          case .pageFailed(let id, let reason): (id.rawValue, reason)
          default: (0, "\($0)")
          }
        }
      }
    }

    var calls: [QueryCall] { sent.withLock { $0 } }
  }

  private static let answer = QueryAnswer.rows(RowBlock([(.integer(1), [.integer(1)])], hasMore: false)).encoded

  @Test func `a request without an answer fails after its patience`() {
    let table = Table()
    table.ask(7)
    let asked = BootTime.now
    table.queries.check(at: asked.advanced(by: RelayedQueries.patience - .seconds(30)))
    #expect(table.ended.isEmpty)
    table.queries.check(at: asked.advanced(by: RelayedQueries.patience))
    #expect(table.ended.map(\.number) == [7])
    #expect(table.ended.first?.reason?.contains("has not answered") == true)
    for part in AnswerParts.cut(Self.answer) { table.queries.takePart(7, part) }
    #expect(table.ended.count == 1)
  }

  @Test func `an answer in parts is one event`() {
    let table = Table()
    table.ask(7)
    let parts = AnswerParts.cut(Self.answer, greatest: 10)
    #expect(parts.count > 2)
    for part in parts.dropLast() { table.queries.takePart(7, part) }
    #expect(table.ended.isEmpty)
    table.queries.takePart(7, parts[parts.count - 1])
    #expect(table.ended.map(\.number) == [7])
    #expect(table.ended.first?.reason == nil)
  }

  @Test func `an answer without one of its parts fails`() {
    let table = Table()
    table.ask(7)
    let parts = AnswerParts.cut(Self.answer, greatest: 10)
    table.queries.takePart(7, parts[0])
    table.queries.takePart(7, parts[2])
    #expect(table.ended.map(\.reason) == ["a part of the publisher's answer is missing"])
  }

  @Test func `a cancelled request has no answer, and the publisher learns of it`() {
    let table = Table()
    table.ask(7)
    table.queries.cancel([.init(rawValue: 7)])
    for part in AnswerParts.cut(Self.answer) { table.queries.takePart(7, part) }
    #expect(table.ended.isEmpty)
    #expect(table.calls.map(\.number) == [7, 7])
    #expect(table.calls.last?.content == nil)
  }

  @Test func `requests fail at once while NATS is not reachable`() {
    let table = Table(isReachable: false)
    table.ask(7)
    table.ask(8)
    #expect(table.ended.map(\.number) == [7, 8])
    #expect(table.ended.allSatisfy { $0.reason == "the publisher is not reachable" })
  }

  @Test func `all pending requests fail when the publisher changes`() {
    let table = Table()
    table.ask(7)
    table.ask(8)
    table.queries.failAll("the publisher has changed")
    #expect(Set(table.ended.map(\.number)) == [7, 8])
    #expect(table.ended.allSatisfy { $0.reason == "the publisher has changed" })
  }
}
