/// Reads lines with names and values as rows `name`, `value`, or as one row per record.
///
/// One line is held back, because the line below it determines whether it is a heading.
struct PropertyReader {
  private let layout: PropertyLayout
  private var walk: PropertyWalk
  private var waiting: (line: String, number: Int)?
  private var record = OpenRecord()
  /// The lines without names, which may be a table.
  private var text: [(line: String, number: Int)] = []

  /// The maximum number of lines that are read as one table.
  private static let tableLines = 200

  /// The declared columns of a list.
  static let hints = ["name": ColumnHint(.text), "value": ColumnHint(.text), "section": ColumnHint(.text)]

  init(_ layout: PropertyLayout) {
    self.layout = layout
    walk = PropertyWalk(column: layout.column, isFlat: layout.kind != .list)
  }

  /// Whether a line or record waits for more.
  var isWaiting: Bool { waiting != nil || !record.isEmpty || !text.isEmpty }

  mutating func read(_ line: String, _ number: Int, into found: inout [TextReader.Found]) {
    if let waiting { take(waiting, before: line, into: &found) }
    waiting = (line, number)
  }

  /// Emits what waits for more lines.
  mutating func flush(into found: inout [TextReader.Found]) {
    if let waiting { take(waiting, before: nil, into: &found) }
    waiting = nil
    record.flush(into: &found)
    flushText(into: &found)
  }

  /// Emits lines without names as the rows of a table or as they are.
  private mutating func flushText(into found: inout [TextReader.Found]) {
    let lines = text
    text = []
    guard lines.count > 1,
      let (detected, rows) = AlignedReader.detected(lines.map(\.line), isDeclared: false, names: [])
    else {
      for (line, number) in lines { found.append(.row([("line", .text(line))], place: "line \(number)")) }
      return
    }
    var reader = detected
    for (line, number) in lines.dropFirst(rows) { reader.read(line, number, into: &found) }
    reader.flush(into: &found)
  }

  private mutating func take(
    _ item: (line: String, number: Int), before next: String?, into found: inout [TextReader.Found]
  ) {
    let step = walk.take(item.line, before: next)
    if !step.isOther { flushText(into: &found) }
    switch (layout.kind, step) {
    case (_, .separator): record.flush(into: &found)
    case (_, .heading), (_, .blank): break
    case (_, .continuation(let text)): record.extend(text)
    case (.list, .pair(let pair, let section)):
      record.flush(into: &found)
      record.begin(item.number)
      if layout.hasSections || !section.isEmpty { record.set("section", section) }
      record.set("name", pair.name)
      record.set("value", pair.value)
    case (.records(let first), .pair(let pair, _)):
      if record.isEmpty || pair.name == first {
        record.flush(into: &found)
        record.begin(item.number)
      }
      record.add(pair.name, pair.value)
    case (_, .other):
      record.flush(into: &found)
      text.append(item)
      if text.count >= Self.tableLines { flushText(into: &found) }
    }
  }
}

/// The columns of a record of several lines.
struct OpenRecord {
  /// The maximum number of columns in one record.
  private static let mostColumns = 200

  private var row: [(name: String, value: String)] = []
  private var places: [String: Int] = [:]
  private var number = 0
  private var size = 0
  private var lines = 0

  var isEmpty: Bool { row.isEmpty }

  mutating func begin(_ number: Int) { self.number = number }

  /// Sets the value of a column.
  mutating func set(_ name: String, _ value: String) {
    if let place = places[name] {
      row[place].value = value
    } else if row.count < Self.mostColumns {
      places[name] = row.count
      row.append((name, value))
    }
  }

  /// Adds a value to a column, behind those that it has, or below them if it has several words.
  mutating func add(_ name: String, _ value: String) {
    guard let place = places[name] else { return set(name, value) }
    guard !value.isEmpty, hasRoom(for: value) else { return }
    let separator = value.contains(" ") || row[place].value.contains(" ") ? "\n" : ", "
    row[place].value += (row[place].value.isEmpty ? "" : separator) + value
  }

  /// Adds a line to the last value.
  mutating func extend(_ text: String) {
    guard let last = row.indices.last, hasRoom(for: text) else { return }
    row[last].value += (row[last].value.isEmpty ? "" : "\n") + text
  }

  private mutating func hasRoom(for text: String) -> Bool {
    size += text.utf8.count + 1
    lines += 1
    return size < TraceJoiner.recordBytes && lines < TraceJoiner.recordLines
  }

  /// Emits the record.
  mutating func flush(into found: inout [TextReader.Found]) {
    guard !row.isEmpty else { return }
    found.append(.row(row.map { ($0.name, .text($0.value)) }, place: "line \(number)"))
    self = OpenRecord()
  }
}
