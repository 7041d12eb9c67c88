import ListEngine
import Testing

@testable import Cluster

/// The rows that the publisher of a part publishes.
@Suite struct KeyFilterTests {
  private static func filter() -> KeyFilter { KeyFilter(KeyRange(from: "b", to: "d", of: .text)!) }

  private static func rows(_ event: SourceEvent?) -> [String] {
    guard case .changes(let changes)? = event else { return [] }
    var rows: [String] = []
    changes.forEachRow { rows.append("\($0.verb) \($0.key) \($0.cells.map { $0.map { "\($0)" } ?? "-" })") }
    return rows
  }

  @Test func `rows with other keys are left out and counted`() {
    var filter = Self.filter()
    var changes = Changeset()
    changes.beginsReload = true
    changes.upsert(.text("a"), [.integer(1)])
    changes.upsert(.text("b"), [.integer(2)])
    changes.update(.text("c"), [nil])
    changes.delete(.text("d"))
    changes.noteUnnamedRejections(2, "bad")
    let kept = filter.pass(.changes(changes))
    #expect(Self.rows(kept) == ["upsert b [\"integer(2)\"]", "update c [\"-\"]"])
    guard case .changes(let rest)? = kept else {
      Issue.record("not changes: \(String(describing: kept))")
      return
    }
    #expect(rest.beginsReload && !rest.endsReload && rest.unnamedRejections == 2)
    #expect(filter.dropped == 2)
    let note = filter.takeNote()
    #expect(note?.contains("other keys than b..d, such as a,") == true)
    let again = filter.takeNote()
    #expect(again == nil)
  }

  @Test func `a change of other rows only is not published`() {
    var filter = Self.filter()
    var changes = Changeset()
    changes.delete(.text("x"))
    let kept = filter.pass(.changes(changes))
    #expect(kept == nil)
    // The end of a reload is, also without rows.
    changes.endsReload = true
    guard case .changes(let rest)? = filter.pass(.changes(changes)) else {
      Issue.record("the end of a reload is lost")
      return
    }
    #expect(rest.count == 0 && rest.endsReload)
  }

  @Test func `a move before a row of another part is left out`() {
    var filter = Self.filter()
    var changes = Changeset()
    changes.move(.text("b"), before: .text("x"))
    changes.move(.text("b"), before: .text("c"))
    changes.move(.text("c"), before: nil)
    #expect(Self.rows(filter.pass(.changes(changes))).count == 2)
  }

  @Test func `deferred cells of other rows are not published`() {
    var filter = Self.filter()
    let (own, other) = (
      filter.pass(.loaded(.text("b"), column: 0, .null)), filter.pass(.loaded(.text("x"), column: 0, .null))
    )
    #expect(own != nil && other == nil)
    let state = filter.pass(.state(.live, message: ""))
    #expect(state != nil)
  }

  @Test func `text that is not UTF-8 is rejected instead of replaced`() {
    var filter = Self.filter()
    var changes = Changeset()
    changes.delete(.text("x"))
    Array("b".utf8).withUnsafeBytes { changes.beginRow(.upsert, textKey: $0) }
    [UInt8(0xFF)].withUnsafeBytes { changes.append(text: $0) }
    #expect(Self.rows(filter.pass(.changes(changes))).first?.contains("reject b") == true)
  }
}
