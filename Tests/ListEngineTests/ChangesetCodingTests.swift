import ListEngine
import ListTesting
import Testing

/// The binary form of changesets: encoding round-trips, and damaged input is rejected.
@Suite struct ChangesetCodingTests {
  private var changes: Changeset {
    var changes = Changeset()
    changes.beginsReload = true
    changes.upsert(.integer(-7), [.null, .integer(.min), .number(-0.0), .text("é\u{0}"), .boolean(true)])
    changes.update(.text("a key"), [nil, .timestamp(.max), .image("picture"), .series([1, 2.5]), .boolean(false)])
    changes.delete(.integer(1))
    changes.move(.integer(2), before: .integer(3))
    changes.move(.integer(2), before: nil)
    changes.reject(.text(""), "because")
    changes.noteUnnamedRejections(3, "no key")
    return changes
  }

  @Test func `a decoded changeset encodes to the same bytes`() throws {
    let encoded = changes.encoded
    let read = try Changeset(decoding: encoded)
    #expect(read.encoded == encoded)
    #expect(read.count == 6 && read.beginsReload && !read.endsReload)
    #expect(read.unnamedRejections == 3 && read.unnamedRejection == "no key")
  }

  @Test func `the flag of an abandoned reload survives encoding`() throws {
    var abandoning = Changeset()
    abandoning.abandonsReload = true
    #expect(try Changeset(decoding: abandoning.encoded).abandonsReload)
    #expect(try !Changeset(decoding: changes.encoded).abandonsReload)
  }

  @Test func `a decoded changeset has the same effect on a table`() throws {
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .number), Column("b", .text)])
    var reload = Changeset.reload([(.integer(1), [.number(1.5), .text("x")]), (.integer(2), [.null, .text("y")])])
    reload.upsert(.integer(3), [.text("wrong type"), .text("z")])
    let shown = try [reload, Changeset(decoding: reload.encoded)].map { changes in
      var engine = Engine(epoch: "e")
      let table = try engine.addTable(schema, at: .zero)
      engine.handle(.changes(table, changes), at: .zero)
      let client = SessionID(rawValue: 1)
      engine.handle(
        .open(client, table: "t", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: .zero)
      var replica = Replica()
      for case .deliver(_, let delivery) in engine.advance(to: .zero) { try replica.apply(delivery) }
      #expect(engine.tables(at: .zero)[0].source.rejected == 1)
      return replica.cells
    }
    #expect(shown[0] == [[.number(1.5), .text("x")], [.null, .text("y")]])
    #expect(shown[0] == shown[1])
  }

  @Test func `truncated or extended input is rejected`() {
    let encoded = changes.encoded
    for length in 0..<encoded.count {
      #expect(throws: ChangesetError.self, "\(length) of \(encoded.count) bytes") {
        try Changeset(decoding: Array(encoded[..<length]))
      }
    }
    #expect(throws: ChangesetError.wrongLength) { try Changeset(decoding: encoded + [0]) }
  }

  @Test func `counts beyond the length of the input are rejected`() {
    for place in [1, 9, 17, 33] {
      var encoded = changes.encoded
      for offset in 0..<7 { encoded[place + offset] = 0xFF }
      #expect(throws: ChangesetError.wrongLength) { try Changeset(decoding: encoded) }
    }
  }

  @Test func `no flipped bit crashes decoding or the engine`() throws {
    let encoded = changes.encoded
    let schema = Schema(
      name: "t", key: .integer,
      columns: [
        Column("a", .text), Column("b", .integer), Column("c", .number), Column("d", .text), Column("e", .boolean),
      ])
    for place in encoded.indices {
      for bit in 0..<8 {
        var damaged = encoded
        damaged[place] ^= 1 << bit
        guard let changes = try? Changeset(decoding: damaged) else { continue }
        var engine = Engine(epoch: "e")
        let table = try engine.addTable(schema, at: .zero)
        engine.handle(.changes(table, changes), at: .zero)
        _ = engine.advance(to: .zero)
      }
    }
  }
}
