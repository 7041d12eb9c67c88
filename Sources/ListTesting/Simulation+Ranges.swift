import ListEngine

/// Random ranges of groupings.
extension Simulation {
  /// Groups some queries by ranges of numbers or times.
  mutating func addRanges(to query: inout Query) {
    if query.sections.isEmpty, query.groupings.count < limits.groups, ranging.oneIn(4) {
      let column = ranging.pick([0, 1, 5])
      let place = ranging.number(0...query.groupings.count)
      if !query.group.contains(column) { query.groupings.insert(Grouping(column), at: place) }
      if ranging.oneIn(2), query.groupings.count < limits.groups {
        // A column can have two levels, as days and the hours in them.
        query.groupings.append(Grouping(column))
      }
    }
    for index in query.groupings.indices where ranging.oneIn(2) || query.groupings[index].column == 1 {
      query.groupings[index].ranges = ranges(of: schema.columns[query.groupings[index].column].type)
    }
    // The engine ignores repeated groupings.
    query.groupings = query.groupings.enumerated().filter { !query.groupings[..<$0].contains($1) }.map(\.element)
  }

  /// Returns random ranges, or `nil` if the type has none.
  private mutating func ranges(of type: ColumnType) -> ValueRanges? {
    switch type {
    case .integer: .integers(width: ranging.pick([1, 2, 3, 10, 1_000, .max]))
    case .number: .numbers(NumberRanges(width: ranging.pick([0.1, 0.3, 0.5, 2.5, 7, 20, 1_000])))
    case .timestamp:
      .times(TimeRanges(ranging.pick(TimeUnit.allCases), zone: zone()))
    case .text, .boolean, .image, .series: nil
    }
  }

  /// Returns a zone, with changes of its offset close to the times of rows in half of the cases.
  private mutating func zone() -> ZoneOffsets {
    let offsets = [0, 60, -210, 120, 1_440, -1_440]
    let first = ranging.pick(offsets)
    var changes: [ZoneOffsets.Change] = []
    if ranging.oneIn(2) {
      var time = Int64(ranging.number(-400...0)) * 86_400_000_000_000
      for _ in 0..<ranging.number(1...6) {
        changes.append(ZoneOffsets.Change(at: time, minutes: ranging.pick(offsets)))
        time += Int64(ranging.pick([24, 25, 47, 200, 4_380])) * 3_600_000_000_000
      }
    }
    guard let zone = ZoneOffsets(first, changes: changes) else { preconditionFailure("\(changes) are no zone") }
    return zone
  }

  /// Returns ranges in the form in which a client sends them.
  static func written(_ ranges: ValueRanges) -> GroupingRequest.Ranges {
    switch ranges {
    case .integers(let width): .width(.integer(width))
    case .numbers(let ranges): .width(.number(ranges.width))
    case .times(let ranges): .unit(ranges.unit, offset: ranges.zone)
    }
  }

  /// Returns a cell as its column stores it.
  func numeric(_ cell: Cell, _ column: Int) -> Cell {
    if case .integer(let whole) = cell, schema.columns[column].type == .number { .number(Double(whole)) } else { cell }
  }

  /// In some runs, replaces some times by distant ones.
  mutating func distant(_ time: Cell) -> Cell {
    guard seed % 5 == 0, ranging.oneIn(3) else { return time }
    return .timestamp(Int64(ranging.number(-20_000...20_000)) * 86_400_000_000_000 - Int64(ranging.number(0...1)))
  }

  /// Checks that the end of each range is the next bound.
  func judgeEnds(_ result: WindowState, _ query: Query) throws {
    let headers = result.lead + result.items.compactMap { if case .header(let header) = $0 { header } else { nil } }
    for header in headers {
      let grouping = query.groupings[header.level]
      guard let end = header.end else {
        // The last range of integers has none.
        let isLast = if case .integer(let bound) = header.value { bound > 0 } else { header.value == .null }
        guard grouping.ranges == nil || isLast else { throw failure("the range from \(header.value) has no end") }
        continue
      }
      let last: Cell? =
        switch end {
        case .integer(let whole): .integer(whole - 1)
        case .number(let number): .number(number.nextDown)
        case .timestamp(let time): .timestamp(time - 1)
        default: nil
        }
      guard grouping.plainSection(of: end) == end, last.map(grouping.plainSection) == header.value else {
        throw failure("the range from \(header.value) ends at \(end)")
      }
    }
  }
}
