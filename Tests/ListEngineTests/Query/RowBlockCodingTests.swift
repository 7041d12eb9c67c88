import Foundation
import Testing

@testable import ListEngine

/// Recorded blocks of a windowed source round-trip bit by bit.
@Suite struct RowBlockCodingTests {
  private let block = RowBlock(
    [
      (
        .integer(-7),
        [.null, .integer(.min), .number(-0.0), .text("é\u{0}"), .boolean(true), .timestamp(.max), .image("key")]
      ),
      (.text("a key"), [.series([1, -2.5, .leastNonzeroMagnitude]), .boolean(false)]),
    ], hasMore: true, count: 12, begin: BlockCursor("before"), end: BlockCursor("behind"))

  @Test func `a block is decoded as it was encoded`() throws {
    let read = try JSONDecoder().decode(RowBlock.self, from: JSONEncoder().encode(block))
    #expect(read.rows.map(\.key) == block.rows.map(\.key))
    #expect(read.rows.map(\.cells) == block.rows.map(\.cells))
    guard case .number(let zero) = read.rows[0].cells[2] else {
      Issue.record("\(read.rows[0].cells[2]) is not a number")
      return
    }
    #expect(zero.sign == .minus)
    #expect(read.hasMore && read.count == 12)
    #expect(read.begin == block.begin && read.end == block.end)
    #expect(!read.isCountEstimated)
    var estimated = block
    estimated.isCountEstimated = true
    #expect(try JSONDecoder().decode(RowBlock.self, from: JSONEncoder().encode(estimated)).isCountEstimated)
  }

  @Test func `refuses a block with a different number of keys and rows`() throws {
    let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(block))
    var damaged = try #require(encoded as? [String: Any])
    damaged["cells"] = []
    let data = try JSONSerialization.data(withJSONObject: damaged)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(RowBlock.self, from: data) }
  }
}
