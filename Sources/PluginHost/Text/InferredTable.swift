import ListEngine

/// A table of rows that nobody has described: its columns and their types are guessed from the first rows, and kept from then on.
///
///     var table = InferredTable(name: "jobs", key: ["id"])
///     table.add([("id", .integer(1)), ("name", .text("build"))], at: "line 1")
///     table.settle()                       // when it is quiet, or there have been enough rows
///     table.schema                         // id: integer, name: text
///     let changes = table.takeChanges()
///
/// docs/plugins.md says how columns are guessed, and what becomes of a row that contradicts.
struct InferredTable {
  typealias UntypedRow = [(name: String, value: UntypedValue)]

  /// Columns that were added to those of a table.
  struct Addition {
    /// The changes of the rows before, which have the former columns.
    var before: Changeset
    var former: Schema
    var schema: Schema
  }

  /// After so many rows it settles by itself.
  static let sampleRows = 100
  /// Of a table that has its columns, rows with new members wait until they are this part of its rows.
  private static let widening = 8
  /// After about so many bytes of rows it settles by itself.
  static let sampleBytes = 1 << 20
  /// Of so many unknown columns the names are remembered, so that each is complained of once.
  private static let rememberedNames = 100

  /// What the rows look like; `nil` until it has settled.
  private(set) var schema: Schema?
  /// The members that name a row, together; empty: rows are named by their numbers, in the order in which they come.
  private(set) var key: [String]
  /// The guessed key while it names every row, no two alike; `nil` when the key was given, or none was found.
  private var guess: GuessedKey?
  /// Whether to look for a key when none is given.
  var findsKey = KeyGuess.Effort.never
  /// Whether it settles by itself.
  var settlesEarly = true
  /// Whether a member that first appears after the columns are known becomes a column.
  var addsColumns = false
  /// Which rows the table keeps.
  var retention = Retention.everything
  /// Why a row was left out last.
  private(set) var lastRejection = ""
  /// Why rows were left out while there is no table to show that on: told of the first, the tenth, the hundredth and so on.
  private var complaint: String?
  private var complaints = 0
  /// The columns that were taken for a key, until a row repeated their values; empty when that has not happened.
  private(set) var abandonedKey: [String] = []
  /// Rows that would have replaced another one, or been left out, if the guess had been kept.
  private(set) var rowsWithoutGuessedKey = 0

  private let name: String
  private let title: String
  /// The columns to show, in this order; `nil` for all, in the order in which they appear.
  private let wanted: [String]?
  /// Whether a text may stand for something else.
  private let isTextual: Bool
  private var sample: [(row: UntypedRow, place: String)] = []
  private var sampledBytes = 0
  private var numbers: [String: Int] = [:]
  private var unknown: Set<String> = []
  /// What was there when it settled and is no column, as there are too many.
  private var leftOut: Set<String> = []
  private var changes = Changeset()
  /// The changes that came before columns were added, and the columns since, in their order.
  private var added: [Addition] = []
  private var rowCount = 0
  private var nextNumber: Int64 = 1
  /// Keys that rows had before the guessed key was abandoned: no number may repeat one.
  private var numbersInUse: GuessedKey?

  /// A table without rows. With a schema, which an earlier one has settled on, there is nothing to guess.
  init(
    name: String, title: String = "", key: [String], columns: [String]? = nil, isTextual: Bool = false,
    schema: Schema? = nil
  ) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.key = key
    self.isTextual = isTextual
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
  /// Whether the key is a guess, which holds as long as no two rows repeat it.
  var isKeyGuessed: Bool { guess != nil }
  /// Whether rows wait for the schema.
  var isSampling: Bool { !sample.isEmpty }

  /// The changes before columns were added, and the columns since, for each time since the last call: to be told before
  /// ``takeChanges()``.
  mutating func takeAddedColumns() -> [Addition] {
    defer { added = [] }
    return added
  }

  // MARK: Rows

  /// Takes one row; `place` is what complaints call it, such as `line 7`.
  mutating func add(_ row: UntypedRow, at place: String) {
    if schema != nil {
      // A list that is read as a whole gets its columns before its rows.
      guard !sample.isEmpty || (addsColumns && (!settlesEarly || hasNewColumn(row))) else {
        return append(row, at: place)
      }
      return wait(row, place)
    }
    if !key.isEmpty, rowKey(row, as: .text) == nil { return reject("\(place): \(keyFault(row))") }
    wait(row, place)
  }

  /// Keeps a row until its columns are decided on.
  private mutating func wait(_ row: UntypedRow, _ place: String) {
    sample.append((row, place))
    guard settlesEarly else { return }
    sampledBytes += row.reduce(0) { $0 + $1.name.utf8.count + 16 + $1.value.written.utf8.count }
    if sample.count >= max(Self.sampleRows, rowCount / Self.widening) || sampledBytes >= Self.sampleBytes { settle() }
  }

  /// Whether a row has a member that can become a column.
  private func hasNewColumn(_ row: UntypedRow) -> Bool {
    guard wanted == nil, let schema, schema.columns.count < Limits().columns, belongs(row) else { return false }
    return row.contains { isNew($0.name, $0.value) }
  }

  /// Whether a row is one of the table: a key that was given must name it, and where one was guessed, another output has none of the
  /// columns.
  private func belongs(_ row: UntypedRow) -> Bool {
    if guess != nil { return row.contains { numbers[$0.name] != nil } }
    return key.isEmpty || schema.map { rowKey(row, as: $0.key) != nil } ?? true
  }

  private func isNew(_ name: String, _ value: UntypedValue) -> Bool {
    numbers[name] == nil && !name.isEmpty && name.utf8.count <= ForeignText.nameLimit && !isEmpty(value)
      && !leftOut.contains(name)
  }

  private func isEmpty(_ value: UntypedValue) -> Bool { value == .null || (isTextual && value == .text("")) }

  /// The whole list follows, and then ``endReload()``. Rows without a key are numbered from the first again.
  mutating func beginReload() {
    changes.beginsReload = true
    nextNumber = 1
    guess?.forget()
    numbersInUse = nil
  }

  /// The whole list was named.
  mutating func endReload() { changes.endsReload = true }

  /// Something could not be read at all.
  mutating func reject(_ reason: String) {
    lastRejection = reason
    changes.noteUnnamedRejections(1, reason)
    guard schema == nil else { return }
    complaints += 1
    guard Self.isPowerOfTen(complaints) else { return }
    complaint = complaints == 1 ? reason : "\(reason) (\(complaints) were left out)"
  }

  private static func isPowerOfTen(_ number: Int) -> Bool {
    var rest = number
    while rest > 9, rest.isMultiple(of: 10) { rest /= 10 }
    return rest == 1
  }

  /// What is to be told of rows that were left out, though there is no table yet; `nil` when that is nothing new.
  mutating func takeComplaint() -> String? {
    defer { complaint = nil }
    return complaint
  }

  /// What has changed since the last call; `nil` when that is nothing, or there is no schema yet.
  mutating func takeChanges() -> Changeset? {
    guard schema != nil, !changes.isEmpty else { return nil }
    defer { changes = Changeset() }
    return changes
  }

  private mutating func append(_ row: UntypedRow, at place: String) {
    guard let schema else { return }
    guard let rowKey = nextKey(of: row, as: schema.key) else { return reject("\(place): \(keyFault(row))") }
    var cells = [Cell](repeating: .null, count: schema.columns.count)
    var problem: String?
    for (name, value) in row {
      guard let number = numbers[name] else {
        if wanted == nil, !key.contains(name), !(addsColumns && isEmpty(value)) { note(unknown: name, at: place) }
        continue
      }
      let column = schema.columns[number]
      if let cell = cell(value, as: column) {
        cells[number] = cell
      } else {
        problem = "\(place): “\(name)” is \(fault(value, in: column)): the cell stays empty"
      }
    }
    if let problem { reject(problem) }
    changes.upsert(rowKey, cells)
    rowCount += 1
  }

  /// What a value is that its column cannot take.
  private func fault(_ value: UntypedValue, in column: Column) -> String {
    let read = if isTextual, case .text(let text) = value { UntypedValue(reading: text) } else { value }
    let isInexact =
      switch (read, column.type) {
      case (.integer, .number), (.great, .number), (.great, .integer): true
      default: false
      }
    if column.type == .timestamp, case .text(var text) = value,
      text.withUTF8({ Moments.reading(rfc3339: UnsafeRawBufferPointer($0)) }) == .outOfRange
    {
      return "outside 1677-09-21 to 2262-04-11, which the column, taken for timestamp, cannot hold"
    }
    return isInexact
      ? "\(read.written), which the column, taken for \(column.type), cannot hold exactly"
      : "\(value.name), the column was taken for \(column.type)"
  }

  private mutating func note(unknown name: String, at place: String) {
    guard !leftOut.contains(name), unknown.count < Self.rememberedNames, unknown.insert(name).inserted else { return }
    reject("\(place): “\(name.prefix(80))” is no column: the columns were guessed from the first rows")
  }

  // MARK: Keys

  /// The key of the next row: its own, or the next free number. `nil` when a given key does not name the row, or the
  /// row has no column of the table.
  ///
  /// - Complexity: O(1) amortized.
  private mutating func nextKey(of row: UntypedRow, as type: KeyType) -> RowKey? {
    if guess != nil {
      let own = rowKey(row, as: type)
      // A row without any column of the table is no row of it: a message between the rows, or another output.
      guard own != nil || belongs(row) else { return nil }
      if let own, !guess!.isFull, guess!.insert(own) { return own }
      numbersInUse = guess
      guess = nil
      abandonedKey = key
      key = []
    } else if !key.isEmpty {
      return rowKey(row, as: type)
    }
    if !abandonedKey.isEmpty { countRepeat(row, as: type) }
    while true {
      let number: RowKey = type == .integer ? .integer(nextNumber) : .text("#\(nextNumber)")
      nextNumber += 1
      if numbersInUse?.contains(number) != true { return number }
    }
  }

  /// Counts a row that the abandoned key would have lost: one that repeats it, or has none.
  private mutating func countRepeat(_ row: UntypedRow, as type: KeyType) {
    guard let used = numbersInUse, !used.isFull else { return }
    if let own = rowKey(row, of: abandonedKey, as: type), numbersInUse!.insert(own) { return }
    rowsWithoutGuessedKey += 1
  }

  /// What to tell of a guessed key that did not hold; empty when there is nothing to tell. The count is that of the last power of ten.
  var keyNotice: String {
    guard !abandonedKey.isEmpty, rowsWithoutGuessedKey > 0 else { return "" }
    var count = 1
    while count <= rowsWithoutGuessedKey / 10 { count *= 10 }
    let names = abandonedKey.map { "“\($0.prefix(80))”" }.joined(separator: ", ")
    let rows = count == 1 ? "" : count == rowsWithoutGuessedKey ? " (\(count) times)" : " (more than \(count) times)"
    return
      "\(names) repeats\(rows), so rows are numbered instead. Use --key \(abandonedKey.joined(separator: ",")) to replace rows"
  }

  /// What names a row; `nil` when it has no such name.
  func rowKey(_ row: UntypedRow, as type: KeyType) -> RowKey? { rowKey(row, of: key, as: type) }

  private func rowKey(_ row: UntypedRow, of key: [String], as type: KeyType) -> RowKey? {
    var parts: [String] = []
    for name in key {
      guard let value = row.last(where: { $0.name == name })?.value else { return nil }
      guard key.count > 1 else { return Self.key(isTextual ? reading(value, as: type) : value, as: type) }
      guard case .text(let part)? = Self.key(value, as: .text), !part.isEmpty else { return nil }
      parts.append(part)
    }
    return .text(Self.joined(parts))
  }

  /// Several parts as one text, which no other parts have. Parts without blanks stay as they are; otherwise a blank in a part,
  /// and a backslash, gets a backslash in front of it.
  static func joined(_ parts: [String]) -> String {
    guard parts.contains(where: { $0.utf8.contains(UInt8(ascii: " ")) }) else { return parts.joined(separator: " ") }
    return parts.map { $0.replacing("\\", with: "\\\\").replacing(" ", with: "\\ ") }.joined(separator: " ")
  }

  private func reading(_ value: UntypedValue, as type: KeyType) -> UntypedValue {
    guard type == .integer, case .text(let text) = value else { return value == .text("") ? .null : value }
    return UntypedValue(reading: text)
  }

  private static func key(_ value: UntypedValue, as type: KeyType) -> RowKey? {
    switch (value, type) {
    case (.integer(let value), .integer): .integer(value)
    case (.integer, .text), (.great, .text): .text(value.written)
    case (.text(let value), .text): .text(value)
    default: nil
    }
  }

  private func keyFault(_ row: UntypedRow) -> String {
    let wanted = schema?.key == .integer ? "a whole number, as in the first rows" : "a text or a whole number"
    for name in key {
      guard let value = row.last(where: { $0.name == name })?.value else { return "it has no “\(name)”" }
      if Self.key(isTextual ? reading(value, as: schema?.key ?? .text) : value, as: schema?.key ?? .text) == nil {
        return "its “\(name)” is \(value == .text("") ? "empty" : value.name), not \(wanted)"
      }
    }
    return "it has no key"
  }

  // MARK: Guessing

  /// Decides on the columns from the rows that have come; without any there is nothing to decide.
  mutating func settle() {
    guard schema == nil else { return addColumns() }
    guard !sample.isEmpty else { return }
    if key.isEmpty {
      key = KeyGuess.key(of: sample.map(\.row), findsKey)
      if !key.isEmpty { guess = GuessedKey() }
    }
    var order: [String] = []
    var guesses: [String: ColumnGuess] = [:]
    for (row, _) in sample {
      for (name, value) in row where !name.isEmpty && name.utf8.count <= ForeignText.nameLimit {
        if guesses[name] == nil { order.append(name) }
        guesses[name, default: .nothing].take(value, isTextual: isTextual)
      }
    }
    // A row's name is shown as it is; of other whole numbers broken ones may follow.
    let isNumbered =
      key.isEmpty || (key.count == 1 && (guesses[key[0]] == .wholeNumbers || guesses[key[0]] == .greatWholeNumbers))
    let names = (wanted ?? order).prefix(Limits().columns)
    let others = (wanted ?? order).dropFirst(Limits().columns)
    if let first = others.first {
      leftOut = Set(others)
      reject(
        "there are \(names.count + others.count) columns, and a table has at most \(Limits().columns): “\(first.prefix(80))” and what follows is left out"
      )
    }
    var columns = names.map { name in
      key == [name]
        ? Column(name, isNumbered ? .integer : .text, format: isNumbered ? .plain() : nil)
        : (guesses[name] ?? .nothing).column(name)
    }
    if columns.isEmpty { columns = [Column("row", .integer, format: .plain())] }
    adopt(
      Schema(name: name, title: title, key: isNumbered ? .integer : .text, columns: columns, retention: retention))
    appendSample()
  }

  private mutating func appendSample() {
    let rows = sample
    sample = []
    sampledBytes = 0
    for (row, place) in rows { append(row, at: place) }
  }

  /// Decides on columns for members that came later.
  private mutating func addColumns() {
    guard let former = schema, !sample.isEmpty else { return }
    var schema = former
    var order: [String] = []
    var guesses: [String: ColumnGuess] = [:]
    for (row, _) in sample where belongs(row) {
      for (name, value) in row where addsColumns && wanted == nil && isNew(name, value) {
        if guesses[name] == nil { order.append(name) }
        guesses[name, default: .nothing].take(value, isTextual: isTextual)
      }
    }
    let names = order.prefix(max(0, Limits().columns - schema.columns.count))
    if let first = order.dropFirst(names.count).first {
      leftOut.formUnion(order.dropFirst(names.count))
      reject("a table has at most \(Limits().columns) columns: “\(first.prefix(80))” and what follows is left out")
    }
    if !names.isEmpty {
      schema.columns += names.map { guesses[$0]!.column($0) }
      let beginsReload = changes.beginsReload
      changes.beginsReload = false
      added.append(Addition(before: changes, former: former, schema: schema))
      changes = Changeset()
      changes.beginsReload = beginsReload
      adopt(schema)
    }
    appendSample()
  }

  /// There was no row, but a line that names the columns: they are of texts.
  mutating func settle(withoutRows names: [String]) {
    guard schema == nil, sample.isEmpty else { return }
    let columns = (wanted ?? names.filter { $0.utf8.count <= ForeignText.nameLimit }).prefix(Limits().columns)
    guard !columns.isEmpty else { return }
    adopt(
      Schema(
        name: name, title: title, key: key.isEmpty ? .integer : .text, columns: columns.map { Column($0, .text) },
        retention: retention))
  }

  /// A value as a cell of a column; `nil` when it does not fit.
  private func cell(_ value: UntypedValue, as column: Column) -> Cell? {
    var value = value
    if isTextual, value == .text("") { return .null }
    if isTextual, column.type != .text, case .text(let text) = value {
      if column.unit == "%", let share = UntypedValue.share(text) { return .number(share) }
      value = UntypedValue(reading: text)
    }
    switch (value, column.type) {
    case (.null, _): return .null
    case (.boolean(let value), .boolean): return .boolean(value)
    case (.integer(let value), .integer): return .integer(value)
    case (.integer(let value), .number): return Double(exactly: value).map { .number($0) }
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
