import Testing

@testable import ListEngine

/// Changesets are read outside the engine exactly as they were written.
@Suite struct ChangesetReadingTests {
  @Test func `reads every row as it was written`() {
    var changes = Changeset()
    let cells: [Cell] = [
      .null, .integer(.min), .number(-0.5), .text("Grüße"), .boolean(true), .boolean(false), .timestamp(-1),
      .image("key"), .series([1, 2.5, -3]),
    ]
    changes.upsert(.text("a"), cells)
    changes.update(.integer(7), [nil, .integer(1), nil])
    changes.delete(.text("gone"))
    changes.move(.integer(1), before: .integer(2))
    var read: [(verb: Changeset.Verb, key: RowKey, cells: [Cell?])] = []
    changes.forEachRow { read.append(($0.verb, $0.key, $0.cells)) }
    #expect(read.map(\.verb) == [.upsert, .update, .delete, .move])
    #expect(read.map(\.key) == [.text("a"), .integer(7), .text("gone"), .integer(1)])
    #expect(read[0].cells == cells.map { $0 })
    #expect(read[1].cells == [nil, .integer(1), nil])
    #expect(read[2].cells == [])
    #expect(read[3].cells == [.integer(2)])
  }

  @Test func `reports the position of a row's first text that is not UTF-8`() {
    var changes = Changeset()
    changes.upsert(.integer(1), [.integer(1), .text("whole"), .image("whole")])
    for broken in 1...2 {
      changes.beginRow(.upsert, key: Int64(broken + 1))
      changes.append(integer: 1)
      for column in 1...2 {
        let bytes: [UInt8] = column >= broken ? [0x61, 0xFF] : [0x61]
        bytes.withUnsafeBytes { changes.append(text: $0) }
      }
    }
    var places: [Int?] = []
    changes.forEachRow { places.append($0.firstBrokenText) }
    #expect(places == [nil, 1, 2])
  }

  @Test func `is empty only without rows, reload flags and rejections`() {
    #expect(Changeset().isEmpty)
    var row = Changeset()
    row.delete(.integer(1))
    var (begins, ends, abandons, unnamed) = (Changeset(), Changeset(), Changeset(), Changeset())
    begins.beginsReload = true
    ends.endsReload = true
    abandons.abandonsReload = true
    unnamed.noteUnnamedRejections(1, "no key")
    #expect([row, begins, ends, abandons, unnamed].allSatisfy { !$0.isEmpty })
  }
}
