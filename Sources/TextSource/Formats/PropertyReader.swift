/// Reads lines with names and values as rows `name`, `value`, or as one row per record.
///
/// One line is held back, because the line below it determines whether it is a heading.
struct PropertyReader {
  private let layout: PropertyLayout
  private var walk: PropertyWalk
  private var waiting: (line: String, number: Int)?
  private var record = OpenRecord()
  /// The heading of the current record.
  private var section = ""
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
    case (.list, .heading), (_, .blank): break
    case (.records, .heading(let text)):
      record.flush(into: &found)
      section = text
    case (_, .continuation(let text)): record.extend(text)
    case (.list, .pair(let pair, let section)):
      record.flush(into: &found)
      record.begin(item.number)
      if layout.hasSections || !section.isEmpty { record.set("section", section) }
      record.set("name", pair.name)
      guard layout.hasPairs else { return record.set("value", pair.value) }
      for (name, value) in KeyValueLine.pairs(pair.value) { record.set(name, value) }
    case (.records(let first), .pair(let pair, _)):
      if record.isEmpty || pair.name == first {
        record.flush(into: &found)
        record.begin(item.number)
        if layout.hasSections { record.set("section", section) }
      }
      record.add(pair.name, pair.value)
    case (_, .other) where TextFormat.isCount(item.line): break
    case (_, .other):
      record.flush(into: &found)
      text.append(item)
      if text.count >= Self.tableLines { flushText(into: &found) }
    }
  }
}
