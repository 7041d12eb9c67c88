import ListEngine
import SourceRuntime

/// A table with an inferred schema: columns and types are inferred from the first rows and then
/// kept.
///
///     var table = InferredTable(name: "jobs", key: ["id"])
///     table.add([("id", .integer(1)), ("name", .text("build"))], at: "line 1")
///     table.settle()                       // when the input pauses
///     table.schema                         // id: integer, name: text
///     let changes = table.takeChanges()
///
/// docs/plugins/programs.md specifies the inference and the handling of rows that contradict it.
package struct InferredTable {
  package typealias UntypedRow = [(name: String, value: UntypedValue)]

  /// An extension of the table by new columns.
  package struct Addition {
    /// The changes before the extension, which have the former columns.
    package var before: Changeset
    package var previous: Schema
    package var schema: Schema
  }

  /// The number of rows after which inference runs.
  package static let sampleRows = 100
  /// The divisor of the row count that gives the number of rows sampled before new columns are
  /// added.
  private static let widening = 8
  /// The approximate number of bytes of rows after which inference runs.
  static let sampleBytes = 1 << 20
  /// The number of unknown column names that are remembered, so that each is reported only once.
  private static let rememberedNames = 100

  /// The inferred schema; `nil` until inference has run.
  package private(set) var schema: Schema?
  /// The members that together form the row key.
  ///
  /// If empty, rows are numbered in the order of arrival.
  package private(set) var key: [String]
  /// The keys seen so far under an inferred key; `nil` when the key was given, was not found or was
  /// abandoned.
  private var guess: GuessedKey?
  /// The extent of the search for a key when none is given.
  package var findsKey = KeyGuess.Effort.never
  /// Whether inference runs by itself once the sample is large enough.
  package var settlesEarly = true
  /// Whether a member that first appears after inference becomes a column.
  package var addsColumns = false
  /// The retention of the table's rows.
  package var retention = Retention.everything
  /// The reason for the last rejection.
  package private(set) var lastRejection = ""
  /// The faults since the last ``takeFaults()``.
  private var faults = (count: 0, reasons: [String]())
  /// The pending report about rejected rows while no table exists.
  ///
  /// Only the first, tenth, hundredth and so on is reported.
  private var complaint: String?
  private var complaints = 0
  /// The inferred key columns that were abandoned because their values repeated, or empty.
  private(set) var abandonedKey: [String] = []
  /// The number of rows that the abandoned key would have replaced or left out.
  private(set) var rowsWithoutGuessedKey = 0

  private let name: String
  private let title: String
  /// The columns to show, in this order, or `nil` for all in order of appearance.
  private let wanted: [String]?
  /// Whether texts may represent other types.
  let isTextual: Bool
  /// The declared types and titles of columns, by name.
  private let hints: [String: ColumnHint]
  /// The explanation and the first view of the table; columns that do not exist are left out of it.
  package var presentation: TablePresentation?
  private var sample: [(row: UntypedRow, place: String)] = []
  private var sampledBytes = 0
  private var numbers: [String: Int] = [:]
  private var unknown: Set<String> = []
  /// The names of members beyond the column limit.
  private var leftOut: Set<String> = []
  private var changes = Changeset()
  /// The extensions since the last call, in order.
  private var added: [Addition] = []
  /// The number of rows added to the changes so far.
  private(set) var rowCount = 0
  private var nextNumber: Int64 = 1
  /// The keys used before the inferred key was abandoned, which row numbers must not repeat.
  private var numbersInUse: GuessedKey?

  /// Creates an empty table.
  ///
  /// If a schema from an earlier table is given, nothing is inferred.
  package init(
    name: String, title: String = "", key: [String], columns: [String]? = nil, isTextual: Bool = false,
    hints: [String: ColumnHint] = [:], schema: Schema? = nil
  ) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.key = key
    self.isTextual = isTextual
    self.hints = hints
    wanted = columns
    if let schema { adopt(schema) }
  }

  private mutating func adopt(_ schema: Schema) {
    var schema = schema
    if var presentation {
      presentation.view = presentation.view.limited(to: Set(schema.columns.map(\.name)))
      // A table whose columns are all hidden would be refused.
      if presentation.view.hidden.count >= schema.columns.count { presentation.view.hidden = [] }
      schema.presentation = presentation
      // The inferred types may not suit the declared tiles and levels.
      if (try? schema.checkPresentation()) == nil {
        schema.presentation?.view.tiles = []
        schema.presentation?.severity = nil
      }
    }
    self.schema = schema
    for (number, column) in schema.columns.enumerated() { numbers[column.name] = number }
  }

  /// The number of changes waiting in ``takeChanges()``.
  package var pendingRows: Int { changes.count }
  /// The size of the waiting changes in bytes.
  package var pendingBytes: Int { changes.byteCount }
  /// Whether the key is inferred and has not been repeated so far.
  package var isKeyGuessed: Bool { guess != nil }
  /// Whether rows wait for inference.
  package var isSampling: Bool { !sample.isEmpty }

  /// Returns the extensions since the last call.
  ///
  /// They must be delivered before ``takeChanges()``.
  package mutating func takeAddedColumns() -> [Addition] {
    defer { added = [] }
    return added
  }

  // MARK: Rows

  /// Adds one row.
  ///
  /// `place` names it in messages, such as `line 7`.
  package mutating func add(_ row: UntypedRow, at place: String) {
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

  /// Holds a row back until the columns are inferred.
  private mutating func wait(_ row: UntypedRow, _ place: String) {
    sample.append((row, place))
    guard settlesEarly else { return }
    sampledBytes += row.reduce(0) { $0 + $1.name.utf8.count + 16 + $1.value.written.utf8.count }
    if sample.count >= max(Self.sampleRows, rowCount / Self.widening) || sampledBytes >= Self.sampleBytes { settle() }
  }

  /// Returns whether a row has a member that can become a new column.
  private func hasNewColumn(_ row: UntypedRow) -> Bool {
    guard wanted == nil, let schema, schema.columns.count < Limits().columns, belongs(row) else { return false }
    return row.contains { isNew($0.name, $0.value) }
  }

  /// Returns whether a row belongs to the table.
  ///
  /// It must have the given key or, if the key is inferred, at least one known column.
  private func belongs(_ row: UntypedRow) -> Bool {
    if guess != nil { return row.contains { numbers[$0.name] != nil } }
    return key.isEmpty || schema.map { rowKey(row, as: $0.key) != nil } ?? true
  }

  private func isNew(_ name: String, _ value: UntypedValue) -> Bool {
    numbers[name] == nil && !name.isEmpty && name.utf8.count <= ForeignText.nameLimit && !isEmpty(value)
      && !leftOut.contains(name)
  }

  private func isEmpty(_ value: UntypedValue) -> Bool { value == .null || (isTextual && value == .text("")) }

  /// Begins a reload, ended by ``endReload()``.
  ///
  /// Row numbers restart at 1.
  package mutating func beginReload() {
    changes.beginsReload = true
    nextNumber = 1
    guess?.forget()
    numbersInUse = nil
  }

  /// Ends a reload.
  package mutating func endReload() { changes.endsReload = true }

  /// Ends a reload that is incomplete: rows that it has not named stay.
  mutating func abandonReload() {
    // A reload whose beginning was not taken yet never begins.
    if changes.beginsReload { changes.beginsReload = false } else { changes.abandonsReload = true }
  }

  /// Deletes the row with the key in these members.
  mutating func delete(_ row: UntypedRow, at place: String) {
    settle()
    guard let schema else { return reject("\(place): it deletes a row before the first row has come") }
    guard !key.isEmpty else { return reject("\(place): rows have no key by which to delete one; name its columns") }
    guard let own = rowKey(row, as: schema.key) else { return reject("\(place): \(keyFault(row))") }
    changes.delete(own)
    rowCount += 1
  }

  /// Returns the number of faults since the last call, and the first reasons.
  mutating func takeFaults() -> (count: Int, reasons: [String]) {
    defer { faults = (0, []) }
    return faults
  }

  /// Counts a row that was unreadable or incomplete.
  package mutating func reject(_ reason: String) {
    lastRejection = reason
    faults.count += 1
    if faults.reasons.count < UploadReport.greatestReasonCount { faults.reasons.append(reason) }
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

  /// Returns a pending report about rejected rows while no table exists, or `nil`.
  package mutating func takeComplaint() -> String? {
    defer { complaint = nil }
    return complaint
  }

  /// Returns the changes since the last call; `nil` when there are none or the schema is not known.
  package mutating func takeChanges() -> Changeset? {
    guard schema != nil, !changes.isEmpty else { return nil }
    defer { changes = Changeset() }
    return changes
  }

  /// Returns the name of the column for texts that do not fit a column of numbers or times.
  private static func overflowName(_ name: String) -> String { "\(name) (text)" }

  /// Returns whether columns for values that do not fit theirs exist or can be added.
  private func canAdd(_ mismatches: UntypedRow, of row: UntypedRow) -> Bool {
    guard isTextual, addsColumns, wanted == nil, let schema, belongs(row) else { return false }
    return mismatches.allSatisfy { numbers[$0.name] != nil || isNew($0.name, $0.value) }
      && schema.columns.count + mismatches.count <= Limits().columns
  }

  private mutating func append(_ row: UntypedRow, at place: String) {
    guard let schema else { return }
    var cells = [Cell](repeating: .null, count: schema.columns.count)
    var mismatches: UntypedRow = []
    var unknownNames: [String] = []
    var problem: String?
    for (name, value) in row {
      guard let number = numbers[name] else {
        if wanted == nil, !key.contains(name), !(addsColumns && isEmpty(value)) { unknownNames.append(name) }
        continue
      }
      let column = schema.columns[number]
      if let cell = cell(value, as: column) {
        cells[number] = cell
      } else {
        mismatches.append((Self.overflowName(name), value))
        problem = "\(place): “\(name)” is \(fault(value, in: column)): the cell stays empty"
      }
    }
    if !mismatches.isEmpty, canAdd(mismatches, of: row) {
      // A text that does not fit is shown in a column of its own.
      guard mismatches.allSatisfy({ numbers[$0.name] != nil }) else { return wait(row + mismatches, place) }
      for (name, value) in mismatches { cells[numbers[name]!] = .text(value.written) }
      problem = nil
    }
    guard let rowKey = nextKey(of: row, as: schema.key) else { return reject("\(place): \(keyFault(row))") }
    for name in unknownNames { note(unknown: name, at: place) }
    if let problem { reject(problem) }
    changes.upsert(rowKey, cells)
    rowCount += 1
  }

  /// Describes a value that does not fit its column.
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
    reject("\(place): “\(name.prefix(80))” is not a column: the columns were guessed from the first rows")
  }

  // MARK: Keys

  /// Returns the key of the next row: its own key or the next free number.
  ///
  /// Returns `nil` when a given key does not identify the row, or the row has no column of the
  /// table.
  ///
  /// - Complexity: O(1) amortized.
  private mutating func nextKey(of row: UntypedRow, as type: KeyType) -> RowKey? {
    if guess != nil {
      let own = rowKey(row, as: type)
      // A row without any known column does not belong to the table, such as a message between
      // rows.
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

  /// Counts a row that the abandoned key would have lost because it repeats or lacks the key.
  private mutating func countRepeat(_ row: UntypedRow, as type: KeyType) {
    guard let used = numbersInUse, !used.isFull else { return }
    if let own = rowKey(row, of: abandonedKey, as: type), numbersInUse!.insert(own) { return }
    rowsWithoutGuessedKey += 1
  }

  /// A notice about an abandoned key, or empty.
  ///
  /// The count is rounded down to a power of ten.
  package var keyNotice: String {
    guard !abandonedKey.isEmpty, rowsWithoutGuessedKey > 0 else { return "" }
    var count = 1
    while count <= rowsWithoutGuessedKey / 10 { count *= 10 }
    let names = abandonedKey.map { "“\($0.prefix(80))”" }.joined(separator: ", ")
    let rows = count == 1 ? "" : count == rowsWithoutGuessedKey ? " (\(count) times)" : " (more than \(count) times)"
    return
      "\(names) repeats\(rows), so rows are numbered instead. "
      + "Use --key \(abandonedKey.joined(separator: ",")) to replace rows"
  }

  /// Returns the key of a row; `nil` when it has none.
  package func rowKey(_ row: UntypedRow, as type: KeyType) -> RowKey? { rowKey(row, of: key, as: type) }

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

  /// Joins key parts into one unambiguous text.
  ///
  /// Parts without blanks are joined unchanged. Otherwise blanks and backslashes in parts are
  /// escaped by backslashes.
  package static func joined(_ parts: [String]) -> String {
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

  // MARK: Schema inference

  /// Infers the schema from the sampled rows, or the new columns of a known schema.
  ///
  /// Does nothing without rows.
  package mutating func settle() {
    guard schema == nil else { return addColumns() }
    guard !sample.isEmpty else { return }
    if key.isEmpty {
      key = KeyGuess.key(of: sample.map(\.row), findsKey)
      if !key.isEmpty, findsKey != .ifNamedFirst { guess = GuessedKey() }
    }
    var order: [String] = []
    var guesses: [String: ColumnGuess] = [:]
    for (row, _) in sample {
      for (name, value) in row where !name.isEmpty && name.utf8.count <= ForeignText.nameLimit {
        if guesses[name] == nil { order.append(name) }
        guesses[name, default: .nothing].take(value, isTextual: isTextual)
      }
    }
    // An integer key keeps its type, while other columns of whole numbers may get fractions later.
    let isNumbered =
      key.isEmpty || (key.count == 1 && (guesses[key[0]]?.isWhole ?? false))
    let names = (wanted ?? order).prefix(Limits().columns)
    let others = (wanted ?? order).dropFirst(Limits().columns)
    if let first = others.first {
      leftOut = Set(others)
      reject(
        "there are \(names.count + others.count) columns, and a table has at most \(Limits().columns): "
          + "“\(first.prefix(80))” and what follows is left out"
      )
    }
    var columns = names.map { name in
      let guessed =
        key == [name]
        ? Column(name, isNumbered ? .integer : .text, format: isNumbered ? .plain() : nil)
        : (guesses[name] ?? .nothing).column(name)
      return hints[name]?.column(guessed, isKey: key == [name]) ?? guessed
    }
    if columns.isEmpty { columns = [Column("row", .integer, format: .plain())] }
    adopt(
      Schema(name: name, title: title, key: isNumbered ? .integer : .text, columns: columns, retention: retention))
    appendSample()
    addColumns()
  }

  private mutating func appendSample() {
    let rows = sample
    sample = []
    sampledBytes = 0
    for (row, place) in rows {
      // Rows behind one that waits for a further column keep their order.
      if sample.isEmpty { append(row, at: place) } else { sample.append((row, place)) }
    }
  }

  /// Infers columns for members that first appeared in later rows.
  private mutating func addColumns() {
    guard let previous = schema, !sample.isEmpty else { return }
    var schema = previous
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
      schema.columns += names.map { name in
        let guessed = guesses[name]!.column(name)
        return hints[name]?.column(guessed, isKey: false) ?? guessed
      }
      let beginsReload = changes.beginsReload
      changes.beginsReload = false
      added.append(Addition(before: changes, previous: previous, schema: schema))
      changes = Changeset()
      changes.beginsReload = beginsReload
      adopt(schema)
    }
    appendSample()
    addColumns()
  }

  /// Adopts text columns from a header without any rows.
  package mutating func settle(withoutRows names: [String]) {
    guard schema == nil, sample.isEmpty else { return }
    let columns = (wanted ?? names.filter { $0.utf8.count <= ForeignText.nameLimit }).prefix(Limits().columns)
    guard !columns.isEmpty else { return }
    adopt(
      Schema(
        name: name, title: title, key: key.isEmpty ? .integer : .text, columns: columns.map { Column($0, .text) },
        retention: retention))
  }

  /// Converts a value to a cell of a column; `nil` when it does not fit.
  private func cell(_ value: UntypedValue, as column: Column) -> Cell? {
    let hint = hints[column.name]
    guard isTextual || hint?.kind != nil || column.type == .timestamp else { return value.cell(as: column) }
    return value.readCell(as: column, scale: hint?.kind?.scale)
  }
}
