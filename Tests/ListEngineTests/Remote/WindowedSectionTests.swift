import ListTesting
import Testing

@testable import ListEngine

/// Sections grouped by the source.
@Suite struct WindowedSectionTests {
  private let small = WindowedHarness.limits { _ in }

  private func grouped(
    _ paging: WindowedCapabilities.Paging = .offset, rows: Int = 100, limits: Limits? = nil
  ) throws -> WindowedHarness {
    let harness = try WindowedHarness(
      WindowedCapabilities(sort: [0], group: [2], paging: paging), rows: rows, limits: limits ?? small)
    harness.open(query: QueryRequest(group: ["group"]))
    try harness.settle()
    return harness
  }

  @Test(arguments: [WindowedCapabilities.Paging.offset, .keyset, .keysetAndOffset])
  func `shows the source's sections with their rows`(_ paging: WindowedCapabilities.Paging) throws {
    let harness = try grouped(paging, rows: 30)
    #expect(harness.lines() == ["even:15"] + (0..<14).map { "\($0 * 20)" })
    #expect(harness.replica().rows == 30)
    harness.scroll(first: 12)
    try harness.settle()
    #expect(harness.lines().contains("odd:15"))
    #expect(harness.lines()[16 - harness.replica().start] == "odd:15")
    #expect(harness.lines()[17 - harness.replica().start] == "10")
  }

  @Test func `orders sections by the column's collation`() throws {
    for (collation, groups) in [
      (Collation.codeUnit, ["B2", "a10", "a9"]), (.natural, ["a9", "a10", "B2"]),
      // Only the last two characters count, the last one first.
      (.locale("invented"), ["a10", "B2", "a9"]),
    ] {
      let harness = try WindowedHarness(limits: small, collation: collation)
      for (key, group) in ["a10", "B2", "a9", "B2"].enumerated() { harness.upsert(key, group: group) }
      harness.open(query: QueryRequest(group: ["group"]))
      try harness.settle()
      #expect(harness.replica().headers.map(\.value) == groups.map { .text($0) })
    }
  }

  @Test func `requests the sections, then only blocks in the window`() throws {
    let harness = try grouped()
    #expect(harness.source.requests.map(\.section) == [[], [.text("even")], [.text("even")]])
    guard case .sections(limit: 10_000) = harness.source.requests[0].what else {
      Issue.record("\(harness.source.requests[0])")
      return
    }
  }

  @Test func `requests rows of a section only once it is expanded`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    var query = QueryRequest(group: ["group"])
    query.collapsed = [[.text("even")]]
    let id = harness.open(query: query)
    try harness.settle()
    #expect(harness.lines() == ["even:50", "odd:50"] + (0..<13).map { "\($0 * 20 + 10)" })
    #expect(harness.source.requests.dropFirst().allSatisfy { $0.section == [.text("odd")] })
    harness.engine.handle(.collapse(id, .path([.text("even")]), isCollapsed: false), at: harness.clock.now)
    try harness.settle()
    #expect(harness.lines() == ["even:50"] + (0..<14).map { "\($0 * 20)" })
  }

  @Test func `a reload adds a section and keeps the ids of others`() throws {
    let harness = try grouped(rows: 10)
    let header = try #require(harness.replica().headers.first)
    harness.upsert(100, value: 1, group: "all")
    harness.source.delete(.integer(0))
    harness.change()
    try harness.settle()
    #expect(harness.lines() == ["all:1", "1", "even:4", "20", "40", "60", "80", "odd:5", "10", "30", "50", "70", "90"])
    let later = try #require(harness.replica().headers.first { $0.value == header.value })
    // The section is the same, but its header shows something else.
    #expect(later.section == header.section)
    #expect(later.revision != header.revision)
  }

  @Test func `more sections than the limit fail until there are fewer`() throws {
    let limits = WindowedHarness.limits { $0.windowedSections = 1 }
    let harness = try WindowedHarness(rows: 10, limits: limits)
    harness.open(query: QueryRequest(group: ["group"]))
    try harness.settle(within: .milliseconds(500))
    #expect(Set(harness.lines()) == ["!"])
    #expect(
      Set(harness.replica().absences.values) == [.failed("the source has more than 1 sections, which is the limit")])
    harness.source.delete(.integer(1))
    for key in [3, 5, 7, 9] { harness.source.delete(.integer(Int64(key))) }
    try harness.settle()
    #expect(harness.lines().first == "even:5")
  }

  @Test func `shows placeholders until the sections are loaded`() throws {
    let harness = try WindowedHarness(rows: 10, limits: small)
    harness.plan = { _ in .init(after: .seconds(1)) }
    harness.open(query: QueryRequest(group: ["group"]))
    try harness.settle(within: .milliseconds(900))
    #expect(Set(harness.lines()) == ["..."])
    try harness.settle()
    #expect(harness.lines().first == "even:5")
  }

  @Test func `keeps the first visible row when rows and sections are added`() throws {
    let harness = try grouped(rows: 100)
    harness.scroll(first: 60)
    try harness.settle()
    let before = harness.lines()[60 - harness.replica().start]
    harness.upsert(1_000, group: "all")
    harness.upsert(1_002, at: 0)
    harness.change()
    try harness.settle()
    let first = 60 + harness.deliveries.suffix(1).map(\.shift).reduce(0, +)
    #expect(harness.lines()[first - harness.replica().start] == before)
    // A section with its row, and a row of another section.
    #expect(first == 63)
  }
}
