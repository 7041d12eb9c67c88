import ListEngine
import Testing
import Wire

@testable import Server

/// The messages that wait for a client: their order and their bounds.
@Suite struct PendingMessagesTests {
  /// The names of the messages in the order in which they are sent.
  private func drain(_ pending: inout PendingMessages, isQuiet: Bool = false) -> [String] {
    var names: [String] = []
    while let message = pending.takeNext(isQuiet: isQuiet) {
      names.append(Mirror(reflecting: message).children.first?.label ?? "\(message)")
    }
    return names
  }

  private var full: PendingMessages {
    var pending = PendingMessages(error: .tooManySessions(limit: 1))
    pending.patch = [1]
    pending.hasStats = true
    pending.status = ("t", SourceStatus(state: .live, message: "", rejected: 0, lastRejection: "", age: .zero))
    pending.hasTables = true
    pending.hasSources = true
    pending.located = (1, [])
    pending.named = (2, [])
    pending.acted = [(3, nil, .done("")), (4, nil, .done(""))]
    pending.refuse(Refusal(request: 5, QueryFault(.tooLong("x")), shown: 4))
    return pending
  }

  @Test func `the list of tables precedes every status and patch`() {
    var pending = full
    #expect(
      drain(&pending) == [
        "error", "refused", "acted", "acted", "named", "located", "tables", "sources", "status", "stats", "patch",
      ])
    #expect(!pending.hasNext(isQuiet: false))
  }

  @Test func `a hello contains the lists of tables and sources`() {
    var pending = PendingMessages()
    pending.hasTables = true
    pending.hasSources = true
    pending.hasHello = true
    #expect(drain(&pending) == ["hello"])
  }

  @Test func `the lists wait while the client is hidden or paused`() {
    var pending = PendingMessages()
    pending.hasTables = true
    pending.hasSources = true
    #expect(!pending.hasNext(isQuiet: true) && drain(&pending, isQuiet: true).isEmpty)
    #expect(pending.hasNext(isQuiet: false) && drain(&pending) == ["tables", "sources"])
  }

  @Test func `unsent facets are kept when others change`() {
    func report(_ id: UInt64, _ place: Int) -> FacetReports {
      FacetReports(id: id, facets: [FacetReports.Entry(place, .moreValues(than: place))])
    }
    var pending = PendingMessages()
    pending.report(report(3, 1))
    pending.report(report(3, 0))
    #expect(pending.facets?.facets.map(\.place) == [0, 1])
    pending.report(nil)
    #expect(!pending.hasNext(isQuiet: false))
    pending.report(report(4, 2))
    #expect(drain(&pending) == ["facets"])
  }

  @Test func `unsent pinned rows are kept when others change`() {
    var pending = PendingMessages()
    pending.reportPins(PinReports(id: 3, rows: [PinReports.Entry(1, nil)]))
    pending.reportPins(PinReports(id: 3, rows: [PinReports.Entry(0, nil)]))
    #expect(pending.pins?.rows.map(\.place) == [0, 1])
    #expect(drain(&pending) == ["pins"])
    pending.reportPins(PinReports(id: 3, rows: [PinReports.Entry(0, nil)]))
    pending.reportPins(nil)
    #expect(!pending.hasNext(isQuiet: false))
  }

  @Test func `the last four refusals of each kind are kept`() {
    var pending = PendingMessages()
    for request in 1...10_000 as ClosedRange<UInt64> {
      pending.refuse(Refusal(request: request, QueryFault(.tooLong("x")), shown: 0))
      pending.refuse(Refusal(request: 0, QueryFault(.tooLong("y")), shown: 0))
    }
    #expect(pending.refusals.map(\.request) == [9_997, 0, 9_998, 0, 9_999, 0, 10_000, 0])
  }
}
