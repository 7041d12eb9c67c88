import Testing

@testable import SourceRuntime

@Suite struct MomentsTests {
  private func moment(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { Moments.nanoseconds(rfc3339: UnsafeRawBufferPointer($0)) }
  }

  private func decimal(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { Moments.nanoseconds(decimal: UnsafeRawBufferPointer($0)) }
  }

  @Test func `parses RFC 3339 timestamps to nanoseconds since 1970`() {
    #expect(moment("1970-01-01T00:00:00Z") == 0)
    #expect(moment("2023-11-14T22:13:20.123456789Z") == 1_700_000_000_123_456_789)
    #expect(moment("2023-11-14T22:13:20.1234567899Z") == 1_700_000_000_123_456_789)
    #expect(moment("2023-11-14 22:13:20+00:00") == 1_700_000_000_000_000_000)
    #expect(moment("2023-11-15t00:13:20.5+02:00") == 1_700_000_000_500_000_000)
    #expect(moment("2023-11-14T18:43:20-03:30") == 1_700_000_000_000_000_000)
    #expect(moment("1969-12-31T23:59:59Z") == -1_000_000_000)
    #expect(moment("2024-02-29T00:00:00Z") == 1_709_164_800_000_000_000)
    #expect(moment("2016-12-31T23:59:60Z") == 1_483_228_800_000_000_000)
  }

  @Test(arguments: [
    "", "2023-11-14", "2023-11-14T22:13:20", "2023-13-14T22:13:20Z", "2023-00-14T22:13:20Z", "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z", "2023-04-31T00:00:00Z", "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z",
    "2023-11-14T22:13:61Z",
    "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20+2:00", "2023-11-14T22:13:20+24:00",
    "9999-12-31T23:59:59Z", "2023-11-14_22:13:20Z",
  ])
  func `refuses malformed and impossible timestamps`(_ text: String) { #expect(moment(text) == nil) }

  @Test(
    arguments: [
      ("9999-12-31T00:00:00Z", nil), ("0001-01-01T00:00:00Z", nil),
      ("2262-04-11T23:47:16.854775807Z", Int64.max), ("2262-04-11T23:47:16.854775808Z", nil),
      ("2262-04-11T23:47:17Z", nil),
    ] as [(String, Int64?)])
  func `reports timestamps beyond 64 bits as out of range`(_ text: String, _ nanoseconds: Int64?) {
    var text = text
    let reading = text.withUTF8 { Moments.reading(rfc3339: UnsafeRawBufferPointer($0)) }
    #expect(reading == nanoseconds.map { .exact($0) } ?? .outOfRange)
  }

  @Test func `parses milliseconds with up to six decimals`() {
    #expect(decimal("1700000000000.123456") == 1_700_000_000_000_123_456)
    #expect(decimal("1700000000000") == 1_700_000_000_000_000_000)
    #expect(decimal("1.5") == 1_500_000)
    #expect(decimal("-1.5") == -1_500_000)
    #expect(decimal("-0.5") == -500_000)
    for text in ["", ".", "1.", ".5", "1.1234567", "+1", "1e3", "x", "9223372036855", "1.-5"] {
      #expect(decimal(text) == nil, "\(text)")
    }
  }
}
