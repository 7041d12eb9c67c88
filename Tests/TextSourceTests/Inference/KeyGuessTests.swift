import ListEngine
import Testing

@testable import TextSource

@Suite struct KeyGuessTests {
  private func key(_ columns: [String], _ rows: [[String]], _ effort: KeyGuess.Effort = .always) -> [String] {
    KeyGuess.key(of: rows.map { row in zip(columns, row).map { ($0, .text($1)) } }, effort)
  }

  @Test func `takes a unique id column without empty cells as the key`() {
    #expect(key(["name", "ID"], [["a", "1"], ["b", "2"]]) == ["ID"])
    #expect(key(["name", "id"], [["a", "1"], ["b", "1"]], .ifNamed) == [], "a repeated id names no row")
    #expect(key(["name", "id"], [["a", "1"], ["b", ""]], .ifNamed) == [])
    #expect(key(["id"], [["1"]], .never) == [])
    #expect(key(["name"], [["a"]], .ifNamed) == [])
  }

  @Test func `takes a unique PID or NAME column as the key`() {
    #expect(key(["USER", "PID", "TTY"], [["root", "1", "a"], ["root", "2", "b"]]) == ["PID"])
    #expect(key(["NAME", "READY"], [["x", "1/1"], ["y", "1/1"]]) == ["NAME"])
  }

  @Test func `takes another unique text column as the key`() {
    #expect(
      key(["Filesystem", "Used", "Use%", "Mounted on"], [["tmpfs", "1", "2%", "/a"], ["tmpfs", "2", "3%", "/b"]])
        == ["Mounted on"])
  }

  @Test func `takes two columns that are unique together as the key`() {
    #expect(
      key(["NAMESPACE", "NAME", "N"], [["a", "x", "1"], ["a", "y", "2"], ["b", "x", "3"]]) == ["NAMESPACE", "NAME"])
  }

  @Test func `finds no key in repeated texts or in numbers`() {
    #expect(key(["a"], [["x"], ["x"]]) == [])
    #expect(key(["n"], [["1"], ["2"]]) == [], "a number that happens to differ names nothing")
    #expect(key([], []) == [])
  }

  @Test func `neither values nor shares of idle time are keys`() {
    #expect(key(["name", "value"], [["a", "x"], ["a", "y"]]) == ["name", "value"])
    #expect(key(["us", "sy", "id"], [["1", "2", "97"], ["2", "2", "96"]]) == [])
  }
}
