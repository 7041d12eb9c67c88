import Foundation
import Glibc
import ListEngine
import Quotes
import SourceTesting
import Testing

@testable import ProcessSource

/// The market plugin in Python sends the same data as the one in Swift.
@Suite struct PythonMarketTests {
  let recorder = Recorder()

  private func start(_ configuration: [String: String]) throws -> ChildSource {
    let recorder = recorder
    let program = Workshop.root.appending(path: "Plugins/market-python/market.py").path
    let source = ChildSource(
      ChildCommand(program), name: "market", configuration: configuration, log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    return source
  }

  @Test func `loads the workload and completes without a rate`() throws {
    let source = try start(["rows": "2500", "rate": "0"])
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(source.stop())
    let view = recorder.view
    #expect(view.schema?.name == "quotes")
    #expect(view.schema?.columns.map(\.name) == Quotes.columns)
    #expect(view.changes.first?.beginsReload == true && view.changes.last?.endsReload == true)
    let rows = view.rows
    #expect(rows.count == 2_500)
    for (index, row) in rows.enumerated() {
      let quote = Quotes().row(index)
      #expect(
        row
          == PlainRow(
            .upsert, .integer(Int64(index)),
            [
              .integer(Int64(index)), .text(quote.symbolText), .text(quote.sectorText), .number(quote.price),
              .integer(Int64(quote.size)), .number(quote.bid), .number(quote.ask),
              .timestamp(quote.milliseconds * 1_000_000), .text(quote.sideText), .text(quote.noteText),
            ]))
    }
    #expect(recorder.log == [])
  }

  @Test func `changes are those of the workload`() throws {
    let source = try start(["rows": "100", "rate": "5000", "seed": "3"])
    try recorder.wait("changes") { $0.rows.count >= 1_100 }
    #expect(source.stop())
    for (u, row) in recorder.view.rows.dropFirst(100).enumerated() {
      let change = Quotes(seed: 3).update(u, of: 100)
      #expect(
        row
          == PlainRow(
            .update, .integer(Int64(change.id)),
            [
              nil, nil, nil, .number(change.price), .integer(Int64(change.size)), .number(change.bid),
              .number(change.ask), .timestamp(change.milliseconds * 1_000_000), nil, nil,
            ]))
    }
    #expect(recorder.log == [])
  }

  @Test func `refuses an invalid setting with a reason`() throws {
    let source = try start(["rows": "-1"])
    try recorder.wait("a refusal") { $0.states == ["failed: market.rows: -1 is less than 0"] }
    #expect(source.stop())
  }
}
