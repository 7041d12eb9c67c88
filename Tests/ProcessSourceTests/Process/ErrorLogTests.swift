import ListEngine
import Testing

@testable import ProcessSource

@Suite struct ErrorLogTests {
  private func lines(_ pieces: [(Int64, String)]) -> [String] {
    var log = ErrorLog()
    var lines: [String] = []
    for (second, text) in pieces {
      log.take(text.utf8, at: Instant(nanoseconds: second * 1_000_000_000)) { lines.append($0) }
    }
    log.end { lines.append($0) }
    return lines
  }

  @Test func `joins pieces into lines and skips empty ones`() {
    #expect(lines([(1, "a\nb"), (1, "c\r\n\nd")]) == ["a", "bc", "d"])
  }

  @Test func `cuts lines after 4,096 bytes`() {
    let long = String(repeating: "x", count: 4_096)
    #expect(lines([(1, long + "\n")]) == [long])
    #expect(lines([(1, long + "yz\nb\n")]) == [long + " ...", "b"])
  }

  @Test func `passes 100 lines a second and counts the others`() {
    let many = (0..<150).map { "\($0)\n" }.joined()
    let passed = lines([(1, many), (2, "later\n")])
    #expect(passed.count == 102)
    #expect(passed[99...] == ["99", "(50 more lines within a second are not shown)", "later"])
  }
}
