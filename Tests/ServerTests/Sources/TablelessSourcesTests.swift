import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests of the reports on sources that have declared no table.
@Suite struct TablelessSourcesTests {
  private final class Name {}
  private let jobs = Name()
  private let late = Name()
  private func at(_ milliseconds: Int) -> Instant { .zero.advanced(by: .milliseconds(milliseconds)) }

  @Test func `reports a new source as starting, with its age`() throws {
    var sources = TablelessSources()
    #expect(sources.deadline == nil)
    sources.add(ObjectIdentifier(jobs), name: "jobs", at: at(1_000))
    sources.add(ObjectIdentifier(late), name: "late", at: at(2_000))
    let reported = sources.descriptions(at: at(5_000))
    #expect(reported.map(\.name) == ["jobs", "late"])
    #expect(sources.count == 2)
    #expect(reported.map(\.source.state) == [.starting, .starting])
    #expect(reported.map(\.source.age) == [.seconds(4), .seconds(3)])
    #expect(reported.map(\.source.retry) == [nil, nil])
  }

  @Test func `counts the retry time down to zero`() {
    var sources = TablelessSources()
    let id = ObjectIdentifier(jobs)
    sources.add(id, name: "jobs", at: at(0))
    sources.note(id, .backingOff, message: "exited with code 1", retry: .seconds(2), at: at(1_000))
    func retry(_ moment: Int) -> Duration? { sources.descriptions(at: at(moment))[0].source.retry }
    #expect(retry(1_000) == .seconds(2))
    #expect(retry(2_500) == .milliseconds(500))
    #expect(retry(9_000) == .zero)
    #expect(sources.descriptions(at: at(2_500))[0].source.message == "exited with code 1")
  }

  @Test func `reports changes at once, then at most once per second`() {
    var sources = TablelessSources()
    let id = ObjectIdentifier(jobs)
    sources.add(id, name: "jobs", at: at(0))
    var reported = [sources.takeChanges(at: at(0)), sources.takeChanges(at: at(0))]
    #expect(reported == [true, false])
    #expect(sources.deadline == nil)
    sources.note(id, .stale, message: "", retry: nil, at: at(10))
    #expect(sources.deadline == at(1_000))
    reported = [sources.takeChanges(at: at(999)), sources.takeChanges(at: at(1_000))]
    #expect(reported == [false, true])
    sources.note(id, .live, message: "", retry: nil, at: at(5_000))
    reported = [sources.takeChanges(at: at(5_000))]
    #expect(reported == [true])
  }

  @Test func `stops reporting a source that has a table`() {
    var sources = TablelessSources()
    let id = ObjectIdentifier(jobs)
    sources.add(id, name: "jobs", at: at(0))
    var reported = [sources.takeChanges(at: at(0))]
    sources.remove(id)
    reported.append(sources.takeChanges(at: at(10)))
    #expect(reported == [true, true], "at once, because the table is shown from now on")
    sources.note(id, .failed, message: "", retry: nil, at: at(2_000))
    sources.refuse(id, "another")
    sources.remove(id)
    #expect(sources.deadline == nil)
    #expect(sources.descriptions(at: at(3_000)).isEmpty)
    #expect(sources.count == 1, "it would be taken in again")
  }

  @Test func `reports a refused table as failed until its source ends`() {
    var sources = TablelessSources()
    let id = ObjectIdentifier(jobs)
    sources.add(id, name: "jobs", at: at(0))
    sources.refuse(id, "its table is refused")
    func reported() -> (SourceState, String) {
      let source = sources.descriptions(at: at(9))[0].source
      return (source.state, source.message)
    }
    #expect(reported() == (.failed, "its table is refused"))
    sources.note(id, .live, message: "", retry: nil, at: at(1))
    #expect(reported() == (.failed, "its table is refused"))
    sources.note(id, .backingOff, message: "it has ended", retry: .seconds(1), at: at(2))
    #expect(reported() == (.backingOff, "it has ended"))
  }

  // MARK: Reports by the server

  private func sources(_ message: [String: Any]) throws -> [(name: String, source: [String: Any])] {
    try (message["sources"] as? [[String: Any]] ?? []).map {
      (try #require($0["name"] as? String), try #require($0["source"] as? [String: Any]))
    }
  }

  @Test func `sends clients the failure of a source until it has a table`() throws {
    let server = try RunningServer()
    let broken = server.control.addSource("broken")
    _ = server.addNumbers(3)
    let client = try WebSocketClient.open("numbers", port: server.port)
    broken.report(.state(.backingOff, message: "exited with code 127", retry: .seconds(20)))
    var reported: [(name: String, source: [String: Any])] = []
    while reported.map(\.name) != ["broken"] || reported[0].source["state"] as? String != "backingOff" {
      reported = try sources(try client.message("sources"))
    }
    #expect(reported[0].source["message"] as? String == "exited with code 127")
    #expect((1...20_000).contains(try #require(reported[0].source["retry"] as? Int)))
    // Later clients receive the list in their `hello`.
    let later = try WebSocketClient(port: server.port)
    later.send(#"{"type":"hello","version":1}"#)
    #expect(try sources(try later.message("hello")).map(\.name) == ["broken"])
    // Once it has a table, its state is reported with the table.
    broken.report(.schema(Schema(name: "mended", key: .integer, columns: [Column("n", .integer)])))
    #expect(try sources(try later.message("sources")).isEmpty)
  }

  @Test func `sends clients the failure of a source with a refused table`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(3)
    let second = server.control.addSource("second")
    let client = try WebSocketClient.open("numbers", port: server.port)
    second.report(.schema(Schema(name: "numbers", key: .integer, columns: [Column("n", .integer)])))
    second.report(.state(.live, message: ""))
    var reported: [(name: String, source: [String: Any])] = []
    while reported.map(\.name) != ["second"] || reported[0].source["state"] as? String != "failed" {
      reported = try sources(try client.message("sources"))
    }
    #expect((reported[0].source["message"] as? String)?.contains("numbers") == true)
  }
}
