import ListTesting
import Testing

@testable import ListEngine

@Suite struct TableTests {
  private static let schema = Schema(
    name: "all", key: .text,
    columns: [
      Column("integer", .integer), Column("number", .number), Column("text", .text), Column("boolean", .boolean),
      Column("timestamp", .timestamp), Column("image", .image), Column("series", .series),
    ])

  private func table(_ schema: Schema = TableTests.schema, limits: Limits = Limits()) -> Table {
    Table(schema, limits: limits, seed: 1)
  }

  private func cells(_ table: Table, _ key: RowKey) -> [Cell]? {
    for slot in 0..<table.slots where table.isAlive(slot) && table.keys.key(of: slot) == key {
      return table.snapshot(slot).cells
    }
    return nil
  }

  @Test func `stores cells of every type unchanged`() {
    let table = table()
    let rows: [[Cell]] = [
      [
        .integer(.max), .number(-0.5), .text("Grüße"), .boolean(true), .timestamp(1), .image("a.png"),
        .series([1, 2.5]),
      ],
      [.integer(.min), .number(0), .text(""), .boolean(false), .timestamp(.min), .image(""), .series([])],
      [.null, .null, .null, .null, .null, .null, .null],
      [.integer(-1), .number(.leastNonzeroMagnitude), .text("\u{0}\n"), .null, .timestamp(-1), .null, .series([0])],
    ]
    var changes = Changeset()
    for (number, row) in rows.enumerated() { changes.upsert(.text("row \(number)"), row) }
    table.apply(changes)
    for (number, row) in rows.enumerated() { #expect(cells(table, .text("row \(number)")) == row) }
    #expect(table.rejected == 0)
  }

  @Test func `distinguishes the least integer from null`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    let steps: [Cell] = [.null, .integer(.min), .null, .integer(.min), .integer(0), .integer(.min), .null]
    for cell in steps {
      var changes = Changeset()
      changes.upsert(.integer(1), [cell])
      table.apply(changes)
      #expect(cells(table, .integer(1)) == [cell])
    }
  }

  @Test func `stores numbers that are not finite as null`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .number)]))
    var changes = Changeset()
    for (key, value) in [Double.nan, .infinity, -.infinity, .signalingNaN].enumerated() {
      changes.upsert(.integer(Int64(key)), [.number(value)])
    }
    table.apply(changes)
    for key in 0..<4 { #expect(cells(table, .integer(Int64(key))) == [.null]) }
  }

  @Test func `converts integers to numbers, but no other types`() {
    let table = table()
    var changes = Changeset()
    changes.upsert(.text("good"), [.null, .integer(3), .null, .null, .null, .null, .null])
    changes.upsert(.text("bad 1"), [.number(3), .null, .null, .null, .null, .null, .null])
    changes.upsert(.text("bad 2"), [.null, .text("3"), .null, .null, .null, .null, .null])
    changes.upsert(.text("bad 3"), [.timestamp(3), .null, .null, .null, .null, .null, .null])
    table.apply(changes)
    #expect(table.count == 1)
    #expect(table.rejected == 3)
    #expect(cells(table, .text("good"))?[1] == .number(3))
  }

  @Test func `rejects a bad row with its reason and applies the others`() {
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .integer), Column("b", .text)])
    var limits = Limits()
    limits.cellBytes = 10
    limits.rows = 3
    func reason(_ body: (inout Changeset) -> Void) -> String {
      let table = table(schema, limits: limits)
      var changes = Changeset()
      changes.upsert(.integer(1), [.integer(1), .text("one")])
      body(&changes)
      changes.upsert(.integer(2), [.integer(2), .text("two")])
      table.apply(changes)
      #expect(table.count >= 2 && cells(table, .integer(2)) == [.integer(2), .text("two")])
      #expect(cells(table, .integer(1)) == [.integer(1), .text("one")])
      #expect(table.rejected == 1)
      return table.lastRejection
    }
    #expect(reason { $0.upsert(.integer(9), [.integer(1)]) } == "row 9: it has 1 cells for 2 columns")
    #expect(reason { $0.upsert(.integer(9), [.text("x"), .null]) } == "row 9: its cell “a” is text, not integer")
    #expect(reason { $0.upsert(.text("nine"), [.null, .null]) } == "row nine: its key is not of type integer")
    #expect(
      reason { $0.upsert(.integer(9), [.null, .text("12345678901")]) }
        == "row 9: its cell “b” has 11 bytes, more than 10")
    #expect(reason { $0.update(.integer(9), [.integer(1), nil]) } == "row 9: no row has its key")
    #expect(
      reason { $0.update(.integer(1), [.text("x"), .text("changed")]) } == "row 1: its cell “a” is text, not integer")
    #expect(reason { $0.move(.integer(9), before: nil) } == "row 9: no row has its key")
    #expect(reason { $0.move(.integer(1), before: .integer(9)) } == "row 1: the row to go before is missing")
    for bad in [[0x61, 0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]] {
      #expect(
        reason { changes in
          changes.beginRow(.upsert, key: 9)
          changes.append(integer: 1)
          bad.withUnsafeBytes { changes.append(text: $0) }
        } == "row 9: its cell “b” is not UTF-8")
    }
    #expect(
      reason { changes in
        changes.beginRow(.upsert, key: 9)
        changes.append(integer: 1)
        changes.appendUnchanged()
      } == "row 9: its cell “b” is left out")
  }

  @Test func `rejects a key that is too long with its size`() {
    var limits = Limits()
    limits.cellBytes = 10
    let table = table(Schema(name: "t", key: .text, columns: [Column("a", .text)]), limits: limits)
    var changes = Changeset()
    changes.upsert(.text("12345678901"), [.null])
    table.apply(changes)
    #expect(table.lastRejection == "row 12345678901: its key has 11 bytes, more than 10")
  }

  @Test func `accepts a text of exactly the limit`() {
    var limits = Limits()
    limits.cellBytes = 10
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .text)]), limits: limits)
    var changes = Changeset()
    changes.upsert(.integer(1), [.text("1234567890")])
    table.apply(changes)
    #expect(cells(table, .integer(1)) == [.text("1234567890")])
  }

  @Test func `a full table rejects new rows and accepts changes`() {
    var limits = Limits()
    limits.rows = 2
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]), limits: limits)
    var changes = Changeset()
    for key in 1...3 { changes.upsert(.integer(Int64(key)), [.integer(1)]) }
    changes.upsert(.integer(1), [.integer(9)])
    table.apply(changes)
    #expect(table.count == 2)
    #expect(cells(table, .integer(1)) == [.integer(9)])
    #expect(table.lastRejection == "row 3: the table has its limit of 2 rows")
  }

  @Test func `rows, updates and reloads with the same cells log no change`() {
    let table = table()
    let row: [Cell] = [.integer(1), .number(0), .text("x"), .null, .timestamp(5), .null, .series([1])]
    var changes = Changeset()
    changes.upsert(.text("a"), row)
    table.apply(changes)
    let end = table.log.end
    var again = changes
    again.update(.text("a"), [nil, .number(-0.0), .text("x"), .null, nil, nil, nil])
    table.apply(again)
    table.apply(.reload([(.text("a"), row)]))
    #expect(table.log.end == end)
  }

  @Test func `row ids are unique although slots are reused`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    var seen: Set<RowID> = []
    for round in 0..<200 {
      var changes = Changeset()
      for key in 0..<3 { changes.upsert(.integer(Int64(round * 3 + key)), [.integer(1)]) }
      table.apply(changes)
      for slot in 0..<table.slots where table.isAlive(slot) {
        #expect(seen.insert(table.id(of: slot)).inserted)
        #expect(table.id(of: slot).rawValue < 1 << 53)
      }
      var removal = Changeset()
      for key in 0..<3 { removal.delete(.integer(Int64(round * 3 + key))) }
      table.apply(removal)
      table.forgetChanges(before: table.log.end)
    }
    // Slots are reused: the table does not grow.
    #expect(table.slots < 10)
  }

  @Test func `a row deleted twice keeps its id past its first tombstone`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    func apply(_ body: (inout Changeset) -> Void) {
      var changes = Changeset()
      body(&changes)
      table.apply(changes)
    }
    apply { $0.upsert(1, [.integer(1)]) }
    let id = table.id(of: 0)
    apply { changes in
      changes.delete(1)
      changes.upsert(1, [.integer(2)])
    }
    let seen = table.log.end
    apply { $0.delete(1) }
    table.forgetChanges(before: seen)
    apply { $0.upsert(1, [.integer(3)]) }
    #expect(table.slot(of: id) != nil)
  }

  @Test func `a snapshot is shared while it is held, then freed`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    var changes = Changeset()
    for key in 0..<4000 as Range<Int64> { changes.upsert(.integer(key), [.integer(key)]) }
    table.apply(changes)
    let held = table.snapshot(0)
    weak let other = table.snapshot(1)
    for slot in 2..<4000 as Range<UInt32> { _ = table.snapshot(slot) }
    #expect(table.snapshot(0) === held)
    #expect(other == nil)
  }

  @Test func `frees texts that no row holds`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .text)]))
    for round in 0..<50 {
      var changes = Changeset()
      for key in 0..<20 { changes.upsert(.integer(Int64(key)), [.text("text \(round) \(key % 4)")]) }
      table.apply(changes)
      #expect(table.columns[0].pool?.count == 4)
    }
  }

  // MARK: Reload

  private func order(_ table: Table) -> [RowKey] {
    (0..<table.slots).filter { table.isAlive($0) }.sorted { table.labels[$0] < table.labels[$1] }
      .map { table.keys.key(of: $0) }
  }

  private func list(_ keys: [Int64]) -> Changeset { .reload(keys.map { (.integer($0), [.integer($0 * 10)]) }) }

  @Test func `a reload inserts and deletes only rows that differ by key`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    table.apply(list([1, 2, 3, 4]))
    let ids = (0..<4).map { table.id(of: UInt32($0)) }
    let end = table.log.end
    table.apply(list([1, 3, 4, 5]))
    #expect(order(table) == [1, 3, 4, 5].map { .integer($0) })
    #expect(table.slot(of: ids[1]) == nil)
    #expect(table.slot(of: ids[2]) != nil)
    // One row was deleted and one inserted: nothing else was touched.
    #expect(table.log.end == end + 2)
  }

  @Test func `a reload moves one row instead of all others`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    table.apply(list([1, 2, 3, 4, 5, 6]))
    let end = table.log.end
    table.apply(list([6, 1, 2, 3, 4, 5]))
    #expect(order(table) == [6, 1, 2, 3, 4, 5].map { .integer($0) })
    #expect(table.log.end == end + 1)
  }

  @Test func `a reload keeps the first of two rows with the same key`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    table.apply(.reload([(.integer(1), [.integer(1)]), (.integer(1), [.integer(2)]), (.integer(2), [.integer(3)])]))
    #expect(table.count == 2)
    #expect(cells(table, .integer(1)) == [.integer(1)])
    #expect(table.lastRejection == "row 1: its key is named twice")
  }

  @Test func `a row rejected in a reload keeps its old cells`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    table.apply(list([1, 2, 3]))
    var changes = Changeset()
    changes.beginsReload = true
    changes.endsReload = true
    changes.upsert(.integer(1), [.text("bad")])
    changes.reject(.integer(2), "its cell is invalid")
    changes.noteUnnamedRejections(2, "two had no key")
    table.apply(changes)
    #expect(order(table) == [1, 2])
    #expect(cells(table, .integer(1)) == [.integer(10)])
    #expect(table.rejected == 4)
    #expect(table.lastRejection == "row 2: its cell is invalid")
  }

  @Test func `rejections without a key are counted with their reason`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    var changes = Changeset()
    changes.noteUnnamedRejections(2, "two had no key")
    table.apply(changes)
    #expect(table.rejected == 2)
    #expect(table.lastRejection == "two had no key")
    // A valid changeset does not change the last rejection.
    table.apply(list([1]))
    #expect(table.rejected == 2 && table.lastRejection == "two had no key")
  }

  @Test func `a reload in parts deletes no rows before its end`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    table.apply(list([1, 2, 3]))
    var head = list([3])
    head.endsReload = false
    table.apply(head)
    #expect(table.count == 3)
    var tail = list([4])
    tail.beginsReload = false
    table.apply(tail)
    #expect(order(table) == [3, 4].map { .integer($0) })
  }

  @Test func `an unfinished reload is discarded when the next one begins`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    var broken = list([1, 2, 3])
    broken.endsReload = false
    table.apply(broken)
    table.apply(list([2]))
    #expect(order(table) == [.integer(2)])
  }

  @Test func `a reload takes over any order`() {
    var random = SeededGenerator(seed: 7)
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    for _ in 0..<60 {
      var keys = (0..<Int64(random.number(1...40))).map { $0 }
      if random.oneIn(2) { keys.shuffle(using: &random) }
      table.apply(list(keys))
      #expect(order(table) == keys.map { .integer($0) })
    }
  }

  /// Random moves, deletions, reloads, and single and batched insertions have the same effect as on
  /// an array of keys.
  @Test func `agrees with an array after random moves and reloads`() {
    var random = SeededGenerator(seed: 9)
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    var plain: [Int64] = []
    var next: Int64 = 0
    for round in 0..<300 {
      var changes = Changeset()
      for _ in 0..<random.number(1...6) {
        let key = plain.randomElement(using: &random) ?? 0
        switch random.number(1...10) {
        case 1:
          for _ in 0..<random.pick([1, 1, 40]) {
            changes.upsert(.integer(next), [.integer(next)])
            plain.append(next)
            next += 1
          }
        case 2...3:
          changes.delete(.integer(key))
          plain.removeAll { $0 == key }
        case 4:
          changes.move(.integer(key), before: nil)
          if let place = plain.firstIndex(of: key) { plain.append(plain.remove(at: place)) }
        case 5...9:
          guard let other = plain.randomElement(using: &random) else { continue }
          changes.move(.integer(key), before: .integer(other))
          guard key != other, let place = plain.firstIndex(of: key) else { continue }
          plain.remove(at: place)
          plain.insert(key, at: plain.firstIndex(of: other) ?? 0)
        default: continue
        }
      }
      table.apply(changes)
      if round % 20 == 19 {
        plain.shuffle(using: &random)
        table.apply(list(plain))
      }
      #expect(order(table) == plain.map { .integer($0) }, "round \(round)")
      if random.oneIn(3) { table.forgetChanges(before: table.log.end) }
    }
  }

  @Test func `a row moved before itself stays in place`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    table.apply(list([1, 2, 3]))
    let end = table.log.end
    var changes = Changeset()
    changes.move(.integer(2), before: .integer(2))
    table.apply(changes)
    #expect(order(table) == [1, 2, 3].map { .integer($0) })
    #expect(table.log.end == end && table.rejected == 0)
  }

  @Test func `relabels rows when no label is left between two of them`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    table.apply(list([0, 1]))
    for key in 2..<60 as Range<Int64> {
      var changes = Changeset()
      changes.upsert(.integer(key), [.integer(1)])
      changes.move(.integer(key), before: .integer(1))
      table.apply(changes)
      #expect(order(table).suffix(2) == [.integer(key), .integer(1)])
    }
    #expect(table.relabelings > 0)
    #expect(order(table) == [0] + (2..<60).map { .integer($0) } + [.integer(1)])
  }
}

extension RowKey: ExpressibleByIntegerLiteral {
  /// Creates an integer key, so that tests can write keys as literals.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}
