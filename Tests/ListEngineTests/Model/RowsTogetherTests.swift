import ListTesting
import Testing

@testable import ListEngine

/// Batched insertions and comparisons of rows have the same effect as single ones.
@Suite struct RowsTogetherTests {
  private static let schema = Schema(
    name: "all", key: .integer,
    columns: [
      Column("integer", .integer), Column("number", .number), Column("text", .text), Column("boolean", .boolean),
      Column("timestamp", .timestamp), Column("image", .image), Column("series", .series),
    ])

  private func table(_ schema: Schema = RowsTogetherTests.schema, _ set: (inout Limits) -> Void = { _ in }) -> Table {
    var limits = Limits()
    set(&limits)
    return Table(schema, limits: limits, seed: 1)
  }

  private func cells(_ table: Table, _ key: RowKey) -> [Cell]? { table.slot(of: key).map { table.snapshot($0).cells } }

  private func order(_ table: Table) -> [RowKey] {
    (0..<table.slots).filter { table.isAlive($0) }.sorted { table.labels[$0] < table.labels[$1] }
      .map { table.keys.key(of: $0) }
  }

  /// Returns cells of every type, with nulls and extreme values among them.
  private func row(_ number: Int) -> [Cell] {
    let row: [Cell] = [
      .integer(Int64(number)), .number(Double(number) / 3), .text("text \(number % 7)"), .boolean(number % 2 == 0),
      .timestamp(Int64(number) << 32), .image("image \(number)"), .series([Double(number), 0.5]),
    ]
    switch number % 5 {
    case 0: return row
    case 1: return row.enumerated().map { ($0 + number) % 3 == 0 ? .null : $1 }
    case 2:
      return [.integer(.min), .number(-0.0), .text(""), .boolean(false), .timestamp(.min), .image(""), .series([])]
    case 3: return [.integer(.max), .integer(7), .text("€\(number)"), .null, .timestamp(.max), .null, .series([-1])]
    default: return row.map { _ in .null }
    }
  }

  private func list(_ numbers: some Sequence<Int>) -> Changeset {
    .reload(numbers.map { (.integer(Int64($0)), row($0)) })
  }

  @Test func `stores batched rows of all types in order`() {
    let table = table()
    table.apply(list(0..<300))
    #expect(table.rejected == 0 && order(table) == (0..<300).map { .integer(Int64($0)) })
    for number in 0..<300 { #expect(cells(table, .integer(Int64(number))) == row(number).map(asStored)) }
  }

  private func asStored(_ cell: Cell) -> Cell { cell == .integer(7) ? .number(7) : cell }

  @Test func `identical rows sent again log no change and keep their ids`() {
    let table = table()
    table.apply(list(0..<300))
    let ids = (0..<300).map { table.id(of: UInt32($0)) }
    let (end, relabelings) = (table.log.end, table.relabelings)
    for _ in 0..<3 { table.apply(list(0..<300)) }
    #expect(table.log.end == end && table.relabelings == relabelings && table.count == 300 && table.rejected == 0)
    #expect((0..<300).map { table.id(of: UInt32($0)) } == ids)
    // Rows named again without a reload.
    var again = list(10..<200)
    (again.beginsReload, again.endsReload) = (false, false)
    table.apply(again)
    #expect(table.log.end == end && table.count == 300)
  }

  @Test func `a reload logs only the cell that differs`() {
    let others: [[Cell]] = [
      [.integer(5), .integer(.min), .null], [.number(0.25), .integer(2), .null],
      [.text("text 1"), .text("Text 0"), .text("text 00"), .text(""), .null], [.boolean(false), .null],
      [.timestamp(5), .timestamp(.min), .null], [.image("Image 130"), .image("image 131"), .null],
      [.series([130, 0.25]), .series([]), .null],
    ]
    for (column, cells) in others.enumerated() {
      for cell in cells {
        let table = table()
        table.apply(list(0..<200))
        let end = table.log.end
        var changed = row(130)
        changed[column] = cell
        table.apply(.reload((0..<200).map { (.integer(Int64($0)), $0 == 130 ? changed : row($0)) }))
        #expect(self.cells(table, 130) == changed.enumerated().map { $0 == 1 && $1 == .integer(2) ? .number(2) : $1 })
        let reported = table.log.since(end)
        #expect(reported.map(\.slot) == [130] && reported.first?.columns == 1 << UInt64(column), "\(column): \(cell)")
      }
    }
  }

  @Test func `a reload distinguishes the least integer and time from null`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer), Column("b", .timestamp)]))
    func list(_ swapped: Bool) -> [(RowKey, [Cell])] {
      (0..<100).map { number in
        let isLeast = (number % 3 == 0) != swapped
        return (.integer(Int64(number)), isLeast ? [.integer(.min), .timestamp(.min)] : [.null, .null])
      }
    }
    for swapped in [false, true, true, false] {
      let end = table.log.end
      let wasSame = cells(table, 0) == list(swapped)[0].1
      table.apply(.reload(list(swapped)))
      for (key, row) in list(swapped) { #expect(cells(table, key) == row) }
      #expect(table.log.end - end == (wasSame ? 0 : 100))
    }
  }

  @Test func `rejects one bad row of a batch with its reason`() {
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .integer), Column("b", .text)])
    for place in [0, 1, 5, 63, 64, 99] {
      func reason(_ body: (inout Changeset) -> Void) -> String {
        let table = table(schema) { $0.cellBytes = 10 }
        var changes = Changeset()
        for key in 0..<100 {
          if key == place {
            body(&changes)
          } else {
            changes.upsert(.integer(Int64(key)), [.integer(1), .text("1234567890")])
          }
        }
        table.apply(changes)
        #expect(table.count == 99 && table.rejected == 1 && table.slot(of: .integer(Int64(place))) == nil)
        #expect(order(table) == (0..<100).filter { $0 != place }.map { .integer(Int64($0)) })
        return table.lastRejection
      }
      let key = RowKey.integer(Int64(place))
      #expect(reason { $0.upsert(key, [.integer(1)]) } == "row \(place): it has 1 cells for 2 columns")
      #expect(
        reason { $0.upsert(key, [.number(1), .null]) } == "row \(place): its cell “a” is number, not integer")
      #expect(
        reason { $0.upsert(key, [.null, .text("12345678901")]) }
          == "row \(place): its cell “b” has 11 bytes, more than 10")
      #expect(
        reason { changes in
          changes.beginRow(.upsert, key: Int64(place))
          changes.append(integer: 1)
          changes.appendUnchanged()
        } == "row \(place): its cell “b” is left out")
      #expect(
        reason { changes in
          changes.beginRow(.upsert, key: Int64(place))
          changes.append(integer: 1)
          [0x61, 0xFF].withUnsafeBytes { changes.append(text: UnsafeRawBufferPointer(rebasing: $0[..<1])) }
          changes.beginRow(.update, key: Int64(place))
          changes.append(integer: 2)
          changes.appendUnchanged()
          changes.delete(key)
          changes.reject(key, "said twice")
        } == "row \(place): said twice")
    }
  }

  @Test func `upserts and updates accept texts up to the byte limit`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .text)])) { $0.cellBytes = 10 }
    func apply(_ body: (inout Changeset) -> Void) {
      var changes = Changeset()
      body(&changes)
      table.apply(changes)
    }
    apply { $0.upsert(1, [.text("1234567890")]) }
    apply { $0.upsert(1, [.text("abcdefghij")]) }
    #expect(table.rejected == 0 && cells(table, 1) == [.text("abcdefghij")])
    apply { $0.update(1, [.text("ABCDEFGHIJ")]) }
    #expect(table.rejected == 0 && cells(table, 1) == [.text("ABCDEFGHIJ")])
    apply { $0.upsert(1, [.text("12345678901")]) }
    apply { $0.update(1, [.text("12345678901")]) }
    apply { $0.upsert(2, [.text("12345678901")]) }
    #expect(table.rejected == 3 && table.count == 1 && cells(table, 1) == [.text("ABCDEFGHIJ")])
  }

  @Test func `rejects invalid UTF-8 in batches and for existing rows`() {
    let table = table(Schema(name: "t", key: .text, columns: [Column("a", .text)]))
    func upsert(_ key: [UInt8], _ text: [UInt8], _ changes: inout Changeset) {
      key.withUnsafeBytes { changes.beginRow(.upsert, textKey: $0) }
      text.withUnsafeBytes { changes.append(text: $0) }
    }
    for _ in 0..<2 {
      var changes = Changeset()
      for number in 0..<60 as Range<UInt8> {
        upsert([65 + number % 26, 48 + number / 26], number == 20 ? [0xC0, 0x80] : [65, 66], &changes)
      }
      upsert([0xFF], [65], &changes)
      upsert([65, 57], [0x61, 0xED, 0xA0, 0x80], &changes)
      let before = table.rejected
      table.apply(changes)
      #expect(table.count == 59 && table.rejected == before + 3)
    }
    var broken = Changeset()
    upsert([65, 48], [0xE2, 0x82], &broken)
    table.apply(broken)
    #expect(cells(table, .text("A0")) == [.text("AB")] && table.lastRejection == "row A0: its cell “a” is not UTF-8")
  }

  @Test func `the last of a batch's rows with the same key is stored`() {
    let table = table(Schema(name: "t", key: .integer, columns: [Column("a", .integer)]))
    var changes = Changeset()
    for number in 0..<200 { changes.upsert(.integer(Int64(number % 70)), [.integer(Int64(number))]) }
    table.apply(changes)
    #expect(table.count == 70)
    for key in 0..<70 { #expect(cells(table, .integer(Int64(key))) == [.integer(Int64((199 - key) / 70 * 70 + key))]) }
  }

  @Test func `a batch fills a table to its limit, and reloads still fit`() {
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .text)])
    let rows = table(schema) { $0.rows = 90 }
    var changes = Changeset()
    for key in 0..<100 { changes.upsert(.integer(Int64(key)), [.text("x")]) }
    rows.apply(changes)
    #expect(
      rows.count == 90 && rows.rejected == 10 && rows.lastRejection == "row 99: the table has its limit of 90 rows")
    // A row weighs 32 bytes, plus 8 for its column, 8 for its key and its text.
    let bytes = table(schema) { $0.tableBytes = 80 * 49 }
    bytes.apply(changes)
    #expect(bytes.count == 80 && bytes.rejected == 20)
    // A full table can be reloaded, with the same rows and with others.
    changes = Changeset.reload((0..<80).map { (.integer($0), [.text("x")]) })
    bytes.apply(changes)
    #expect(bytes.count == 80 && bytes.rejected == 20)
    bytes.apply(Changeset.reload((40..<120).map { (.integer($0), [.text("x")]) }))
    #expect(bytes.count == 80 && bytes.rejected == 20 && order(bytes) == (40..<120).map { .integer($0) })
    rows.apply(Changeset.reload((1..<91).map { (.integer($0), [.text("y")]) }))
    #expect(rows.count == 90 && rows.rejected == 10)
  }

  @Test func `a reload of unchanged rows rejects repeated keys`() {
    let table = table()
    table.apply(list(0..<100))
    let end = table.log.end
    table.apply(list(Array(0..<50) + [20, 49, 50] + Array(50..<100)))
    #expect(table.count == 100 && table.rejected == 3 && table.lastRejection == "row 50: its key is named twice")
    #expect(table.log.end == end)
  }

  @Test func `a row moved during a reload returns to its listed position`() {
    let table = table()
    table.apply(list(0..<6))
    var head = list(0..<3)
    head.endsReload = false
    table.apply(head)
    var move = Changeset()
    move.move(.integer(0), before: .integer(5))
    table.apply(move)
    #expect(order(table) == [1, 2, 3, 4, 0, 5])
    var tail = list(3..<6)
    tail.beginsReload = false
    table.apply(tail)
    #expect(order(table) == [0, 1, 2, 3, 4, 5])
  }

  @Test func `rows inserted by a reload do not move existing ones`() {
    let table = table()
    table.apply(list([1]))
    table.apply(list([2, 3, 4, 1]))
    #expect(order(table) == [2, 3, 4, 1])
    #expect(!table.log.entries.dropFirst().contains { $0.slot == 0 }, "row 1 has moved")
    let end = table.log.end
    // The list comes in parts. Rows inserted by the first part have their position already.
    var head = list([2, 3, 4, 1, 5, 6])
    head.endsReload = false
    var tail = list([7])
    tail.beginsReload = false
    table.apply(head)
    table.apply(tail)
    #expect(order(table) == [2, 3, 4, 1, 5, 6, 7])
    #expect(table.log.end == end + 3)
  }

  @Test func `a reload undoes moves and places reinserted rows in sequence`() {
    let table = table()
    table.apply(list(0..<6))
    func change(_ body: (inout Changeset) -> Void) {
      var changes = Changeset()
      body(&changes)
      table.apply(changes)
    }
    var head = list(0..<4)
    head.endsReload = false
    table.apply(head)
    change { $0.move(1, before: nil) }
    change { $0.delete(2) }
    change { $0.upsert(2, row(2)) }
    var tail = list(4..<6)
    tail.beginsReload = false
    table.apply(tail)
    #expect(order(table) == [0, 1, 3, 2, 4, 5])
    table.apply(list(0..<6))
    #expect(order(table) == [0, 1, 2, 3, 4, 5])
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `random reloads yield their rows in order`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let isText = seed % 2 == 0
    let schema = Schema(name: "t", key: isText ? .text : .integer, columns: Self.schema.columns)
    let table = table(schema)
    func key(_ number: Int) -> RowKey { isText ? .text("key \(number)") : .integer(Int64(number)) }
    var list: [(key: Int, version: Int)] = []
    for step in 0..<25 {
      if random.oneIn(3) { table.forgetChanges(before: table.log.end) }
      // Runs of rows are deleted, inserted, changed and moved.
      for _ in 0..<random.number(0...4) where !list.isEmpty {
        let start = random.number(0...list.count - 1)
        let run = start..<min(list.count, start + random.number(1...20))
        switch random.number(0...2) {
        case 0: list.removeSubrange(run)
        case 1: for place in run { list[place].version = random.number(0...60) }
        default:
          let moved = Array(list[run])
          list.removeSubrange(run)
          list.insert(contentsOf: moved, at: random.number(0...list.count))
        }
      }
      let coming = (0..<random.number(0...90)).map { (key: step * 100 + $0, version: random.number(0...60)) }
      list.insert(contentsOf: coming, at: random.number(0...list.count))
      table.apply(.reload(list.map { (key($0.key), row($0.version)) }))
      #expect(table.rejected == 0 && order(table) == list.map { key($0.key) }, "seed \(seed), step \(step)")
      for entry in list {
        #expect(cells(table, key(entry.key)) == row(entry.version).map(asStored), "seed \(seed), step \(step)")
      }
    }
  }

  /// Returns a table after changesets of a random list, in batches or record by record.
  ///
  /// Rows are replaced in place, inserted, deleted, changed, moved, repeated and unfit.
  private func table(ofRandomList seed: UInt64, recordByRecord: Bool) -> Table {
    var random = SeededGenerator(seed: seed)
    let isText = random.oneIn(2)
    let schema = Schema(name: "t", key: isText ? .text : .integer, columns: Self.schema.columns)
    let isTight = random.oneIn(4)
    let table = table(schema) { limits in
      limits.cellBytes = 20
      if isTight { (limits.rows, limits.tableBytes) = (150, 20_000) }
    }
    var list: [(key: Int, version: Int)] = (0..<130).map { ($0, $0) }
    var next = list.count
    for _ in 0..<25 {
      let isReload = random.oneIn(2)
      if random.oneIn(2) { table.forgetChanges(before: table.log.end) }
      for _ in 0..<random.number(0...12) where list.count > 80 {
        let place = random.number(0...list.count - 1)
        switch random.number(0...6) {
        case 0, 1: (list[place].key, next) = (next, next + 1)
        case 2: list[place].version = random.number(0...60)
        case 3: list.swapAt(place, random.number(0...list.count - 1))
        case 4: list.remove(at: place)
        case 5:
          list.insert((next, 1), at: place)
          next += 1
        default: list.insert((list[place].key, random.number(0...60)), at: random.number(0...list.count))
        }
      }
      let records: [(RowKey, [Cell])] = list.map { entry in
        var cells = row(entry.version)
        if random.oneIn(100) { cells[2] = .text("a text of 21 bytes...") }
        return (isText ? .text("key \(entry.key)") : .integer(Int64(entry.key)), cells)
      }
      var whole = Changeset.reload(recordByRecord ? [] : records)
      (whole.beginsReload, whole.endsReload) = (isReload, isReload && !recordByRecord)
      table.apply(whole)
      guard recordByRecord else { continue }
      for (key, cells) in records {
        var one = Changeset()
        one.upsert(key, cells)
        table.apply(one)
      }
      var end = Changeset()
      end.endsReload = isReload
      table.apply(end)
    }
    return table
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `a batch has the effect of its records one by one`(seed: UInt64) {
    let tables = [false, true].map { table(ofRandomList: seed, recordByRecord: $0) }
    let (together, single) = (tables[0], tables[1])
    let keys = order(together)
    #expect(keys == order(single) && together.count == single.count && together.bytes == single.bytes)
    #expect(together.rejected == single.rejected && together.lastRejection == single.lastRejection)
    for key in keys {
      #expect(cells(together, key) == cells(single, key), "\(key)")
      #expect(together.slot(of: key).map { together.id(of: $0) } == single.slot(of: key).map { single.id(of: $0) })
    }
    together.checkInvariants()
  }

  @Test func `buffers are equal only if all their bytes are`() {
    for count in 0...33 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
      bytes.withUnsafeBytes { a in
        Array(bytes).withUnsafeBytes { #expect(equal(a, $0)) }
        #expect(!equal(a, UnsafeRawBufferPointer(rebasing: a.dropLast())) || count == 0)
        for place in 0..<count {
          var other = bytes
          other[place] ^= 1
          other.withUnsafeBytes { #expect(!equal(a, $0), "\(count) bytes, another at \(place)") }
        }
      }
    }
  }
}
