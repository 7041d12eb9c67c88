import ListEngine
import Testing

@testable import Cluster

/// Ranges of keys, the option that names them, and the names of parts.
@Suite struct KeyRangeTests {
  private static func texts(_ from: String, _ to: String) -> KeyRange { KeyRange(from: from, to: to, of: .text)! }

  @Test func `a range has its first key and not its end`() throws {
    let range = Self.texts("b", "d")
    for (key, isInside) in [("a", false), ("azz", false), ("b", true), ("bé", true), ("czz", true), ("d", false)] {
      #expect(range.contains(.text(key)) == isInside, "\(key)")
    }
  }

  @Test func `texts are ordered by their bytes`() throws {
    let range = Self.texts("Z", "z")
    #expect(range.contains(.text("a")) && !range.contains(.text("A")))
    // Both show é: one is a letter, and the other an e with an accent.
    let (one, two) = ("\u{E9}", "e\u{301}")
    #expect(RowKey.text(two).precedes(.text(one)) && !RowKey.text(one).precedes(.text(two)))
    #expect(KeyBound.before(.text(one)) != .before(.text(two)))
    var keys = PartKeys()
    for key in [one, two] { keys.name(.text(key), at: .zero) }
    #expect(keys.count == 2)
  }

  @Test func `integers are ordered by their values`() throws {
    let range = try #require(KeyRange(from: "-5", to: "10", of: .integer))
    #expect(range.contains(.integer(9)) && range.contains(.integer(-5)) && !range.contains(.integer(10)))
    #expect(KeyRange(from: "a", to: "", of: .integer) == nil)
    #expect(KeyRange(from: "", to: "99999999999999999999", of: .integer) == nil)
  }

  @Test func `open ends have the least and the greatest keys`() throws {
    let (low, high) = (try #require(KeyRange(from: "", to: "0", of: .integer)), Self.texts("m", ""))
    #expect(low.contains(.integer(.min)) && !low.contains(.integer(0)))
    #expect(high.contains(.text("m")) && high.contains(.text("\u{10FFFF}")) && !high.contains(.text("")))
    #expect(KeyRange.everything.contains(.text("")) && KeyRange.everything.contains(.integer(.max)))
    #expect("\(low) \(high) \(KeyRange.everything)" == "..0 m.. ..")
  }

  @Test func `an argument is a range, for one table or all others`() throws {
    let keys = try PublishedKeys(arguments: ["orders=a..m", "..5", "odd=k=v.."])
    #expect(keys.part(of: "orders", .text) == .keys(Self.texts("a", "m")))
    #expect(keys.part(of: "jobs", .integer) == .keys(try #require(KeyRange(from: "", to: "5", of: .integer))))
    #expect(keys.part(of: "odd", .text) == .keys(Self.texts("k=v", "")))
    #expect(try PublishedKeys(arguments: ["orders=a..m"]).part(of: "jobs", .text) == .everything)
    guard case .refused(let reason) = keys.part(of: "orders", .integer) else {
      Issue.record("texts are a range of integers")
      return
    }
    #expect(reason.contains("type integer") && reason.contains("1..1000"))
    // A range of numbers that is none of texts.
    let numbers = try PublishedKeys(arguments: ["9..10"])
    #expect(numbers.part(of: "jobs", .integer).range?.contains(.integer(9)) == true)
    guard case .refused = numbers.part(of: "jobs", .text) else {
      Issue.record("an empty range is accepted")
      return
    }
  }

  @Test(arguments: [
    (["a"], "must be a range of keys"), (["a...m"], "must be a range of keys"), (["=a..m"], "must be a range of keys"),
    (["a..m..z"], "must be a range of keys"), ([".."], "holds every key"), (["orders=.."], "holds every key"),
    (["m..a"], "holds no key"), (["5..5"], "holds no key"), (["a..m", "m.."], "two ranges"),
    (["x=a..m", "x=m.."], "the table x has two ranges"),
    ([String(repeating: "k", count: 49) + ".."], "more than 48 bytes"),
  ])
  func `refuses an argument with the remedy`(_ arguments: [String], _ reason: String) {
    #expect {
      try PublishedKeys(arguments: arguments)
    } throws: { error in
      guard let fault = error as? PublishedKeys.Fault else { return false }
      return fault.text.contains(reason) && fault.index == arguments.count - 1
    }
  }

  @Test func `a part has names that no table and no other part has`() throws {
    let plain = TableNames("jobs")
    #expect(TableNames("jobs", part: nil) == plain && plain.stream == "ROWCAST_jobs")
    let part = TableNames("jobs", part: Self.texts("a/b", "m"))
    #expect(part.token == "jobs==a=2Fb==m")
    #expect(part.stream == "ROWCAST_jobs==a=2Fb==m" && part.changes == "rowcast.changes.jobs==a=2Fb==m")
    var tokens: Set<String> = [plain.token]
    for (from, to) in [("", "m"), ("m", ""), ("=", "m"), ("", "="), ("", "=m"), ("a", "m"), ("a=", "m"), ("a", "m=")] {
      let token = TableNames("jobs", part: Self.texts(from, to)).token
      #expect(tokens.insert(token).inserted, "\(token)")
      for table in ["jobs==a", "jobs=", "jobs==", "jobs==a==m"] { #expect(TableNames(table).token != token) }
    }
  }

  @Test func `the entry of an unsplit table keeps its bytes`() throws {
    let entry = SnapshotEntry(
      table: "jobs", position: 1, fence: 5, id: "5-9", first: 7, chunks: 2, sequence: 9, time: 11)
    let text = #"{"chunks":2,"fence":5,"first":7,"id":"5-9","position":1,"sequence":9,"table":"jobs","time":11}"#
    #expect(String(decoding: entry.encoded, as: UTF8.self) == text)
    #expect(SnapshotEntry(decoding: Array(text.utf8)) == entry && entry.range == .everything)
  }

  @Test func `the entry of a part is refused by a version without parts`() throws {
    /// The entry as that version reads it.
    struct Former: Decodable {
      var table: String
      var position: Int
      var fence: UInt64
      var id: String
      var first, chunks, sequence: UInt64
      var time: Int64
    }
    let range = try #require(KeyRange(from: "", to: "100", of: .integer))
    let entry = SnapshotEntry(
      table: "jobs", position: 1, fence: 5, id: "5-9", first: 7, chunks: 2, sequence: 9, time: 11,
      part: TablePart(range, .integer, publisher: "host:12"))
    let read = try #require(SnapshotEntry(decoding: entry.encoded))
    #expect(read == entry && read.table == "jobs" && read.range == range && read.part?.publisher == "host:12")
    #expect(throws: DecodingError.self) { try FormerDecoder.decode(Former.self, entry.encoded) }
    let plain = SnapshotEntry(table: "jobs", position: 1, fence: 5, id: "a", first: 7, chunks: 2, sequence: 9, time: 11)
    #expect(try FormerDecoder.decode(Former.self, plain.encoded).table == "jobs")
  }

  @Test(arguments: [
    #"{"key":"integer","from":"x","publisher":"p"}"#, #"{"key":"text","from":"m","to":"a","publisher":"p"}"#,
    #"{"key":"text","from":"","publisher":"p"}"#,
  ])
  func `an invalid range in an entry is no range`(_ part: String) throws {
    let text =
      #"{"chunks":2,"fence":5,"first":7,"id":"5-9","part":"# + part
      + #","position":1,"sequence":9,"splitTable":"jobs","time":11}"#
    #expect(try #require(SnapshotEntry(decoding: Array(text.utf8))).range == nil)
  }
}
