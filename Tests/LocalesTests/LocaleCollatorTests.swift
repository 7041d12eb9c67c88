import ListEngine
import Locales
import Testing

@Suite struct LocaleCollatorTests {
  private func key(_ text: String, _ collator: LocaleCollator) -> [UInt8] {
    var text = text
    var key: [UInt8] = [7]
    text.withUTF8 { collator.appendKey(of: UnsafeRawBufferPointer($0), to: &key) }
    // What was there stays.
    #expect(key.first == 7)
    return Array(key.dropFirst())
  }

  private func sorted(_ texts: [String], _ tag: String, isNumeric: Bool = false) throws -> [String] {
    let collator = try #require(LocaleCollator(tag, isNumeric: isNumeric))
    return texts.sorted { key($0, collator).lexicographicallyPrecedes(key($1, collator)) }
  }

  @Test func `sorts by the rules of the language`() throws {
    let words = ["zebra", "ähnlich", "apfel", "Öl", "ost"]
    #expect(try sorted(words, "de") == ["ähnlich", "apfel", "Öl", "ost", "zebra"])
    #expect(try sorted(words, "sv") == ["apfel", "ost", "zebra", "ähnlich", "Öl"])
  }

  @Test func `an extension in the tag selects another order`() throws {
    let names = ["Ad", "Ae", "Äf", "Af"]
    #expect(try sorted(names, "de") == ["Ad", "Ae", "Af", "Äf"])
    #expect(try sorted(names, "de-u-co-phonebk") == ["Ad", "Ae", "Äf", "Af"])
  }

  @Test func `sorts runs of digits as numbers only when requested`() throws {
    #expect(try sorted(["a10", "a9"], "en", isNumeric: true) == ["a9", "a10"])
    #expect(try sorted(["a10", "a9"], "en") == ["a10", "a9"])
  }

  @Test(arguments: ["xx", "tlh", "not a locale", "", "-", "de-", "zz-Latn"])
  func `has no collator for unknown or malformed language tags`(tag: String) {
    #expect(LocaleCollator(tag, isNumeric: false) == nil)
  }

  @Test func `compares only a bounded prefix of a long text`() throws {
    let collator = try #require(LocaleCollator("de", isNumeric: false))
    let long = String(repeating: "ä", count: 1000)
    #expect(key(long + "a", collator) == key(long + "b", collator))
    #expect(key(String(long.dropLast()) + "a", collator) != key(String(long.dropLast()) + "b", collator))
    #expect(key(String(repeating: "𝔘", count: 20_000), collator).count < 20_000)
  }

  @Test func `sorts an empty text first`() throws {
    let collator = try #require(LocaleCollator("de", isNumeric: false))
    #expect(key("", collator).lexicographicallyPrecedes(key("a", collator)))
  }

  @Test func `the engine sorts a column by its locale`() throws {
    var engine = Engine(epoch: "test", collators: LocaleCollator.find)
    let schema = Schema(
      name: "words", key: .integer, columns: [Column("word", .text, collation: .locale("sv", numeric: true))])
    let table = try engine.addTable(schema, at: .zero)
    let words = ["ö10", "z", "ö9", "ä"]
    engine.handle(
      .changes(table, .reload(words.enumerated().map { (.integer(Int64($0)), [.text($1)]) })), at: .zero)
    let query = QueryRequest(sort: [("word", false)])
    engine.handle(
      .open(SessionID(rawValue: 1), table: "words", request: 1, query: query, viewport: nil, interval: nil), at: .zero)
    var shown: [Cell] = []
    for case .deliver(_, let delivery) in engine.advance(to: .zero) {
      shown = delivery.patch.result.items.map { if case .row(let row) = $0 { row.cells[0] } else { .null } }
    }
    #expect(shown == ["z", "ä", "ö9", "ö10"].map { .text($0) })
  }

  @Test func `the engine refuses a column with an unknown locale`() {
    var engine = Engine(epoch: "test", collators: LocaleCollator.find)
    let schema = Schema(name: "words", key: .integer, columns: [Column("word", .text, collation: .locale("xx"))])
    #expect(throws: SchemaError.unknownLocale("xx", column: "word")) { try engine.addTable(schema, at: .zero) }
  }
}
