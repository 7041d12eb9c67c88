import ListEngine
import ListTesting
import Testing

@testable import Cluster

/// The merging of parts, without streams.
@Suite struct PartMergeTests {
  private static let schema = Schema(
    name: "jobs", key: .text, columns: [Column("name", .text), Column("size", .integer)])

  private static func range(_ from: String, _ to: String) -> KeyRange { KeyRange(from: from, to: to, of: .text)! }

  private static func claim(_ from: String, _ to: String, fence: UInt64 = 1) -> TableClaim {
    TableClaim(range: range(from, to), publisher: "node \(from)..\(to)", fence: fence)
  }

  private static func reload(_ keys: [String], _ size: Int64 = 0) -> SourceEvent {
    .changes(.reload(keys.map { (.text($0), [.text($0), .integer(size)]) }))
  }

  private static func upsert(_ key: String, _ size: Int64 = 0) -> SourceEvent {
    var changes = Changeset()
    changes.upsert(.text(key), [.text(key), .integer(size)])
    return .changes(changes)
  }

  /// A merge and its table.
  private struct Played {
    var merge = PartMerge()
    let copy = MergedCopy()

    mutating func read(_ part: Int, fence: UInt64 = 1, schema: Schema = PartMergeTests.schema, _ keys: [String]) {
      begin(part, fence)
      apply(part, .schema(schema))
      apply(part, PartMergeTests.reload(keys))
      apply(part, .state(.live, message: ""))
      end(part)
    }

    mutating func begin(_ part: Int, _ fence: UInt64) {
      copy.apply(merge.begin(part, fence: fence, publisher: "publisher \(part)", at: .zero))
    }

    mutating func end(_ part: Int) { copy.apply(merge.end(part)) }

    mutating func apply(_ part: Int, _ event: SourceEvent) {
      copy.apply(merge.apply(event, of: part, at: .zero))
    }

    mutating func note(_ part: Int, isLive: Bool) { copy.apply(merge.note(part, isLive: isLive)) }

    /// Whether each part must be read again; asks once.
    mutating func takeReadings() -> [Bool] { (0..<3).map { merge.takeReading($0) } }

    var keys: [String] { copy.rows.keys.map { "\($0.key)" }.sorted() }
    var state: SourceState? { copy.state?.0 }
    var message: String { copy.state?.1 ?? "" }
  }

  /// Two parts that were read.
  private static func two() -> Played {
    var played = Played()
    let (low, high) = (played.merge.add(claim("", "m", fence: 1)), played.merge.add(claim("m", "", fence: 2)))
    played.read(low, fence: 1, ["a", "b"])
    played.read(high, fence: 2, ["m", "x"])
    return played
  }

  @Test func `parts are one table, which is whole after the last part`() {
    var played = Played()
    let (low, high) = (played.merge.add(Self.claim("", "m")), played.merge.add(Self.claim("m", "")))
    played.read(low, ["a", "b"])
    #expect(!played.merge.isWhole && played.state == .starting)
    played.read(high, ["m", "x"])
    #expect(played.merge.isWhole && played.state == .live && played.message == "")
    #expect(played.keys == ["a", "b", "m", "x"])
    #expect(played.copy.schemas == 1)
  }

  @Test func `a reload of a part deletes none of another part's rows`() {
    var played = Self.two()
    played.apply(0, Self.reload(["b", "c"]))
    #expect(played.keys == ["b", "c", "m", "x"])
    played.apply(1, Self.reload([]))
    #expect(played.keys == ["b", "c"])
  }

  @Test func `an abandoned reload deletes nothing`() {
    var played = Self.two()
    var begin = Changeset()
    begin.beginsReload = true
    played.apply(0, .changes(begin))
    played.apply(0, Self.upsert("c"))
    var abandon = Changeset()
    abandon.abandonsReload = true
    played.apply(0, .changes(abandon))
    #expect(played.keys == ["a", "b", "c", "m", "x"])
  }

  @Test func `a key that a reload names twice is rejected, as elsewhere`() {
    var played = Self.two()
    played.apply(
      0,
      .changes(
        .reload([
          (.text("a"), [.text("one"), .integer(1)]), (.text("a"), [.text("two"), .integer(2)]),
        ])))
    #expect(played.copy.rows[ExactKey(key: .text("a"))] == [.text("one"), .integer(1)])
    #expect(played.copy.rejections == 1)
  }

  @Test func `rows of a silent part stay, and the state names its keys`() {
    var played = Self.two()
    for part in 0...1 { played.note(part, isLive: true) }
    played.note(1, isLive: false)
    played.apply(1, .state(.stale, message: "nothing has come from the publisher for 3 s"))
    #expect(played.keys == ["a", "b", "m", "x"])
    #expect(played.state == .stale && played.message == "the keys m..: nothing has come from the publisher for 3 s")
    played.apply(0, Self.upsert("c"))
    #expect(played.keys == ["a", "b", "c", "m", "x"])
    played.read(1, fence: 7, ["y"])
    played.note(1, isLive: true)
    #expect(played.state == .live && played.keys == ["a", "b", "c", "y"])
  }

  @Test func `two live publishers of a key are an error with its remedy`() {
    var played = Self.two()
    for part in 0...1 { played.note(part, isLive: true) }
    let other = played.merge.add(Self.claim("k", "p", fence: 5))
    played.read(other, fence: 5, ["k", "n"])
    // The live publishers keep their keys.
    #expect(played.state == .live && played.keys == ["a", "b", "m", "x"])
    played.note(other, isLive: true)
    #expect(played.state == .failed && played.takeReadings() == [false, false, true])
    played.read(other, fence: 5, ["k", "n"])
    let remedy = "change --publish-keys of one of them"
    #expect(
      played.message
        == "two publishers have the keys k..m: publisher 0 (..m) and publisher 2 (k..p): \(remedy); "
        + "two publishers have the keys m..p: publisher 2 (k..p) and publisher 1 (m..): \(remedy)")
    // The later lease wins, and its rows are shown.
    #expect(played.keys == ["a", "b", "k", "n", "x"])
    played.note(other, isLive: false)
    #expect(played.state == .live)
    #expect(played.takeReadings() == [true, true, false])
    #expect(played.takeReadings() == [false, false, false])
    played.read(0, fence: 1, ["a", "b"])
    #expect(played.keys == ["a", "b", "n", "x"])
    played.read(1, fence: 2, ["m", "x"])
    #expect(played.keys == ["a", "b", "m", "x"])
  }

  @Test func `new parts replace a former publisher of all keys`() {
    var played = Played()
    let all = played.merge.add(TableClaim(range: .everything, publisher: "all", fence: 1))
    played.read(all, fence: 1, ["a", "b", "x", "z"])
    #expect(played.merge.isWhole)
    let low = played.merge.add(Self.claim("", "m", fence: 4))
    let high = played.merge.add(Self.claim("m", "", fence: 5))
    // Until the new parts are read, the former rows stay.
    #expect(played.keys == ["a", "b", "x", "z"])
    played.read(low, fence: 4, ["a", "c"])
    #expect(played.keys == ["a", "c", "x", "z"])
    played.read(high, fence: 5, ["y"])
    #expect(played.keys == ["a", "c", "y"] && played.state == .live)
    played.apply(all, Self.upsert("q"))
    #expect(played.keys == ["a", "c", "y"])
  }

  /// A table with rows of one publisher of all keys, which is split.
  private static func adopting(_ keys: [String]) -> Played {
    var played = Played()
    let all = TableClaim(range: .everything, publisher: "all", fence: 1)
    played.copy.apply([.schema(schema), reload(keys), .state(.live, message: "")])
    _ = played.merge.add(all)
    played.merge.adopt(0, at: .zero)
    _ = played.merge.add(claim("", "m", fence: 4))
    _ = played.merge.add(claim("m", "", fence: 5))
    return played
  }

  @Test func `a table that is split while it is shown keeps its rows`() {
    var played = Self.adopting(["a", "b", "x", "z"])
    #expect(played.takeReadings() == [true, false, false])
    // The new parts wait for the former one.
    played.read(1, fence: 4, ["a", "c"])
    #expect(played.keys == ["a", "b", "x", "z"])
    played.read(0, fence: 1, ["a", "b", "y", "z"])
    #expect(played.keys == ["a", "b", "y", "z"] && played.takeReadings() == [false, true, false])
    played.read(2, fence: 5, ["y"])
    #expect(played.keys == ["a", "b", "y"])
    played.read(1, fence: 4, ["a", "c"])
    #expect(played.keys == ["a", "c", "y"])
  }

  @Test func `a split table whose former rows are unreadable begins without rows`() {
    var played = Self.adopting(["a", "x"])
    played.begin(0, 1)
    played.copy.apply(played.merge.fail(0, at: .zero))
    // It may be tried again.
    #expect(played.keys == ["a", "x"])
    played.begin(0, 1)
    played.copy.apply(played.merge.fail(0, at: Instant.zero.advanced(by: PartMerge.adoptionPatience)))
    #expect(played.keys == [])
    played.read(1, fence: 4, ["a", "c"])
    #expect(played.keys == ["a", "c"])
  }

  @Test func `former rows that are not read in time are given up`() {
    var played = Self.adopting(["a", "x"])
    let end = Instant.zero.advanced(by: PartMerge.adoptionPatience)
    let early = end.advanced(by: .nanoseconds(-1))
    played.copy.apply(played.merge.begin(1, fence: 4, publisher: "new", at: early))
    #expect(played.keys == ["a", "x"])
    played.copy.apply(played.merge.begin(1, fence: 4, publisher: "new", at: end))
    #expect(played.keys == [])
  }

  @Test func `keys without a publisher are named, and the table is not whole`() {
    var played = Played()
    let low = played.merge.add(Self.claim("b", "m"))
    played.read(low, ["c"])
    #expect(!played.merge.isWhole && played.state == .starting)
    #expect(
      played.message
        == "no publisher has the keys ..b: give one of them --publish-keys ..b; "
        + "no publisher has the keys m..: give one of them --publish-keys m..")
  }

  @Test func `other columns are an error that names them`() {
    var played = Self.two()
    var other = Self.schema
    other.columns = [Column("name", .text), Column("size", .number), Column("owner", .text)]
    played.apply(1, .schema(other))
    #expect(played.state == .failed)
    #expect(
      played.message
        == "the columns of the keys m.. differ: size is number instead of integer, owner is new; "
        + "publish all parts with the same columns")
    // Its former rows stay, and new ones do not come.
    var changes = Changeset()
    changes.upsert(.text("n"), [.text("n"), .number(1), .null])
    played.apply(1, .changes(changes))
    #expect(played.keys == ["a", "b", "m", "x"])
    // The other part follows, and both are read again.
    played.apply(0, .schema(other))
    #expect(played.state == .live && played.copy.schemas == 2)
    #expect(played.takeReadings() == [false, true, false])
  }

  @Test func `a part that is down does not keep others from new columns`() {
    var played = Self.two()
    for part in 0...1 { played.note(part, isLive: true) }
    var other = Self.schema
    other.columns.append(Column("owner", .text))
    played.apply(0, .columnsAdded(other))
    #expect(played.state == .failed && played.copy.schemas == 1)
    played.note(1, isLive: false)
    #expect(played.copy.schemas == 2)
    #expect(played.takeReadings() == [true, false, false])
  }

  @Test func `columns that all parts add keep the rows`() {
    var played = Self.two()
    var other = Self.schema
    other.columns.append(Column("owner", .text))
    played.apply(0, .columnsAdded(other))
    played.apply(1, .columnsAdded(other))
    #expect(played.state == .live && played.keys == ["a", "b", "m", "x"])
    // Changes between the two were not merged.
    #expect(played.takeReadings() == [true, false, false])
  }

  @Test func `rows outside of a part are not merged`() {
    var played = Self.two()
    played.apply(0, Self.upsert("z", 5))
    var changes = Changeset()
    changes.delete(.text("x"))
    changes.upsert(.text("c"), [.text("c"), .integer(1)])
    changes.move(.text("a"), before: .text("x"))
    changes.move(.text("a"), before: nil)
    played.apply(0, .changes(changes))
    #expect(played.keys == ["a", "b", "c", "m", "x"] && played.copy.rejections == 0)
  }

  @Test func `deferred cells come from the owner only`() {
    var played = Self.two()
    let events = (0...1).map { played.merge.apply(.forget(.text("a"), column: 0), of: $0, at: .zero) }
    #expect(events[0].count == 1 && events[1].isEmpty)
  }
}
