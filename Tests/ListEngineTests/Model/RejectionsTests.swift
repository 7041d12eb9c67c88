import Testing

@testable import ListEngine

/// Rejected rows are counted by reason, with an example of each.
@Suite struct RejectionsTests {
  @Test func `counts by reason without row and line`() {
    var rejections = Rejections()
    rejections.note("row 1", "its cell “a” is a text (line 4)\n{\"id\":1}")
    rejections.note("row 2", "its cell “a” is a text (line 9)\n{\"id\":2}")
    rejections.note("", "line 12: it is not JSON: x\nnoise")
    rejections.note("", "line 13, row 2: it is not JSON: x", count: 3)
    #expect(
      rejections.reasons == [
        RejectionReason(
          reason: "its cell “a” is a text", count: 2, example: "row 2: its cell “a” is a text (line 9): {\"id\":2}"),
        RejectionReason(reason: "it is not JSON: x", count: 4, example: "line 13, row 2: it is not JSON: x"),
      ])
    #expect(rejections.total == 6)
    #expect(rejections.last == "line 13, row 2: it is not JSON: x")
  }

  @Test func `counts eight reasons separately and the others together`() {
    var rejections = Rejections()
    for number in 0..<1_000 { rejections.note("", "reason \(number)") }
    #expect(rejections.reasons.count == 8)
    #expect(rejections.reasons[6] == RejectionReason(reason: "reason 6", count: 1, example: "reason 6"))
    #expect(rejections.reasons[7] == RejectionReason(reason: "other reasons", count: 993, example: "reason 999"))
  }

  @Test func `notes the first, tenth and hundredth of each reason`() {
    var rejections = Rejections()
    var noted: [String] = []
    for number in 1...1_234 {
      rejections.note("row \(number)", "a")
      if number % 2 == 0 { rejections.note("row \(number)", "b") }
      noted += rejections.takeNotes().map { "\($0.reason)\($0.count)" }
    }
    #expect(noted == ["a1", "b1", "a10", "b10", "a100", "b100", "a1000"])
    rejections.note("", "b", count: 5_000)
    #expect(rejections.takeNotes().map(\.count) == [5_617])
    #expect(rejections.takeNotes().isEmpty)
  }

  @Test func `keeps reasons and examples short`() {
    var rejections = Rejections()
    rejections.note("", String(repeating: "é", count: 9_000) + "\n" + String(repeating: "x", count: 9_000))
    #expect(rejections.reasons[0].reason.count == 200)
    #expect(rejections.reasons[0].example.count == 400)
  }
}
