import Testing

@testable import ListEngine

/// The round edges between the ranges of a facet.
@Suite struct FacetScaleTests {
  private func scale(_ values: [Cell], _ type: ColumnType, isBytes: Bool = false, zone: ZoneOffsets = 0) -> FacetScale {
    FacetScale(values.compactMap(ColumnStore.sortKey(of:)), type: type, isBytes: isBytes, zone: zone)
  }

  private func integers(_ values: some Sequence<Int64>, isBytes: Bool = false) -> [Int64] {
    scale(values.map { .integer($0) }, .integer, isBytes: isBytes).edges.compactMap {
      if case .integer(let edge) = $0 { edge } else { nil }
    }
  }

  private func numbers(_ values: [Double], isBytes: Bool = false) -> [Double] {
    scale(values.map { .number($0) }, .number, isBytes: isBytes).edges.compactMap {
      if case .number(let edge) = $0 { edge } else { nil }
    }
  }

  /// Returns edges as seconds.
  private func times(from first: Int64, through last: Int64, zone: ZoneOffsets = 0) -> [Int64] {
    scale([.timestamp(first * 1_000_000_000), .timestamp(last * 1_000_000_000)], .timestamp, zone: zone).edges
      .compactMap { if case .timestamp(let edge) = $0 { edge / 1_000_000_000 } else { nil } }
  }

  @Test func `each of a few integers has its own range`() {
    #expect(integers(0...5) == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test func `integers have steps of 1, 2 or 5 times a power of ten`() {
    #expect(integers(0...100) == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
    #expect(integers(-30...90) == [-30, -20, -10, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
    #expect(integers([200, 204, 301, 404, 500]) == [200, 250, 300, 350, 400, 450, 500, 550])
  }

  @Test func `edges of numbers are exact round decimals`() {
    #expect(numbers([0, 0.35, 0.6]) == [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65])
  }

  @Test func `a few extreme values do not determine the edges`() {
    #expect(integers((0..<1_000).map { $0 == 7 ? 1_000_000_000 : $0 % 10 }).last == 10)
  }

  @Test func `edges of mostly small values grow in steps of 1, 2 and 5`() {
    #expect(
      integers((0..<100).map { $0 < 70 ? 1 : $0 * 30 }) == [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000])
    #expect(numbers((0..<100).map { $0 < 70 ? 0.25 : Double($0) }) == [0, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100])
  }

  @Test func `edges of byte sizes are multiples of powers of two`() {
    #expect(integers([0, 1 << 20], isBytes: true) == (0...9).map { $0 << 17 })
    #expect(
      integers((0..<100).map { $0 < 70 ? 1_024 : 1 << 20 }, isBytes: true) == [
        0, 1_024, 4_096, 16_384, 65_536, 262_144,
      ]
        + [1 << 20, 1 << 22])
  }

  @Test func `edges of times are full minutes, hours or days of their zone`() throws {
    // 2026-11-25 00:00 UTC.
    let day: Int64 = 1_795_564_800
    #expect(times(from: day, through: day + 600) == (0...11).map { day + $0 * 60 })
    #expect(times(from: day, through: day + 86_400) == (0...13).map { day + $0 * 7_200 })
    #expect(times(from: day, through: day + 7 * 86_400, zone: 60).first == day - 3_600)
    // The offset changes at noon of the third day.
    let change = ZoneOffsets.Change(at: (day + 2 * 86_400 + 43_200) * 1_000_000_000, minutes: 120)
    let zone = try #require(ZoneOffsets(60, changes: [change]))
    let edges = times(from: day, through: day + 7 * 86_400, zone: zone)
    #expect(edges.prefix(5).elementsEqual([-1, 23, 47, 70, 94].map { day + $0 * 3_600 }))
    #expect(
      Set(
        zip(times(from: day, through: day + 7 * 86_400).dropFirst(), times(from: day, through: day + 7 * 86_400)).map(-)
      ) == [86_400])
  }

  @Test func `weeks begin on Monday, and longer steps with a month`() {
    let day: Int64 = 1_795_564_800  // a Wednesday
    #expect(times(from: day, through: day + 60 * 86_400).first == day - 2 * 86_400)
    // 1 November 2026, 1 December, 1 January.
    #expect(times(from: day, through: day + 300 * 86_400).prefix(3) == [1_793_491_200, 1_796_083_200, 1_798_761_600])
    // 1 January 2020 and 2025.
    #expect(times(from: day, through: day + 50 * 365 * 86_400).prefix(2) == [1_735_689_600, 1_893_456_000])
  }

  @Test(arguments: [
    [Int64.min, .max], [.min, .min], [.max, .max], [0], [-1, 0], [.max - 1, .max], [.min, 0, .max], [41, 1_000_000],
  ])
  func `edges ascend and are few for any integers`(_ values: [Int64]) {
    for isBytes in [false, true] {
      let edges = integers(values, isBytes: isBytes)
      #expect(zip(edges, edges.dropFirst()).allSatisfy { $0 < $1 })
      #expect(edges.count <= FacetScale.greatestCount)
    }
    let times = scale(values.map { .timestamp($0) }, .timestamp, zone: -1_440)
    #expect(times.keys == times.keys.sorted() && times.keys.count <= FacetScale.greatestCount)
  }

  @Test(arguments: [
    [-Double.greatestFiniteMagnitude, .greatestFiniteMagnitude], [.leastNonzeroMagnitude], [0], [-0.5, 1e300],
    [1e15, 1e15 + 1], [.greatestFiniteMagnitude], [.leastNonzeroMagnitude, .leastNormalMagnitude], [0, 0, 0, 0, 1e-9],
    [-1e-9, -1e-12],
  ])
  func `edges ascend and are few for any numbers`(_ values: [Double]) {
    for isBytes in [false, true] {
      let edges = numbers(values, isBytes: isBytes)
      #expect(!edges.isEmpty && edges.allSatisfy(\.isFinite))
      #expect(zip(edges, edges.dropFirst()).allSatisfy { $0 < $1 })
      #expect(edges.count <= FacetScale.greatestCount)
    }
  }

  @Test func `a value belongs to the range whose lower edge it reaches`() throws {
    let scale = scale([.integer(0), .integer(100)], .integer)
    let ranges = try [-1, 0, 9, 10, 100, 5_000].map {
      scale.range(of: try #require(ColumnStore.sortKey(of: .integer($0))))
    }
    #expect(ranges == [0, 1, 1, 2, 11, 12])
  }

  @Test func `a single value has a range around it`() {
    #expect(integers([42, 42]) == [42, 43])
    #expect(numbers([42, 42]) == [40, 45])
    #expect(numbers([0, 0]) == [0, 1])
  }

  @Test func `no values have no edges`() {
    #expect(scale([], .integer).edges.isEmpty)
  }
}
