import Foundation
import ListEngine
import SourceTesting
import Testing

@testable import ProcessSource

/// The plugin `ratings` with a real host.
@Suite struct RatingsTests {
  private let recorder = Recorder()

  private func start(_ configuration: [String: String] = [:]) throws -> ChildSource {
    let recorder = recorder
    let source = ChildSource(
      ChildCommand(Workshop.root.appending(path: "Plugins/ratings/ratings.py").path), name: "ratings",
      configuration: ["shortest": "0", "longest": "0.02"].merging(configuration) { $1 },
      log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("all rows") { $0.changes.last?.endsReload == true }
    return source
  }

  /// Returns the loaded ratings in order, with their keys.
  private func loaded(_ view: Recorder.View) -> [(key: String, rating: Cell)] {
    view.events.compactMap { if case .loaded(let key, 3, let cell) = $0 { ("\(key)", cell) } else { nil } }
  }

  private func outcomes(_ view: Recorder.View) -> [ActionOutcome] {
    view.events.compactMap { if case .acted(_, let outcome) = $0 { outcome } else { nil } }
  }

  @Test func `reports over 1,000 emoji without their ratings`() throws {
    let source = try start()
    #expect(source.stop())
    let rows = recorder.view.rows
    #expect(rows.count > 1_000 && Set(rows.map(\.key)).count == rows.count)
    #expect(rows.allSatisfy { $0.cells[3] == .null })
    let grinning = rows.first { $0.key == .text("U+1F600") }
    #expect(grinning?.cells == [.text("😀"), .text("Grinning face"), .text("Emoticons"), .null])
    let schema = try #require(recorder.view.schema)
    #expect(schema.columns.map(\.isDeferred) == [false, false, false, true])
    #expect(schema.actions.map(\.name) == ["up", "down", "set"] && schema.prefetch.inFlight == 16)
    #expect(recorder.log == [])
  }

  @Test func `loads requested ratings except a cancelled one`() throws {
    // Long enough for the cancellation to arrive before the load is done, even on a busy machine.
    let source = try start(["shortest": "0.5", "longest": "0.5"])
    let cells = ["U+1F600", "U+1F601", "U+1F602"].map { DeferredCell(.text($0), column: 3) }
    source.send(.load(cells))
    source.send(.cancel([cells[1]]))
    // Requested after the cancelled cell, and equally slow to load.
    try recorder.wait("two ratings") { loaded($0).count == 2 }
    source.send(.load([DeferredCell(.text("U+1F603"), column: 3)]))
    try recorder.wait("another") { loaded($0).contains { $0.key == "U+1F603" } }
    #expect(source.stop())
    #expect(Set(loaded(recorder.view).map(\.key)) == ["U+1F600", "U+1F602", "U+1F603"])
    for (_, rating) in loaded(recorder.view) {
      guard case .integer(let rating) = rating else { Issue.record("\(rating)"); continue }
      #expect((0...100).contains(rating))
    }
  }

  @Test func `actions set, raise and lower a rating within its bounds`() throws {
    let source = try start()
    func act(_ id: UInt64, _ action: String, _ arguments: [(name: String, value: Cell)] = []) {
      source.send(.act(ActionRequest(id: id, action: action, key: .text("U+1F600"), arguments: arguments)))
    }
    act(1, "set", [("rating", .integer(99))])
    act(2, "up")
    act(3, "up")
    act(4, "down")
    try recorder.wait("answers") { outcomes($0).count == 4 }
    source.send(.load([DeferredCell(.text("U+1F600"), column: 3)]))
    try recorder.wait("the rating") { loaded($0).count == 1 }
    #expect(source.stop())
    #expect(
      outcomes(recorder.view) == [
        .done("😀 has 99 now"), .done("😀 has 100 now"),
        .failed(.failed, "U+1F600 has 100 already, and ratings go from 0 to 100"), .done("😀 has 99 now"),
      ])
    let updates = recorder.view.rows.filter { $0.verb == .update }
    #expect(updates.map { $0.cells[3] } == [.integer(99), .integer(100), .integer(99)])
    #expect(loaded(recorder.view)[0].rating == .integer(99))
  }

  @Test func `ratings are equal for equal seeds and differ for others`() throws {
    var found: [[String]] = []
    for seed in ["1", "1", "2"] {
      let other = RatingsTests()
      let source = try other.start(["seed": seed, "longest": "0"])
      let keys = (0x1F600...0x1F64F).map { "U+" + String($0, radix: 16, uppercase: true) }
      source.send(.load(keys.map { DeferredCell(.text($0), column: 3) }))
      try other.recorder.wait("ratings") { other.loaded($0).count == keys.count }
      #expect(source.stop())
      found.append(other.loaded(other.recorder.view).sorted { $0.key < $1.key }.map { "\($0)" })
    }
    #expect(found[0] == found[1] && found[0] != found[2])
  }
}
