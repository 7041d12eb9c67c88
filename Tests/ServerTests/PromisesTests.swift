import Foundation
import Testing

/// Tests that each test named in docs/promises.md exists.
@Suite struct PromisesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  private func files(_ folder: String, _ suffixes: [String]) throws -> [URL] {
    let place = Self.root.appending(path: folder)
    let files = try #require(FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil))
    return files.compactMap { $0 as? URL }.filter { suffixes.contains($0.pathExtension) }
  }

  @Test func `every test that the promises document names exists`() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/promises.md"), encoding: .utf8)
    let makefile = try String(contentsOf: Self.root.appending(path: "Makefile"), encoding: .utf8)
    let storm = try String(contentsOf: Self.root.appending(path: "Tests/Long/storm"), encoding: .utf8)
    // Bytes, because searching a text of this size compares characters, which takes many seconds.
    var tests = Data()
    for file in try files("Tests", ["swift", "py", "mjs"]) { tests += try Data(contentsOf: file) }
    var (named, lines) = (0, 0)
    for line in page.split(separator: "\n") where line.hasPrefix("| T") || line.hasPrefix("| F") {
      lines += 1
      let shown = try #require(line.split(separator: "|", omittingEmptySubsequences: false).dropLast().last)
      for name in shown.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter({ !$0.offset.isMultiple(of: 2) }).map(\.element)
      {
        named += 1
        if name.hasPrefix("make ") {
          #expect(makefile.contains("\n\(name.dropFirst(5)): ##"), "there is no \(name)")
        } else {
          let isThere = ["func \(name)(", "func `\(name)`(", "def \(name)(", "struct \(name) {", "test('\(name)',"]
            .contains { tests.range(of: Data($0.utf8)) != nil }
          #expect(isThere, "the test \(name) is missing")
        }
      }
      for scenario in shown.split(separator: "make storm` (").dropFirst() {
        let scenario = scenario.prefix { $0 != ")" }
        #expect(storm.contains("\n    \"\(scenario)\": \(scenario).run,\n"), "make storm has no \(scenario)")
      }
    }
    #expect(lines >= 40 && named >= 80, "\(lines) lines name \(named) tests")
  }
}
