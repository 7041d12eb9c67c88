import ListEngine

/// A table of rows that nobody has described: its columns and their types are guessed from the first rows, and kept from then on.
///
///     var table = LooseTable(name: "jobs", key: "id")
///     table.add([("id", .integer(1)), ("name", .text("build"))], at: "line 1")
///     table.settle()                       // when it is quiet, or there have been enough rows
///     table.schema                         // id: integer, name: text
///     let changes = table.takeChanges()
///
/// docs/plugins.md says how columns are guessed, and what becomes of a row that contradicts.
struct LooseTable {
  typealias LooseRow = [(name: String, value: LooseValue)]

  /// After so many rows it settles by itself.
  static let sampleRows = 100
  /// After about so many bytes of rows it settles by itself.
  static let sampleBytes = 1 << 20
  /// Of so many unknown columns the names are remembered, so that each is complained of once.
  private static let rememberedNames = 100

  /// What the rows look like; `nil` until it has settled.
  private(set) var schema: Schema?
  /// The member that names a row; `nil`: rows are named by their numbers, in the order in which they come.
  let key: String?

  private let name: String
  private let title: String
  /// The columns to show, in this order; `nil` for all, in the order in which they appear.
  private let wanted: [String]?
  private var sample: [(row: LooseRow, place: String)] = []
  private var sampledBytes = 0
  private var numbers: [String: Int] = [:]
  private var unknown: Set<String> = []
  private var changes = Changeset()
  private var nextNumber: Int64 = 1

  /// A table without rows. With a schema, which an earlier one has settled on, there is nothing to guess.
  init(name: String, title: String = "", key: String?, columns: [String]? = nil, schema: Schema? = nil) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.key = key
    wanted = columns
    if let schema { adopt(schema) }
  }

  private mutating func adopt(_ schema: Schema) {
    self.schema = schema
    for (number, column) in schema.columns.enumerated() { numbers[column.name] = number }
  }

  /// How many rows wait in ``takeChanges()``.
  var pendingRows: Int { changes.count }
  /// How many bytes they take.
  var pendingBytes: Int { changes.byteCount }
  /// Whether rows wait for the schema.
  var isSampling: Bool { schema == nil && !sample.isEmpty }

  // MARK: Rows

  /// Takes one row; `place` is what complaints call it, such as `line 7`.
  mutating func add(_ row: LooseRow, at place: String) {
    guard schema == nil else { return append(row, at: place) }
    if let key, !row.contains(where: { $0.name == key && Self.isKey($0.value) }) {
      return reject("\(place): \(keyFault(row))")
    }
    sample.append((row, place))
    sampledBytes += row.reduce(0) { $0 + $1.name.utf8.count + 16 + $1.value.written.utf8.count }
    if sample.count >= Self.sampleRows || sampledBytes >= Self.sampleBytes { settle() }
  }

  /// A row with this key goes.
  mutating func delete(_ key: RowKey) { changes.delete(key) }

  /// The whole list follows, and then ``endReload()``.
  mutating func beginReload() { changes.beginsReload = true }

  /// The whole list was named.
  mutating func endReload() { changes.endsReload = true }

  /// Something could not be read at all.
  mutating func reject(_ reason: String) { changes.noteUnnamedRejections(1, reason) }

  /// What has changed since the last call; `nil` when that is nothing, or there is no schema yet.
  mutating func takeChanges() -> Changeset? {
    guard schema != nil, !changes.isEmpty else { return nil }
    defer { changes = Changeset() }
    return changes
  }

  private mutating func append(_ row: LooseRow, at place: String) {
    guard let schema else { return }
    var cells = [Cell](repeating: .null, count: schema.columns.count)
    var rowKey: RowKey?
    var problem: String?
    for (name, value) in row {
      if name == key { rowKey = Self.key(value, as: schema.key) }
      guard let number = numbers[name] else {
        if wanted == nil, name != key { note(unknown: name, at: place) }
        continue
      }
      let type = schema.columns[number].type
      if let cell = Self.cell(value, as: type) {
        cells[number] = cell
      } else {
        problem = "\(place): “\(name)” is \(value.name), the column was taken for \(type): the cell stays empty"
      }
    }
    if key == nil {
      rowKey = .integer(nextNumber)
      nextNumber += 1
    }
    guard let rowKey else { return reject("\(place): \(keyFault(row))") }
    if let problem { reject(problem) }
    changes.upsert(rowKey, cells)
  }

  private mutating func note(unknown name: String, at place: String) {
    guard unknown.count < Self.rememberedNames, unknown.insert(name).inserted else { return }
    reject("\(place): “\(name.prefix(80))” is no column: the columns were guessed from the first rows")
  }

  private func keyFault(_ row: LooseRow) -> String {
    guard let key else { return "it has no key" }
    guard let value = row.last(where: { $0.name == key })?.value else { return "it has no “\(key)”" }
    let wanted = schema?.key == .integer ? "a whole number, as in the first rows" : "a text or a whole number"
    return "its “\(key)” is \(value.name), not \(wanted)"
  }

  // MARK: Guessing

  /// Decides on the columns from the rows that have come; without any there is nothing to decide.
  mutating func settle() {
    guard schema == nil, !sample.isEmpty else { return }
    var order: [String] = []
    var kinds: [String: Guess] = [:]
    for (row, _) in sample {
      for (name, value) in row where !name.isEmpty && name.utf8.count <= ForeignText.nameLimit {
        if kinds[name] == nil { order.append(name) }
        kinds[name, default: .nothing].take(value)
      }
    }
    let limit = Limits().columns
    let shown = (wanted ?? order).prefix(limit)
    let keyType: KeyType = key.map { kinds[$0] == .wholeNumbers ? .integer : .text } ?? .integer
    var columns = shown.map { name in
      let guess = kinds[name] ?? .nothing
      // A row's name is shown as it is; other whole numbers may be followed by broken ones.
      let type = name == key ? (keyType == .integer ? .integer : .text) : guess.type
      return Column(name, type, style: guess == .links && name != key ? .link : .plain)
    }
    if columns.isEmpty { columns = [Column("row", .integer)] }
    adopt(Schema(name: name, title: title, key: keyType, columns: columns))
    let rows = sample
    sample = []
    for (row, place) in rows { append(row, at: place) }
  }

  /// What a column's values have been so far.
  private enum Guess {
    case nothing, booleans, wholeNumbers, greatWholeNumbers, numbers, moments, links, texts, series

    init(_ value: LooseValue) {
      switch value {
      case .null: self = .nothing
      case .boolean: self = .booleans
      case .integer(let value): self = value.magnitude > 1 << 53 ? .greatWholeNumbers : .wholeNumbers
      case .number: self = .numbers
      case .series: self = .series
      case .other: self = .texts
      case .text(let text): self = Self.isMoment(text) ? .moments : Self.isLink(text) ? .links : .texts
      }
    }

    mutating func take(_ value: LooseValue) {
      let next = Guess(value)
      switch (self, next) {
      case (_, .nothing): break
      case (.nothing, _): self = next
      case _ where self == next: break
      case (.wholeNumbers, .greatWholeNumbers), (.greatWholeNumbers, .wholeNumbers): self = .greatWholeNumbers
      case (.wholeNumbers, .numbers), (.numbers, .wholeNumbers), (.numbers, .greatWholeNumbers),
        (.greatWholeNumbers, .numbers):
        self = .numbers
      default: self = .texts
      }
    }

    var type: ColumnType {
      switch self {
      case .nothing, .texts, .links: .text
      case .booleans: .boolean
      case .wholeNumbers, .numbers: .number
      case .greatWholeNumbers: .integer
      case .moments: .timestamp
      case .series: .series
      }
    }

    private static func isMoment(_ text: String) -> Bool {
      var text = text
      return text.withUTF8 { Moments.nanoseconds(rfc3339: UnsafeRawBufferPointer($0)) } != nil
    }

    private static func isLink(_ text: String) -> Bool { text.hasPrefix("https://") || text.hasPrefix("http://") }
  }

  // MARK: Values

  private static func isKey(_ value: LooseValue) -> Bool { key(value, as: .text) != nil }

  static func key(_ value: LooseValue, as type: KeyType) -> RowKey? {
    switch (value, type) {
    case (.integer(let value), .integer): .integer(value)
    case (.integer, .text): .text(value.written)
    case (.text(let value), .text): .text(value)
    default: nil
    }
  }

  /// A value as a cell of a column; `nil` when it does not fit.
  static func cell(_ value: LooseValue, as type: ColumnType) -> Cell? {
    switch (value, type) {
    case (.null, _): return .null
    case (.boolean(let value), .boolean): return .boolean(value)
    case (.integer(let value), .integer): return .integer(value)
    case (.integer(let value), .number): return .number(Double(value))
    case (.number(let value), .number): return .number(value)
    case (.number(let value), .integer): return Int64(exactly: value).map { .integer($0) }
    case (.series(let value), .series): return .series(value)
    case (_, .text): return .text(value.written)
    case (.text(var text), .timestamp):
      return text.withUTF8 { Moments.nanoseconds(rfc3339: UnsafeRawBufferPointer($0)) }.map { .timestamp($0) }
    default: return nil
    }
  }
}
