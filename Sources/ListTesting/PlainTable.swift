import ListEngine

/// A brute-force table: an array of rows that is filtered and sorted for every query. Simulations
/// compare the engine with it.
public struct PlainTable: Sendable {
  /// A row of the table.
  public struct Row: Hashable, Sendable {
    /// The row's key.
    public var key: RowKey
    /// The row's cells, one per column.
    public var cells: [Cell]
    /// The row's insertion number and time.
    var number = 0
    var arrival = Duration.zero
  }

  /// A line of a view: a row, or the header of a section.
  public enum Line: Hashable, Sendable {
    /// The cells of a row.
    case row([Cell])
    /// A section's value, row count, nesting level and aggregates.
    case header(Cell, count: Int, level: Int = 0, aggregates: [Cell] = [], isCollapsed: Bool = false)
  }

  /// The rows in the source's order.
  public private(set) var rows: [Row] = []
  /// The cells of deferred columns without a value, by key and column.
  public private(set) var missing: [RowKey: [Int: Missing]] = [:]
  let schema: Schema
  let limits: Limits
  /// The elapsed time.
  var now = Duration.zero
  /// The time of day.
  var wall = Wall()
  /// The last clock reading.
  var lastReading: Instant?
  private var arrivals = 0

  /// Creates an empty table.
  public init(_ schema: Schema, limits: Limits = Limits()) {
    self.schema = schema
    self.limits = limits
  }

  /// Creates a table with some rows.
  ///
  /// - Precondition: The rows fit the schema, and their keys are unique.
  public init(_ schema: Schema, rows: [Row]) {
    self.init(schema)
    self.rows = rows
  }

  /// Whether the table has a row with this key.
  public func contains(_ key: RowKey) -> Bool { index(of: key) != nil }

  private func index(of key: RowKey) -> Int? { rows.firstIndex { $0.key == key } }

  /// Inserts or replaces a row; a new row is inserted at the end.
  public mutating func upsert(_ key: RowKey, _ cells: [Cell]) {
    guard let cells = fitting(cells) else { return }
    let known = index(of: key)
    let whole = keepingDeferred(cells, of: known.map { rows[$0] })
    let leaving = known == nil ? leaving : nil
    guard hasRoom(for: key, whole, beside: rows.filter { $0.key != key && $0.key != leaving?.key }) else { return }
    noteDeferred(key, cells, isNew: known == nil)
    if let leaving { delete(leaving.key) }
    if let known { setCells(known, whole) } else { rows.append(arriving(key, whole)) }
  }

  private mutating func arriving(_ key: RowKey, _ cells: [Cell]) -> Row {
    arrivals += 1
    return Row(key: key, cells: derived(nil, cells), number: arrivals, arrival: now)
  }

  private mutating func setCells(_ index: Int, _ given: [Cell]) {
    rows[index].cells = derived(rows[index].cells, given)
  }

  /// A null cell of a deferred column keeps its value in an upsert.
  private func keepingDeferred(_ cells: [Cell], of row: Row?) -> [Cell] {
    guard let row else { return cells }
    return zip(schema.columns, zip(cells, row.cells)).map { $0.isDeferred && $1.0 == .null ? $1.1 : $1.0 }
  }

  private mutating func noteDeferred(_ key: RowKey, _ cells: [Cell], isNew: Bool) {
    for column in schema.columns.indices where schema.columns[column].isDeferred {
      if cells[column] != .null {
        missing[key]?[column] = nil
      } else if isNew {
        missing[key, default: [:]][column] = .pending
      }
    }
  }

  /// Whether new cells of an existing row fit into the limits.
  private func hasRoom(_ index: Int, for cells: [Cell]) -> Bool {
    hasRoom(for: rows[index].key, cells, beside: rows.filter { $0.key != rows[index].key })
  }

  /// Stores a loaded deferred cell, unless the cell already has a value.
  public mutating func load(_ cell: DeferredCell, _ value: Cell) {
    guard let index = index(of: cell.key), missing[cell.key]?[cell.column] != nil else { return }
    let given = rows[index].cells.prefix(schema.givenColumnCount)
    guard let whole = fitting(given.enumerated().map { $0 == cell.column ? value : $1 }), hasRoom(index, for: whole)
    else { return }
    setCells(index, whole)
    missing[cell.key]?[cell.column] = nil
  }

  /// Records that loading a deferred cell failed.
  public mutating func fail(_ cell: DeferredCell, _ reason: String) {
    guard missing[cell.key]?[cell.column] != nil else { return }
    missing[cell.key]?[cell.column] = .failed(reason)
  }

  /// Invalidates the value of a deferred cell.
  public mutating func forget(_ cell: DeferredCell) {
    guard let index = index(of: cell.key) else { return }
    rows[index].cells[cell.column] = .null
    missing[cell.key, default: [:]][cell.column] = .pending
  }

  /// Updates some cells of a row.
  public mutating func update(_ key: RowKey, _ cells: [Cell?]) {
    guard let index = index(of: key), cells.count == schema.givenColumnCount else { return }
    guard let whole = fitting(zip(cells, rows[index].cells).map { $0 ?? $1 }), hasRoom(index, for: whole) else {
      return
    }
    setCells(index, whole)
    for (column, cell) in cells.enumerated() where cell != nil { missing[key]?[column] = nil }
  }

  /// Deletes a row.
  public mutating func delete(_ key: RowKey) {
    rows.removeAll { $0.key == key }
    missing[key] = nil
  }

  /// Moves a row before another one, or to the end.
  public mutating func move(_ key: RowKey, before other: RowKey?) {
    guard let from = index(of: key), other != key else { return }
    if let other, index(of: other) == nil { return }
    let row = rows.remove(at: from)
    rows.insert(row, at: other.flatMap { index(of: $0) } ?? rows.count)
  }

  /// Reloads the whole list.
  ///
  /// The first row of each key counts. A row that does not fit keeps its old cells.
  public mutating func reload(_ list: [(RowKey, [Cell])]) {
    var next: [Row] = []
    for (key, cells) in list where !next.contains(where: { $0.key == key }) {
      let row = index(of: key).map { rows[$0] }
      if let cells = fitting(cells), hasRoom(for: key, keepingDeferred(cells, of: row), beside: next) {
        noteDeferred(key, cells, isNew: row == nil)
        let whole = keepingDeferred(cells, of: row)
        var arrived = row ?? arriving(key, whole)
        arrived.cells = derived(row?.cells, whole)
        next.append(arrived)
      } else if let row, hasRoom(for: key, row.cells, beside: next) {
        next.append(row)
      }
    }
    rows = next
    missing = missing.filter { gone in next.contains { $0.key == gone.key } }
  }

  /// Returns the normalized cells, or `nil` if they do not fit the schema.
  private func fitting(_ cells: [Cell]) -> [Cell]? {
    guard cells.count == schema.givenColumnCount else { return nil }
    var fitting: [Cell] = []
    for (cell, column) in zip(cells, schema.columns) {
      switch (cell, column.type) {
      case (.text(let text), _) where text.utf8.count > limits.cellBytes: return nil
      case (.image(let text), _) where text.utf8.count > limits.cellBytes: return nil
      case (.null, _), (.integer, .integer), (.text, .text), (.boolean, .boolean), (.timestamp, .timestamp),
        (.image, .image), (.series, .series):
        fitting.append(cell)
      case (.number(let value), .number): fitting.append(value.isFinite ? .number(value == 0 ? 0 : value) : .null)
      case (.integer(let value), .number): fitting.append(.number(Double(value)))
      default: return nil
      }
    }
    return fitting
  }

  /// Returns the rows of a view in the table's order.
  private func shown(_ query: Query) -> [Row] {
    let needle = query.search.lowercased()
    return rows.filter { row in
      (query.filter.map { lets(row.cells, through: $0) } ?? true)
        && (needle.isEmpty
          || row.cells.contains {
            if case .text(let text) = $0 { text.lowercased().utf8Contains(needle) } else { false }
          })
    }
  }

  /// Returns the rows of a view by key.
  func shownRows(_ query: Query) -> [RowKey: [Cell]] {
    Dictionary(uniqueKeysWithValues: shown(query).map { ($0.key, $0.cells) })
  }

  /// Returns the number of rows of a view, including those of collapsed sections.
  public func count(_ query: Query) -> Int { shown(query).count }

  /// Returns the query's aggregates over all rows of a view.
  public func totals(_ query: Query) -> [Cell] {
    let rows = arrange(sorted(query), query, path: [], collapsed: []).rows
    return query.aggregates.map { Self.value(of: $0, rows) }
  }

  /// Returns all lines of a view in order; collapsed sections only have a header.
  public func lines(_ query: Query, collapsed: Set<[Cell]> = []) -> [Line] {
    arrange(sorted(query), query, path: [], collapsed: collapsed).lines
  }

  /// Returns the rows of a view in its sort order, without sections.
  private func sorted(_ query: Query) -> [Row] {
    shown(query).enumerated().sorted { a, b in
      for term in query.sort {
        let order = Self.order(
          a.element.cells[term.column], b.element.cells[term.column], descending: term.isDescending,
          by: schema.columns[term.column].collation)
        if order != 0 { return order < 0 }
      }
      return a.offset < b.offset
    }.map(\.element)
  }

  /// Divides sorted rows into sections.
  ///
  /// Returns all of these rows in the order of the view, and the lines that a client sees.
  private func arrange(
    _ rows: [Row], _ query: Query, path: [Cell], collapsed: Set<[Cell]>
  ) -> (rows: [Row], lines: [Line]) {
    let level = path.count
    guard level < query.groupings.count else { return (rows, rows.map { .row($0.cells) }) }
    let grouping = query.groupings[level]
    let column = grouping.column
    let rowsOfSection = Dictionary(grouping: rows) { grouping.plainSection(of: $0.cells[column]) }
    let collation = schema.columns[column].collation
    let order = query.sections.isEmpty ? SectionOrder(by: .value) : query.sections[level]
    let isReversed = order.key == .value && order.isDescending
    let values = rowsOfSection.keys.sorted {
      Self.order($0, $1, descending: isReversed, by: collation) < 0
    }
    let sections = values.map { value in
      let own = arrange(
        rowsOfSection[value] ?? [], query, path: path + [value], collapsed: collapsed)
      return (value: value, own: own, aggregates: query.aggregates.map { Self.value(of: $0, own.rows) })
    }
    let ordered = sections.enumerated().sorted { a, b in
      let difference: Int
      switch order.key {
      case .value: difference = 0
      case .count:
        let (x, y) = (a.element.own.rows.count, b.element.own.rows.count)
        difference = order.isDescending ? y - x : x - y
      case .aggregate(let index):
        let aggregate = query.aggregates[index]
        difference = Self.order(
          a.element.aggregates[index], b.element.aggregates[index], descending: order.isDescending,
          by: aggregate.function == .first || aggregate.function == .last
            ? schema.columns[aggregate.column].collation : .codeUnit)
      }
      return difference == 0 ? a.offset < b.offset : difference < 0
    }.map(\.element)
    var all: (rows: [Row], lines: [Line]) = ([], [])
    for (value, own, aggregates) in ordered {
      let isCollapsed = collapsed.contains(path + [value])
      all.lines.append(
        .header(value, count: own.rows.count, level: level, aggregates: aggregates, isCollapsed: isCollapsed))
      if !isCollapsed { all.lines += own.lines }
      all.rows += own.rows
    }
    return all
  }

  private static func value(of aggregate: Aggregate, _ rows: [Row]) -> Cell {
    let cells = rows.map { $0.cells[aggregate.column] }.filter { $0 != .null }
    let integers = cells.compactMap { if case .integer(let value) = $0 { value } else { nil } }
    let numbers = cells.compactMap { if case .number(let value) = $0 { value } else { nil } }
    switch aggregate.function {
    case .distinct: return .integer(Int64(Set(cells).count))
    case .min: return cells.min { order($0, $1, descending: false) < 0 } ?? .null
    case .max: return cells.max { order($0, $1, descending: false) < 0 } ?? .null
    case .median: return percentile(50, cells)
    case .p1: return percentile(1, cells)
    case .p5: return percentile(5, cells)
    case .p10: return percentile(10, cells)
    case .p90: return percentile(90, cells)
    case .p95: return percentile(95, cells)
    case .p99: return percentile(99, cells)
    case .first: return rows.first?.cells[aggregate.column] ?? .null
    case .last: return rows.last?.cells[aggregate.column] ?? .null
    case .sum:
      guard !cells.isEmpty else { return .null }
      return integers.isEmpty ? .number(numbers.sorted().reduce(0, +)) : sum(integers)
    case .mean:
      guard !cells.isEmpty else { return .null }
      guard !integers.isEmpty else { return .number(numbers.sorted().reduce(0, +) / Double(cells.count)) }
      switch sum(integers) {
      case .integer(let sum): return .number(Double(sum) / Double(cells.count))
      case .number(let sum): return .number(sum / Double(cells.count))
      default: return .null
      }
    }
  }

  /// Returns the least cell that at least `percent` of a hundred cells do not exceed.
  private static func percentile(_ percent: Int, _ cells: [Cell]) -> Cell {
    let sorted = cells.sorted { order($0, $1, descending: false) < 0 }
    return sorted.indices.first { ($0 + 1) * 100 >= percent * sorted.count }.map { sorted[$0] } ?? .null
  }

  /// Returns the exact sum. Pairing negative with positive values avoids intermediate overflow.
  private static func sum(_ values: [Int64]) -> Cell {
    var rest = values.sorted()[...]
    var sum: Int64 = 0
    while let next = sum < 0 ? rest.popLast() : rest.popFirst() {
      let (more, overflows) = sum.addingReportingOverflow(next)
      guard !overflows else { return .number(rest.reduce(Double(sum) + Double(next)) { $0 + Double($1) }) }
      sum = more
    }
    return .integer(sum)
  }

  /// Whether a row passes a filter.
  private func lets(_ cells: [Cell], through filter: Filter<Int>) -> Bool {
    func text(_ column: Int) -> String? { if case .text(let text) = cells[column] { text } else { nil } }
    func compares(_ column: Int, _ condition: (Int) -> Bool, _ value: Cell) -> Bool {
      cells[column] != .null && condition(Self.order(cells[column], value, descending: false))
    }
    switch filter {
    case .all(let parts): return parts.allSatisfy { lets(cells, through: $0) }
    case .any(let parts): return parts.contains { lets(cells, through: $0) }
    case .not(let part): return !lets(cells, through: part)
    case .age(let column, let comparison, let duration):
      return self.compares(cells[column], comparison, age: duration)
    case .isEmpty(let column): return cells[column] == .null
    case .oneOf(let column, let values): return values.contains(cells[column])
    case .compare(let column, .equal, let value): return compares(column, { $0 == 0 }, value)
    case .compare(let column, .notEqual, let value): return compares(column, { $0 != 0 }, value)
    case .compare(let column, .less, let value): return compares(column, { $0 < 0 }, value)
    case .compare(let column, .lessOrEqual, let value): return compares(column, { $0 <= 0 }, value)
    case .compare(let column, .greater, let value): return compares(column, { $0 > 0 }, value)
    case .compare(let column, .greaterOrEqual, let value): return compares(column, { $0 >= 0 }, value)
    case .range(let column, let from, let through):
      return cells[column] != .null && (from.map { compares(column, { $0 >= 0 }, $0) } ?? true)
        && (through.map { compares(column, { $0 <= 0 }, $0) } ?? true)
    case .contains(let column, let part):
      return text(column)?.lowercased().utf8Contains(part.string.lowercased()) ?? false
    case .startsWith(let column, let part):
      return text(column).map { $0.lowercased().utf8.starts(with: part.string.lowercased().utf8) } ?? false
    case .matches(let column, let pattern, let ignoringCase):
      guard let text = text(column) else { return false }
      guard let regex = try? Regex(pattern.string) else {
        preconditionFailure("“\(pattern)” is not a regular expression")
      }
      return text.contains(regex.matchingSemantics(.unicodeScalar).ignoresCase(ignoringCase))
    }
  }

  static func order(_ a: Cell, _ b: Cell, descending: Bool, by collation: Collation = .codeUnit) -> Int {
    let order: Int
    switch (a, b) {
    case (.null, .null): return 0
    case (.null, _): return 1
    case (_, .null): return -1
    case (.integer(let x), .integer(let y)), (.timestamp(let x), .timestamp(let y)): order = x < y ? -1 : x == y ? 0 : 1
    case (.number(let x), .number(let y)): order = x < y ? -1 : x == y ? 0 : 1
    // Only a sum is a number in a column of integers: it does not fit into 64 bits.
    case (.integer, .number(let y)): order = y > 0 ? -1 : 1
    case (.number(let x), .integer): order = x < 0 ? -1 : 1
    case (.boolean(let x), .boolean(let y)): order = x == y ? 0 : x ? 1 : -1
    case (.text(let x), .text(let y)): order = Self.order(x, y, by: collation)
    case (.series(let x), .series(let y)): order = Self.order(x, y)
    case (.image(let x), .image(let y)): order = Self.order(x, y, by: .codeUnit)
    default: preconditionFailure("\(a) and \(b) in one column")
    }
    return descending ? -order : order
  }
}

extension String {
  fileprivate func utf8Contains(_ other: String) -> Bool {
    let (text, needle) = (Array(utf8), Array(other.utf8))
    guard needle.count <= text.count else { return false }
    return (0...text.count - needle.count).contains { text[$0..<$0 + needle.count].elementsEqual(needle) }
  }
}
