/// The columns of a record of several lines.
struct OpenRecord {
  /// The maximum number of columns in one record.
  private static let mostColumns = 200
  /// The size of names and first values after which further columns are left out.
  private static let mostBytes = 1 << 20

  private var row: [(name: String, value: String)] = []
  private var places: [String: Int] = [:]
  private var number = 0
  private var columnBytes = 0
  /// The size of the values that were added to others.
  private var size = 0
  private var lines = 0

  var isEmpty: Bool { row.isEmpty }

  mutating func begin(_ number: Int) { self.number = number }

  /// Sets the value of a column.
  mutating func set(_ name: String, _ value: String) {
    if let place = places[name] {
      row[place].value = value
    } else if row.count < Self.mostColumns, columnBytes <= Self.mostBytes {
      columnBytes += name.utf8.count + value.utf8.count
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
    // `psql` marks lines that go on.
    if row[last].value.hasSuffix(" +") {
      row[last].value = String(AlignedHeader.trimmed(Array(row[last].value.dropLast())[...]))
    }
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
