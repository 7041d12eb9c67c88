import Foundation
import Testing

@testable import ListEngine
@testable import ListTesting

/// Ranges of times in zones with daylight saving. The expected moments are those of the IANA
/// database, or those that Foundation's calendar computes from it.
@Suite struct ZoneRangesTests {
  private static let second: Int64 = 1_000_000_000

  /// Returns the offsets of a zone from 1980 to 2040.
  private static func zone(_ name: String) throws -> ZoneOffsets {
    let zone = try #require(TimeZone(identifier: name), "the machine has no time zone \(name): install tzdata")
    let start = Date(timeIntervalSince1970: 315_532_800)
    func minutes(at date: Date) -> Int { zone.secondsFromGMT(for: date) / 60 }
    var changes: [ZoneOffsets.Change] = []
    var date = start
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next.timeIntervalSince1970 < 2_208_988_800 {
      date = next
      guard minutes(at: date) != changes.last?.minutes ?? minutes(at: start) else { continue }
      changes.append(.init(at: Int64(date.timeIntervalSince1970) * second, minutes: minutes(at: date)))
    }
    return try #require(ZoneOffsets(minutes(at: start), changes: changes))
  }

  private func time(_ text: String) throws -> Int64 {
    let date = try #require(try? Date(text, strategy: .iso8601), "\(text) is no time")
    return Int64(date.timeIntervalSince1970) * Self.second
  }

  private func bounds(_ ranges: TimeRanges, at text: String) throws -> [Int64?] {
    let time = try time(text)
    return [ranges.lowerBound(of: time), ranges.end(of: time)]
  }

  @Test(arguments: [
    // 23 and 25 hours.
    ("Europe/Berlin", TimeUnit.day, "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
    ("Europe/Berlin", .day, "2026-10-25T22:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
    ("Europe/Berlin", .day, "2026-07-01T00:00:00Z", "2026-06-30T22:00:00Z", "2026-07-01T22:00:00Z"),
    ("Europe/Berlin", .week, "2026-03-24T12:00:00Z", "2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z"),
    ("Europe/Berlin", .month, "2026-03-31T20:00:00Z", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"),
    ("Europe/Berlin", .year, "2026-08-01T12:00:00Z", "2025-12-31T23:00:00Z", "2026-12-31T23:00:00Z"),
    ("America/New_York", .day, "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
    ("America/New_York", .day, "2026-11-01T12:00:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),
    // Half an hour.
    ("Australia/Lord_Howe", .day, "2026-04-05T00:00:00Z", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"),
    ("Australia/Lord_Howe", .day, "2026-10-04T00:00:00Z", "2026-10-03T13:30:00Z", "2026-10-04T13:00:00Z"),
    ("Australia/Lord_Howe", .hour, "2026-04-04T14:59:00Z", "2026-04-04T14:00:00Z", "2026-04-04T15:00:00Z"),
    ("Australia/Lord_Howe", .hour, "2026-04-04T15:00:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z"),
    ("Australia/Lord_Howe", .hour, "2026-10-03T15:59:00Z", "2026-10-03T15:30:00Z", "2026-10-03T16:00:00Z"),
    // The 30th of December 2011 was left out.
    ("Pacific/Apia", .day, "2011-12-30T09:59:59Z", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"),
    ("Pacific/Apia", .day, "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"),
    ("Pacific/Apia", .month, "2011-12-30T12:00:00Z", "2011-12-01T10:00:00Z", "2011-12-31T10:00:00Z"),
    // Midnight itself is left out, or comes twice.
    ("America/Sao_Paulo", .day, "2018-11-04T12:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"),
    ("America/St_Johns", .day, "2005-10-30T02:45:00Z", "2005-10-30T02:30:00Z", "2005-10-31T03:30:00Z"),
  ])
  func `a range begins when local clocks reach its beginning`(
    _ name: String, _ unit: TimeUnit, _ at: String, _ first: String, _ end: String
  ) throws {
    let ranges = TimeRanges(unit, zone: try Self.zone(name))
    #expect(try bounds(ranges, at: at) == [time(first), time(end)])
    // The last moment of a range belongs to it, and the next one does not.
    let last = try time(end) - 1
    #expect(try ranges.lowerBound(of: last) == time(first) && ranges.end(of: last) == time(end))
    #expect(try ranges.lowerBound(of: last + 1) == time(end))
  }

  @Test func `an hour that clocks show twice is two ranges`() throws {
    let hours = TimeRanges(.hour, zone: try Self.zone("Europe/Berlin"))
    let (first, end) = (try time("2026-10-24T22:00:00Z"), try time("2026-10-25T23:00:00Z"))
    var bounds: [Int64] = [first]
    while let last = bounds.last, last < end { bounds.append(try #require(hours.end(of: last))) }
    #expect(bounds.count == 26 && bounds.last == end)
  }

  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"])
  func `days and months are those of the calendar of the zone`(_ name: String) throws {
    let zone = try Self.zone(name)
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(identifier: name))
    let units: [(TimeUnit, Calendar.Component)] = [
      (.day, .day), (.week, .weekOfYear), (.month, .month), (.year, .year),
    ]
    // Every 11 hours in the ten days around each change from 2010 to 2030.
    let changes = zone.changes.map { $0.time / Self.second }.filter { (1_262_304_000..<1_893_456_000).contains($0) }
    #expect(!changes.isEmpty)
    let times: [Int64] = changes.flatMap { (change: Int64) -> [Int64] in
      Array(stride(from: change - 432_000, to: change + 432_000, by: 39_600))
    }
    for seconds in times {
      let date = Date(timeIntervalSince1970: Double(seconds))
      for (unit, component) in units {
        // Foundation does not leave out the day that Samoa left out.
        if name == "Pacific/Apia", (1_322_690_400..<1_325_500_000).contains(seconds) { continue }
        let interval = try #require(calendar.dateInterval(of: component, for: date))
        let ranges = TimeRanges(unit, zone: zone)
        let expected = [Int64(interval.start.timeIntervalSince1970), Int64(interval.end.timeIntervalSince1970)]
        let found = [ranges.lowerBound(of: seconds * Self.second), ranges.end(of: seconds * Self.second) ?? 0]
        #expect(found == expected.map { $0 * Self.second }, "\(unit) of \(date)")
        guard found == expected.map({ $0 * Self.second }) else { return }
      }
    }
  }

  @Test func `each time lies in its range in any zone, and ranges do not overlap`() throws {
    var random = SeededGenerator(seed: 20)
    for round in 0..<20_000 {
      var changes: [ZoneOffsets.Change] = []
      let origin = Int64.random(in: -8_000_000...8_000_000, using: &random) * 1_000 * Self.second
      var time = origin
      for _ in 0..<random.number(1...5) {
        changes.append(.init(at: time, minutes: random.number(-1_440...1_440)))
        time += Int64(random.pick([1_440, 1_441, 3_000, 20_000])) * 60 * Self.second
      }
      let zone = try #require(ZoneOffsets(random.number(-1_440...1_440), changes: changes))
      let ranges = TimeRanges(random.pick(TimeUnit.allCases), zone: zone)
      let near = origin + Int64.random(in: -400 * 86_400...400 * 86_400, using: &random) * Self.second
      let moment = round % 10 == 0 ? random.pick([Int64.min, .max, .min + 1, 0]) : near
      let low = ranges.lowerBound(of: moment)
      #expect(low <= moment && ranges.lowerBound(of: low) == low, "\(moment) in \(ranges)")
      #expect(Grouping(0, ranges: .times(ranges)).plainSection(of: .timestamp(moment)) == .timestamp(low))
      guard let end = ranges.end(of: moment) else { continue }
      #expect(moment < end && ranges.lowerBound(of: end) == end, "\(moment) in \(ranges)")
      #expect(ranges.lowerBound(of: end - 1) == low && ranges.end(of: low) == end, "\(moment) in \(ranges)")
    }
  }

  @Test func `changes out of order, too many or too far away are no zone`() {
    let day = ZoneOffsets.day
    func isZone(_ changes: [(Int64, Int)]) -> Bool {
      ZoneOffsets(0, changes: changes.map { .init(at: $0, minutes: $1) }) != nil
    }
    #expect(isZone([]) && isZone([(0, 60), (day, 0)]))
    #expect(!isZone([(0, 60), (day - 1, 0)]) && !isZone([(day, 60), (0, 0)]))
    #expect(isZone([(0, -1_440)]) && !isZone([(0, 1_441)]))
    #expect(isZone([(8_200_000_000_000_000_000, 0)]) && !isZone([(8_200_000_000_001_000_000, 0)]))
    #expect(!isZone([(.min, 0), (.max, 60)]))
    #expect(isZone((0..<400).map { ($0 * day, 60) }) && !isZone((0..<401).map { ($0 * day, 60) }))
    #expect(ZoneOffsets(1_441, changes: [.init(at: 0, minutes: 0)]) == nil)
  }

  @Test func `zones are recorded as before, or with their changes`() throws {
    func text(_ zone: ZoneOffsets) throws -> String {
      String(decoding: try JSONEncoder().encode([zone]), as: UTF8.self)
    }
    let zone = try #require(ZoneOffsets(60, changes: [.init(at: ZoneOffsets.day, minutes: 120)]))
    #expect(try text(-90) == "[-90]")
    #expect(try text(zone) == "[[60,86400000000000,120]]")
    for zone in [zone, -90] {
      #expect(try JSONDecoder().decode([ZoneOffsets].self, from: JSONEncoder().encode([zone])) == [zone])
    }
    for bad in ["[[60,0,1441]]", "[[60,0]]", "[[60,5,0,4,60]]", "[[]]"] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode([ZoneOffsets].self, from: Data(bad.utf8)) }
    }
  }

  @Test(arguments: [
    // Written in winter or in summer, a time has the offset of its own date.
    ("at > 2026-07-01", "2026-07-01T22:00:00Z", "2026-07-01T21:59:59Z"),
    ("at >= 2026-07-01", "2026-06-30T22:00:00Z", "2026-06-30T21:59:59Z"),
    ("at < 2026-01-15 12:00", "2026-01-15T10:59:59Z", "2026-01-15T11:00:00Z"),
    ("at = 2026-07", "2026-06-30T22:00:00Z", "2026-07-31T22:00:00Z"),
    // Days of 23 and 25 hours.
    ("at = 2026-03-29", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"),
    ("at = 2026-10-25", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"),
    // The clocks skip 02:30 in March, and show it twice in October.
    ("at >= 2026-03-29 02:30", "2026-03-29T01:00:00Z", "2026-03-29T00:59:59Z"),
    ("at >= 2026-10-25 02:30", "2026-10-25T00:30:00Z", "2026-10-25T00:29:59Z"),
    // A time with an offset of its own ignores the zone.
    ("at >= 2026-07-01T00:00Z", "2026-07-01T00:00:00Z", "2026-06-30T23:59:59Z"),
    ("at >= \"2026-07-01 00:00 +05:00\"", "2026-06-30T19:00:00Z", "2026-06-30T18:59:59Z"),
  ])
  func `a written time has the offset of its date`(_ text: String, _ shown: String, _ hidden: String) throws {
    var engine = Engine(epoch: "e")
    let table = try engine.addTable(Schema(name: "t", key: .integer, columns: [Column("at", .timestamp)]), at: .zero)
    var rows = Changeset()
    rows.upsert(.integer(1), [.timestamp(try time(shown))])
    rows.upsert(.integer(2), [.timestamp(try time(hidden))])
    engine.handle(.changes(table, rows), at: .zero)
    var query = QueryRequest()
    query.written = WrittenFilter(text, zone: try Self.zone("Europe/Berlin"))
    let id = try engine.beginExport(of: "t", query, isRestricted: false)
    while !engine.isReady(id) { _ = engine.advance(to: .zero) }
    guard case .rows(let found) = engine.read(id, rows: 10) else { return #expect(Bool(false), "no rows are read") }
    #expect(found.map { $0[0] } == [.timestamp(try time(shown))])
  }
}
