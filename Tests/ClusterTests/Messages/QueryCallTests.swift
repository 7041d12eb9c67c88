import ListEngine
import Testing

@testable import Cluster

/// Requests to a windowed source, and their answers, as relays and publishers exchange them.
@Suite struct QueryCallTests {
  private static let schema = Schema(
    name: "jobs", key: .integer, columns: [Column("id", .integer), Column("name", .text), Column("at", .timestamp)])
  /// The same columns in another order, with one more.
  private static let other = Schema(
    name: "jobs", key: .integer,
    columns: [Column("at", .timestamp), Column("new", .text), Column("name", .text), Column("id", .integer)])
  private static let id = BlockRequestID(rawValue: 77)

  /// Every kind of filter, on these columns.
  private static func filter(id: Int, name: Int, at: Int) -> Filter<Int> {
    .all([
      .any([.contains(name, "a"), .startsWith(name, "é"), .matches(name, "^b", ignoringCase: true)]),
      .not(.isEmpty(name)), .compare(id, .greaterOrEqual, .integer(.max)),
      .range(id, from: nil, through: .integer(9)), .oneOf(name, [.text("x"), .null]),
      .age(at, .less, .timestamp(5)),
    ])
  }

  private static func rows(_ query: Query, section: [Cell] = []) -> BlockRequest {
    let cursor = BlockCursor("[\"e\u{301}\"]")
    return BlockRequest(
      id: id, query: query, section: section, what: .rows(after: cursor, upTo: nil, skip: 3, count: 50))
  }

  /// Sends a request through bytes to a publisher with this schema.
  private static func sent(_ request: BlockRequest, to schema: Schema) throws -> BlockRequest? {
    let call = QueryCall(node: "n", number: 1, content: .init(request, Self.schema), expires: 9)
    let read: QueryCall = try #require(CallCoding.decoded(CallCoding.bytes(call)))
    return read.content?.request(id, schema)
  }

  @Test func `a request arrives as it was sent`() throws {
    let query = Query(
      sort: [SortTerm(2, descending: true), SortTerm(1)], search: "e\u{301}",
      filter: Self.filter(id: 0, name: 1, at: 2),
      group: [1])
    let request = Self.rows(query, section: [.text("x")])
    #expect(try Self.sent(request, to: Self.schema) == request)
    let sections = BlockRequest(id: Self.id, query: query, section: [], what: .sections(limit: 7))
    #expect(try Self.sent(sections, to: Self.schema) == sections)
  }

  @Test func `columns are found by their names`() throws {
    let query = Query(sort: [SortTerm(0)], filter: Self.filter(id: 0, name: 1, at: 2), group: [1])
    let moved = Query(sort: [SortTerm(3)], filter: Self.filter(id: 3, name: 2, at: 0), group: [2])
    #expect(try Self.sent(Self.rows(query), to: Self.other) == Self.rows(moved))
    let fewer = Schema(name: "jobs", key: .integer, columns: [Column("id", .integer)])
    #expect(try Self.sent(Self.rows(query), to: fewer) == nil)
  }

  @Test func `the rows of an answer keep their order, keys and cells`() throws {
    let block = RowBlock(
      [
        (.text("b"), [.integer(.min), .text("x\u{0}y"), .number(-0.0)]), (.text("a"), [.null, .boolean(true), .null]),
      ],
      hasMore: true, count: 12, isCountEstimated: true, begin: nil, end: BlockCursor("z"))
    guard case .rows(let read)? = QueryAnswer(decoding: QueryAnswer.rows(block).encoded) else {
      Issue.record("the answer is not read")
      return
    }
    #expect(read.rows.map(\.key) == block.rows.map(\.key))
    #expect(read.rows.map(\.cells) == block.rows.map(\.cells))
    #expect(read.hasMore && read.count == 12 && read.isCountEstimated && read.begin == nil && read.end == block.end)
  }

  @Test func `sections and failures are answers`() throws {
    let sections = [SectionCount([.text("a")], count: 3), SectionCount([.null], count: 1)]
    guard case .sections(let read)? = QueryAnswer(decoding: QueryAnswer.sections(sections).encoded),
      case .failed(let reason)? = QueryAnswer(decoding: QueryAnswer.failed("no").encoded)
    else {
      Issue.record("an answer is not read")
      return
    }
    #expect(read == sections)
    #expect(reason == "no")
  }

  @Test func `cut or invalid bytes are no answer`() {
    let bytes = QueryAnswer.rows(RowBlock([(.integer(1), [.text("x")])], hasMore: false)).encoded
    for count in 0..<bytes.count { #expect(QueryAnswer(decoding: Array(bytes.prefix(count))) == nil) }
    #expect(QueryAnswer(decoding: [255, 255, 255, 255]) == nil)
    #expect(QueryAnswer(decoding: [2, 0, 0, 0, 0x7B, 0x7D]) == nil)
  }

  @Test(arguments: [0, 1, 9, 10, 11, 30])
  func `an answer is joined from its parts`(_ count: Int) {
    let answer = (0..<count).map { UInt8($0) }
    let messages = AnswerParts.cut(answer, greatest: 10)
    #expect(messages.count == max(1, (count + 9) / 10))
    var parts = AnswerParts()
    for message in messages.dropLast() { #expect(parts.take(message) == .waiting) }
    #expect(parts.take(messages[messages.count - 1]) == .whole(answer))
  }

  @Test func `a missing, repeated or invalid part breaks an answer`() {
    let messages = AnswerParts.cut(Array(repeating: 7, count: 25), greatest: 10)
    var missing = AnswerParts()
    #expect(missing.take(messages[1]) == .broken)
    var repeated = AnswerParts()
    #expect(repeated.take(messages[0]) == .waiting)
    #expect(repeated.take(messages[0]) == .broken)
    for invalid in [[], [0, 0, 0, 0], [0, 0, 0, 0, 2]] as [[UInt8]] {
      var parts = AnswerParts()
      #expect(parts.take(invalid) == .broken)
    }
  }
}
