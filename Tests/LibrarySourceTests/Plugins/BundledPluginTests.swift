import Foundation
import LibrarySource
import ListEngine
import Quotes
import SourceTesting
import Testing

/// The plugins of this package, loaded from their shared libraries as in production.
@Suite struct BundledPluginTests {
  let recorder = Recorder()

  private func start(_ name: String, _ configuration: [String: String] = [:]) throws -> PluginSource {
    let recorder = recorder
    let source = PluginSource(
      library: try PluginLibrary(path: Workshop.library(name)), name: name, configuration: configuration,
      log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    try source.start()
    return source
  }

  private func failure(_ name: String, _ configuration: [String: String]) -> String? {
    do {
      #expect(try start(name, configuration).stop(within: .seconds(30)))
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: clock

  @Test func `clock reports four readings and the current time`() throws {
    let source = try start("clock")
    try recorder.wait("a reading") { !$0.states.isEmpty }
    #expect(source.stop(within: .seconds(30)))
    let view = recorder.view
    #expect(view.schema?.columns.map(\.name) == ["clock", "reading", "seconds"])
    #expect(view.changes[0].beginsReload && view.changes[0].endsReload)
    #expect(view.rows.prefix(4).map(\.key) == [.text("utc"), .text("local"), .text("uptime"), .text("running")])
    guard case .number(let seconds) = view.rows[0].cells[2] else {
      Issue.record("no time: \(view.rows)")
      return
    }
    #expect(abs(seconds - Date().timeIntervalSince1970) < 60)
  }

  @Test func `clock reports a second reading`() throws {
    let source = try start("clock")
    try recorder.wait("another reading") { $0.changes.count >= 2 }
    #expect(source.stop(within: .seconds(30)))
  }

  // MARK: load

  @Test func `load reports the three load averages`() throws {
    let source = try start("load")
    try recorder.wait("a reading") { !$0.states.isEmpty }
    #expect(source.stop(within: .seconds(30)))
    #expect(recorder.view.rows.prefix(3).map(\.key) == [.text("1 minute"), .text("5 minutes"), .text("15 minutes")])
  }

  // MARK: market

  @Test func `market without a rate loads the workload and completes`() throws {
    let source = try start("market", ["rows": "25000", "rate": "0", "change": "false"])
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(source.stop())
    let view = recorder.view
    #expect(view.schema?.name == "quotes")
    #expect(view.schema?.columns.map(\.name) == Quotes.columns)
    #expect(view.schema?.columns.first { $0.name == "price" }?.format == .grouped(decimals: 2))
    #expect(view.schema?.columns.first { $0.name == "price" }?.better == .higher)
    #expect(view.schema?.label == "symbol")
    #expect(view.changes.filter(\.beginsReload).count == 1)
    #expect(view.changes.filter(\.endsReload).count == 1)
    #expect(view.changes.first?.beginsReload == true)
    #expect(view.changes.last?.endsReload == true)
    let rows = view.rows
    #expect(rows.count == 25_000)
    for index in [0, 1, 4_095, 4_096, 9_999, 10_000, 24_999] {
      let quote = Quotes().row(index)
      #expect(
        rows[index]
          == PlainRow(
            .upsert, .integer(Int64(index)),
            [
              .integer(Int64(index)), .text(quote.symbolText), .text(quote.sectorText), .number(quote.price),
              .integer(Int64(quote.size)), .number(quote.bid), .number(quote.ask),
              .timestamp(quote.milliseconds * 1_000_000), .text(quote.sideText), .text(quote.noteText),
            ]))
    }
  }

  @Test func `market's changes are those of the workload`() throws {
    let source = try start("market", ["rows": "100", "rate": "100000", "batches": "1000", "change": "false"])
    try recorder.wait("changes") { $0.rows.count >= 1_100 }
    #expect(source.stop(within: .seconds(30)))
    let changes = recorder.view.rows.dropFirst(100)
    for (u, row) in changes.enumerated() {
      let change = Quotes().update(u, of: 100)
      #expect(
        row
          == PlainRow(
            .update, .integer(Int64(change.id)),
            [
              nil, nil, nil, .number(change.price), .integer(Int64(change.size)), .number(change.bid),
              .number(change.ask),
              .timestamp(change.milliseconds * 1_000_000), nil, nil,
            ]))
    }
  }

  @Test func `the market plugin sorts by the change since the first price`() throws {
    let source = try start("market", ["rows": "10", "rate": "1000"])
    try recorder.wait("changes") { $0.rows.count >= 20 }
    #expect(source.stop(within: .seconds(30)))
    let schema = try #require(recorder.view.schema)
    #expect(schema.presentation?.view.sort == [NamedSortTerm("change", descending: true)])
    for (u, row) in recorder.view.rows.dropFirst(10).enumerated() {
      let change = Quotes().update(u, of: 10)
      #expect(row.cells.last == .number(change.price - Quotes().row(change.id).price))
    }
  }

  @Test func `market with 0 rows reports one empty reload`() throws {
    let source = try start("market", ["rows": "0"])
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(source.stop())
    #expect(recorder.view.changes.map { $0.beginsReload && $0.endsReload } == [true])
  }

  @Test func `market refuses invalid settings with a reason`() {
    #expect(failure("market", ["rows": "-1"]) == "market.rows: -1 is out of range: 0 to 100000000")
    #expect(failure("market", ["rate": "fast"]) == "market.rate: 'fast' is not a number")
    #expect(
      failure("market", ["speed": "1"])
        == "market.speed: unknown setting; the settings are batches, change, rate, rows, seed")
  }

  // MARK: processes

  @Test func `processes lists the test process under all columns`() throws {
    let source = try start("processes")
    try recorder.wait("a look") { !$0.states.isEmpty }
    #expect(source.stop(within: .seconds(30)))
    let view = recorder.view
    #expect(
      view.schema?.columns.map(\.name) == [
        "pid", "user", "name", "state", "cpu", "memory", "threads", "started", "kernel", "command",
      ])
    #expect(view.rows.contains { $0.cells[0] == .integer(Int64(getpid())) })
    #expect(view.changes.first?.beginsReload == true)
  }

  @Test(arguments: [("operators", Audience.operators), ("all", nil), ("none", nil)])
  func `the commands setting sets the audience of command lines`(_ setting: String, _ audience: Audience?) throws {
    let source = try start("processes", ["commands": setting])
    try recorder.wait("a look") { !$0.states.isEmpty }
    #expect(source.stop(within: .seconds(30)))
    let columns = try #require(recorder.view.schema?.columns)
    #expect(columns.count == (setting == "none" ? 9 : 10) && columns.dropLast().allSatisfy { $0.audience == nil })
    #expect(columns.last?.audience == audience)
    #expect(recorder.view.rows.contains { $0.cells[0] == .integer(Int64(getpid())) && $0.cells.count == columns.count })
  }

  @Test func `processes reports no rows for an empty directory`() throws {
    try Workshop.withFolder { folder in
      let source = try start("processes", ["proc": folder.path, "interval": "0.05"])
      try recorder.wait("two looks") { $0.changes.count >= 2 }
      #expect(source.stop(within: .seconds(30)))
      #expect(recorder.view.rows.isEmpty)
    }
  }

  @Test func `processes becomes stale when its directory is removed`() throws {
    let source = try Workshop.withFolder { folder in
      let source = try start("processes", ["proc": folder.path, "interval": "0.05"])
      try recorder.wait("a look") { !$0.states.isEmpty }
      return source
    }
    try recorder.wait("the news") {
      $0.states.contains { $0.hasPrefix("stale: ") && $0.contains("No such file or directory; trying again") }
    }
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `processes refuses invalid settings with a reason`() {
    #expect(failure("processes", ["interval": "often"]) == "processes.interval: 'often' is not a number of seconds")
    #expect(
      failure("processes", ["interval": "0"]) == "processes.interval: 0 is out of range: 0.05 seconds to 3600.0 seconds"
    )
    #expect(
      failure("processes", ["commands": "root"])
        == "processes.commands: 'root' is not a choice: use operators, all or none")
    #expect(failure("processes", ["proc": "/nowhere"]) == "processes.proc: '/nowhere' is not a folder")
  }
}
