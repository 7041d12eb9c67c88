import ListTesting
import Testing

@testable import ListEngine

@Suite struct ValueRangesTests {
  private func integers(_ value: Int64, width: Int64) -> [Cell?] {
    let ranges = ValueRanges.integers(width: width)
    return [ranges.lowerBound(of: .integer(value)), ranges.end(of: .integer(value))]
  }

  private func numbers(_ value: Double, width: Double) -> [Double?] {
    let ranges = NumberRanges(width: width)
    return [ranges.lowerBound(of: value), ranges.end(of: value)]
  }

  /// Returns the bounds of a range of times, in seconds since 1970.
  private func times(_ seconds: Int64, _ unit: TimeUnit, offset: Int = 0) -> [Int64?] {
    let ranges = TimeRanges(unit, offset: offset)
    let second: Int64 = 1_000_000_000
    return [ranges.lowerBound(of: seconds * second) / second, ranges.end(of: seconds * second).map { $0 / second }]
  }

  @Test func `ranges of integers contain their lower bound and not their end`() {
    #expect(integers(9, width: 10) == [.integer(0), .integer(10)])
    #expect(integers(10, width: 10) == [.integer(10), .integer(20)])
    #expect(integers(-1, width: 10) == [.integer(-10), .integer(0)])
    #expect(integers(-10, width: 10) == [.integer(-10), .integer(0)])
    #expect(integers(7, width: 1) == [.integer(7), .integer(8)])
  }

  @Test func `ranges of integers are exact beyond doubles, and end at 64 bits`() {
    let large: Int64 = 1 << 60 + 1
    #expect(integers(large, width: 2) == [.integer(1 << 60), .integer(1 << 60 + 2)])
    #expect(integers(.max, width: 10) == [.integer(.max - 7), nil])
    #expect(integers(.min, width: 10) == [.integer(.min), .integer(.min + 8)])
    #expect(integers(.min, width: .max) == [.integer(.min), .integer(-.max)])
    #expect(integers(-5, width: .max) == [.integer(-.max), .integer(0)])
  }

  @Test func `empty cells are in no range`() {
    for ranges in [ValueRanges.integers(width: 5), .numbers(NumberRanges(width: 5)), .times(TimeRanges(.day))] {
      #expect(ranges.lowerBound(of: .null) == .null && ranges.end(of: .null) == nil)
    }
  }

  @Test func `bounds of numbers are the decimals of the width`() {
    #expect(numbers(0.3, width: 0.1) == [0.3, 0.4])
    #expect(numbers(0.3.nextDown, width: 0.1) == [0.2, 0.3])
    #expect(numbers(0.7, width: 0.1) == [0.7, 0.8])
    #expect(numbers(-0.3, width: 0.1) == [-0.3, -0.2])
    #expect(numbers(1.15, width: 0.05) == [1.15, 1.2])
    #expect(numbers(17.5, width: 2.5) == [17.5, 20])
    #expect(numbers(1e-7, width: 1e-7) == [1e-7, 2e-7])
    #expect(numbers(3e21, width: 1e21) == [3e21, 4e21])
    for step in -2_000...2_000 {
      let bound = Double("\(step)e-2")!
      #expect(NumberRanges(width: 0.01).lowerBound(of: bound) == bound)
      #expect(NumberRanges(width: 0.01).end(of: bound) == Double("\(step + 1)e-2")!)
    }
  }

  @Test func `zero is never negative`() {
    #expect(NumberRanges(width: 10).lowerBound(of: 3).sign == .plus)
    #expect(NumberRanges(width: 10).end(of: -3)?.sign == .plus)
    #expect(numbers(-1e-300, width: 10) == [-10, 0])
  }

  @Test func `the greatest and least numbers have ranges`() {
    let greatest = Double.greatestFiniteMagnitude
    #expect(numbers(greatest, width: 10) == [greatest, nil])
    #expect(numbers(-greatest, width: 10) == [-greatest, (-greatest).nextUp])
    #expect(numbers(-greatest, width: 1e308) == [-greatest, -1e308])
    #expect(numbers(greatest, width: 1e308) == [1e308, nil])
    #expect(numbers(greatest, width: greatest) == [greatest, nil])
    let least = Double.leastNonzeroMagnitude
    #expect(numbers(least, width: least) == [least, least * 2])
    #expect(numbers(1, width: least) == [1, 1.nextUp])
  }

  @Test func `each number lies in its range, and ranges do not overlap`() {
    var random = SeededGenerator(seed: 18)
    let widths = [0.1, 0.3, 1.0 / 3, 0.7, 1, 2.5, 7, 1e-9, 1e17, 123_456.789, 0x1p-30, 6.02e23]
    for _ in 0..<20_000 {
      let ranges = NumberRanges(width: random.pick(widths))
      let scale = random.pick([1, 10, 1e6, 1e15, 0x1p50, 0x1p52, 1e30]) * ranges.width
      let value = Double.random(in: -scale...scale, using: &random)
      let low = ranges.lowerBound(of: value)
      #expect(low <= value && ranges.lowerBound(of: low) == low, "\(value) by \(ranges.width)")
      guard let end = ranges.end(of: value) else { continue }
      #expect(value < end && ranges.lowerBound(of: end) == end, "\(value) by \(ranges.width)")
      #expect(ranges.lowerBound(of: end.nextDown) == low && ranges.end(of: low) == end, "\(value) by \(ranges.width)")
    }
  }

  @Test func `times have the units of the calendar`() {
    let time: Int64 = 1_709_210_096  // Thursday, 2024-02-29 12:34:56
    #expect(times(time, .minute) == [time - 56, time + 4])
    #expect(times(time, .hour) == [1_709_208_000, 1_709_211_600])
    #expect(times(time, .day) == [1_709_164_800, 1_709_251_200])
    #expect(times(time, .week) == [1_708_905_600, 1_709_510_400])
    #expect(times(time, .month) == [1_706_745_600, 1_709_251_200])
    #expect(times(time, .year) == [1_704_067_200, 1_735_689_600])
    #expect(times(-1, .month) == [-2_678_400, 0])
    #expect(times(-1, .year) == [-31_536_000, 0])
    #expect(times(0, .week) == [-259_200, 345_600])
  }

  @Test func `days begin at midnight of the offset`() {
    let time: Int64 = 1_709_247_600  // 2024-02-29 23:00 UTC
    #expect(times(time, .day, offset: 60) == [1_709_247_600, 1_709_334_000])
    #expect(times(time, .month, offset: 60) == [1_709_247_600, 1_711_926_000])
    #expect(times(time - 1, .day, offset: 60) == [1_709_161_200, 1_709_247_600])
    #expect(times(time, .hour, offset: 330) == [1_709_245_800, 1_709_249_400])
  }

  @Test(arguments: TimeUnit.allCases) func `the first and the last time have ranges`(_ unit: TimeUnit) {
    for offset in [-1_440, 0, 1_440] {
      let ranges = TimeRanges(unit, offset: offset)
      #expect(ranges.lowerBound(of: .min) == .min)
      #expect(ranges.lowerBound(of: .max) < .max && ranges.end(of: .max) == nil)
      let end = ranges.end(of: .min)
      #expect(end.map { ranges.lowerBound(of: $0) } == end && end.map { ranges.lowerBound(of: $0 - 1) } == .min)
    }
  }

  @Test func `each time lies in its range, and ranges do not overlap`() {
    var random = SeededGenerator(seed: 19)
    for _ in 0..<20_000 {
      let ranges = TimeRanges(random.pick(TimeUnit.allCases), offset: random.number(-1_440...1_440))
      let time = Int64.random(in: -9_000_000_000_000_000_000...9_000_000_000_000_000_000, using: &random)
      let (low, end) = (ranges.lowerBound(of: time), ranges.end(of: time) ?? 0)
      #expect(low <= time && time < end)
      #expect(ranges.lowerBound(of: low) == low && ranges.lowerBound(of: end - 1) == low)
      #expect(ranges.lowerBound(of: end) == end && ranges.end(of: low) == end)
    }
  }
}
