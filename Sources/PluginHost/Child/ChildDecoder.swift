import ListEngine

/// Understands what a child process says, line by line; docs/plugins.md is what it keeps to.
///
///     var decoder = ChildDecoder(table: "jobs")
///     decoder.read(line, number: 1)
///     decoder.flush()                    // the pipe is empty: what has come is handed on
///     for event in decoder.takeEvents() { ... }
///
/// The first line decides: a `hello` begins a conversation in messages; anything else is a row, and so are all lines after it. Rows go
/// straight into a changeset: nothing is allocated per cell.
struct ChildDecoder: ~Copyable {
  /// What a child has said.
  enum Event {
    /// It speaks the protocol, and can do this.
    case hello(ChildHello)
    /// Its columns.
    case schema(Schema)
    /// Its columns, when later rows have more members than the first.
    case columnsAdded(Schema)
    /// Its rows. `isWhole`: it is not in the middle of a list that it loads again.
    case changes(Changeset, isWhole: Bool)
    /// How it is, in its own words.
    case state(SourceState, String)
    /// Deferred cells.
    case loaded(RowKey, column: Int, Cell)
    case notLoaded(RowKey, column: Int, reason: String)
    case forget(RowKey, column: Int)
    /// Answers to queries.
    case page(PageRequestID, RowPage)
    case sections(PageRequestID, [SectionCount])
    case pageFailed(PageRequestID, reason: String)
    /// Something in the rows that it keeps is not as it was.
    case sourceChanged
    /// The bytes of an image.
    case image(UInt64, ImageOutcome)
    /// An answer to an action.
    case acted(UInt64, ActionOutcome)
    /// It cannot be used as it is.
    case refused(String)
    /// A line could not be read.
    case badLine(String)
    /// A row could not be taken, and there is no table yet to count it on. Not told of each, when there are many.
    case badRow(String)
  }

  private enum Mode { case undecided, rows, messages }

  /// A bound for one changeset: one turn of the engine's loop takes one.
  static let partRows = BatchReader.partRows
  /// A bound for the texts of one changeset.
  static let partBytes = BatchReader.partBytes
  /// The version of the protocol that is spoken here.
  static let version: Int64 = 1

  private let table: String?
  private let name: String
  private let parser = JSONParser()
  private var mode = Mode.undecided
  private var loose: InferredTable
  private var events: [Event] = []
  // Of a conversation in messages.
  private let known: Schema?
  private(set) var schema: Schema?
  private var names: [[UInt8]] = []
  private var found: [JSONElement?] = []
  private var part = Changeset()
  private var isReloading: Bool
  private var usesCommits = false
  private var hasImages = false
  private var hasBegun = false
  /// Whether the reasons for which rows are left out quote the line.
  var quotesLines = false
  /// The line that is being read, when lines are quoted.
  private var line: UnsafeRawBufferPointer?
  private static let quotedBytes = 160

  /// For the source of this name. `table`: the table's name, instead of the one that the child gives. `known`: what an earlier process of
  /// this source has said that its columns are. `isReloading`: the earlier one has left off in the middle of a list.
  init(name: String, table: String? = nil, known: Schema? = nil, isReloading: Bool = false) {
    self.name = name
    self.table = table
    self.known = known
    self.isReloading = false
    loose = InferredTable(name: table ?? name, key: ["id"], schema: known)
    loose.addsColumns = true
    if isReloading { part.abandonsReload = true }
  }

  /// Whether the list is being loaded again, and not at its end.
  var isInsideReload: Bool { isReloading }
  /// Whether something was understood that was not taken.
  var hasEvents: Bool { !events.isEmpty }
  /// Whether rows wait for a guess at their columns, which is made when it is quiet.
  var isSampling: Bool { loose.isSampling }

  /// What has been understood since the last call.
  mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  // MARK: Lines

  /// One at a time, of all sources: what a parser takes for a long line is there once then, and not once for each source.
  private static let longLines = Monitor()

  /// Reads one line. ``JSONParser/padding`` bytes behind it must be readable.
  mutating func read(_ line: UnsafeRawBufferPointer, number: Int) {
    guard line.contains(where: { $0 > 0x20 }) else { return }  // a blank line says nothing
    self.line = quotesLines ? line : nil
    defer { self.line = nil }
    guard line.count > JSONParser.keptCapacity else { return readDocument(line, number) }
    Self.longLines.withLock {
      readDocument(line, number)
      parser.shrink()
    }
  }

  private mutating func readDocument(_ line: UnsafeRawBufferPointer, _ number: Int) {
    let root: JSONElement
    do throws(JSONParser.Fault) {
      root = try parser.parse(line)
    } catch {
      return noteBadLine(number, "it is no JSON: \(error.reason)")
    }
    guard root.kind == .object else { return noteBadLine(number, "it is \(root.name), not an object") }
    switch mode {
    case .messages: readMessage(root, number)
    case .rows: readRow(root, number)
    case .undecided:
      let isHello = root.members.contains { $0.name.spells("type") && $0.value.bytes.spells("hello") }
      mode = isHello ? .messages : .rows
      if isHello {
        readHello(root, number)
      } else {
        if let known { events.append(.schema(known)) }
        readRow(root, number)
      }
    }
  }

  /// The same with the beginning of the line behind a line break, when lines are quoted.
  private func quoting(_ reason: String) -> String {
    guard let line else { return ForeignText.cut(reason) }
    let text = String(decoding: line.prefix(Self.quotedBytes), as: UTF8.self).split(separator: "\n").joined(
      separator: " ")
    return "\(ForeignText.cut(reason))\n\(text)\(line.count > Self.quotedBytes ? "…" : "")"
  }

  /// A line was skipped.
  mutating func noteTooLong(_ number: Int, limit: Int) { noteBadLine(number, "it has more than \(limit) bytes") }

  private mutating func noteBadLine(_ number: Int, _ reason: String) {
    let reason = "line \(number): \(ForeignText.cut(reason))"
    events.append(.badLine(reason))
    guard mode != .messages else { return part.noteUnnamedRejections(1, quoting(reason)) }
    loose.reject(quoting(reason))
    _ = loose.takeComplaint()  // it was told
  }

  /// Something was understood.
  mutating func note(_ event: Event) { events.append(event) }

  // MARK: Handing on

  /// Hands on what has come: there is no more for now.
  mutating func flush() {
    if mode == .messages {
      // One who marks where changes belong together has them shown together.
      if !usesCommits || isReloading { handOn() }
    } else {
      forwardText()
    }
  }

  /// Hands on everything: it has been quiet for a while, or nothing more will come.
  mutating func settle() {
    if mode != .messages {
      let isFirst = loose.schema == nil
      loose.settle()
      tellColumns(isFirst: isFirst)
    }
    mode == .messages ? handOn() : forwardText()
  }

  /// Tells of columns that have been guessed from rows; `isFirst`: there were none before.
  private mutating func tellColumns(isFirst: Bool) {
    let added = loose.takeAddedColumns()
    if isFirst, let schema = loose.schema { events.append(.schema(added.first?.former ?? schema)) }
    for addition in added {
      if !addition.before.isEmpty { events.append(.changes(addition.before, isWhole: true)) }
      events.append(.columnsAdded(addition.schema))
    }
  }

  private mutating func forwardText() {
    if part.abandonsReload {
      events.append(.changes(part, isWhole: true))
      part = Changeset()
    }
    if let changes = loose.takeChanges() { events.append(.changes(changes, isWhole: true)) }
  }

  private mutating func handOn() {
    guard schema != nil, !part.isEmpty else { return }
    events.append(.changes(part, isWhole: !isReloading))
    part = Changeset()
  }

  private mutating func handOnIfLarge() {
    if part.count >= Self.partRows || part.byteCount >= Self.partBytes { handOn() }
  }

  // MARK: Rows without messages

  private mutating func readRow(_ root: JSONElement, _ number: Int) {
    let isFirst = loose.schema == nil
    loose.add(
      root.members.map { (String(decoding: $0.name, as: UTF8.self), UntypedValue($0.value)) }, at: "line \(number)")
    if let complaint = loose.takeComplaint() { events.append(.badRow(complaint)) }
    tellColumns(isFirst: isFirst)
    if loose.pendingRows >= Self.partRows || loose.pendingBytes >= Self.partBytes { forwardText() }
  }

  // MARK: Messages

  private mutating func readMessage(_ root: JSONElement, _ number: Int) {
    guard let type = root["type"], type.kind == .text else { return noteBadLine(number, "it has no “type”") }
    let word = type.bytes
    do throws(Fault) {
      if word.spells("upsert") {
        try readChanges(root, .upsert, number)
      } else if word.spells("update") {
        try readChanges(root, .update, number)
      } else if word.spells("delete") {
        try readDeletes(root, number)
      } else if word.spells("move") {
        try readMove(root, number)
      } else if word.spells("reload") {
        _ = try resident()
        handOn()
        beginReload()
      } else if word.spells("commit") {
        try commit()
      } else if word.spells("loaded") || word.spells("failed") || word.spells("forget") {
        try readDeferred(root, word, number)
      } else if word.spells("page") {
        try readPage(root)
      } else if word.spells("changed") {
        try readChanged()
      } else if word.spells("image") {
        try readImage(root)
      } else if word.spells("acted") {
        try readActed(root)
      } else if word.spells("schema") {
        try readSchema(root)
      } else if word.spells("state") {
        try readState(root)
      } else if word.spells("health") {
        // That a line came is all that is asked for.
      } else if word.spells("refuse") {
        let setting = root["setting"]?.message(ForeignText.nameLimit).map { "\(name).\($0): " } ?? ""
        let reason = root["reason"]?.message() ?? "the plugin refuses its settings without a word"
        events.append(.refused(setting + reason))
      } else if word.spells("reject") {
        try readReject(root, number)
      } else if word.spells("hello") {
        throw Fault("it said hello before")
      } else {
        throw Fault("there is no message of the type “\(String(decoding: word.prefix(40), as: UTF8.self))”")
      }
    } catch {
      noteBadLine(number, error.reason)
    }
  }

  struct Fault: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  func described() throws(Fault) -> Schema {
    guard let schema else { throw Fault("no schema was said before") }
    return schema
  }

  /// The schema of a table whose rows are told.
  private func resident() throws(Fault) -> Schema {
    let schema = try described()
    guard schema.windowed == nil else { throw Fault("its schema is windowed: rows are given in answers to “query”") }
    return schema
  }

  private mutating func readHello(_ root: JSONElement, _ number: Int) {
    guard let version = root["version"]?.integer else {
      return events.append(.refused("its hello says no version of the protocol"))
    }
    guard version == Self.version else {
      return events.append(
        .refused("it speaks version \(version) of the protocol; this host speaks version \(Self.version)"))
    }
    let hello = ChildHello(root)
    usesCommits = hello.capabilities.contains("commits")
    hasImages = hello.capabilities.contains("images")
    events.append(.hello(hello))
  }

  private mutating func readSchema(_ root: JSONElement) throws(Fault) {
    guard schema == nil else { throw Fault("the schema was said before") }
    var read: Schema
    do throws(ChildSchema.Fault) {
      read = try ChildSchema.read(root, table: table)
      read.loadsImages = read.loadsImages || hasImages
    } catch {
      return events.append(.refused("its schema cannot be: \(ForeignText.cut(error.reason))"))
    }
    guard known == nil || known == read else {
      return events.append(.refused("it came back with other columns; restart rowcast"))
    }
    schema = read
    names = read.columns.map { Array($0.name.utf8) }
    found = .init(repeating: nil, count: names.count)
    events.append(.schema(read))
    if !part.isEmpty { handOn() }
  }

  private mutating func readState(_ root: JSONElement) throws(Fault) {
    let message = root["message"]?.message(ForeignText.messageLimit) ?? ""
    handOn()
    switch root["state"]?.text {
    case "live": events.append(.state(.live, message))
    case "stale": events.append(.state(.stale, message))
    default: throw Fault("state must be “live” or “stale”")
    }
  }

  private mutating func beginReload() {
    hasBegun = true
    isReloading = true
    part.beginsReload = true
  }

  private mutating func commit() throws(Fault) {
    _ = try described()
    if isReloading {
      isReloading = false
      part.endsReload = true
    }
    hasBegun = true
    handOn()
  }

  // MARK: Changes

  private mutating func begin(_ schema: Schema) {
    guard !hasBegun else { return }
    hasBegun = true
    // What comes before its first commit is the whole list: so rows of an earlier process go that are not named again.
    if usesCommits { beginReload() }
  }

  private mutating func readChanges(_ root: JSONElement, _ verb: Changeset.Verb, _ number: Int) throws(Fault) {
    let schema = try resident()
    var key: JSONElement?
    var row: JSONElement?
    var rows: JSONElement?
    for (member, value) in root.members {
      if member.spells("key") {
        key = value
      } else if member.spells("row") {
        guard value.kind == .object else { throw Fault("“row” is \(value.name), not an object") }
        row = value
      } else if member.spells("cells") {
        guard value.kind == .list else { throw Fault("“cells” is \(value.name), not a list") }
        row = value
      } else if member.spells("rows") {
        guard value.kind == .list else { throw Fault("“rows” is \(value.name), not a list") }
        rows = value
      }
    }
    if let rows {
      begin(schema)
      for (place, item) in rows.items.enumerated() { readItem(item, verb, schema, number, place + 1) }
    } else {
      guard let row else { throw Fault("it has none of row, cells and rows") }
      guard let key else { throw Fault("it has no “key”") }
      begin(schema)
      readRow(key, row, verb, schema, number, 0)
      handOnIfLarge()
    }
  }

  /// One of many rows in a message: `[key, cell, cell, ...]`, or `[key, {"column": cell}]`.
  private mutating func readItem(
    _ item: JSONElement, _ verb: Changeset.Verb, _ schema: Schema, _ number: Int, _ place: Int
  ) {
    var items = item.items
    guard let key = items.next() else {
      return part.noteUnnamedRejections(1, "line \(number), row \(place): it is no list that begins with a key")
    }
    let cells = items
    if let second = items.next(), second.kind == .object {
      readRow(key, second, verb, schema, number, place)
    } else {
      readCells(key, cells, verb, schema, number, place)
    }
    handOnIfLarge()
  }

  private mutating func readRow(
    _ key: JSONElement, _ row: JSONElement, _ verb: Changeset.Verb, _ schema: Schema, _ number: Int, _ place: Int
  ) {
    guard row.kind == .object else { return readCells(key, row.items, verb, schema, number, place) }
    for index in found.indices { found[index] = nil }
    var guess = 0
    for (name, value) in row.members {
      guard let index = column(name, guess) else { continue }
      found[index] = value
      guess = index + 1
    }
    for (index, column) in schema.columns.enumerated() {
      guard let fault = found[index]?.fault(as: column.type) else { continue }
      return reject(key, schema, number, place, "its cell “\(column.name)” \(fault)")
    }
    guard beginRow(verb, key, schema, number, place) else { return }
    for (index, column) in schema.columns.enumerated() {
      if let value = found[index] {
        value.append(as: column.type, to: &part)
        noteEmptiness(value, column, number, place)
      } else {
        verb == .update ? part.appendUnchanged() : part.appendNull()
      }
    }
  }

  private mutating func readCells(
    _ key: JSONElement, _ cells: JSONItems, _ verb: Changeset.Verb, _ schema: Schema, _ number: Int, _ place: Int
  ) {
    guard verb == .upsert else {
      return reject(key, schema, number, place, "an update names its cells: {\"column\": value}")
    }
    var count = 0
    for cell in cells {
      guard count < schema.columns.count else {
        count += 1
        break
      }
      if let fault = cell.fault(as: schema.columns[count].type) {
        return reject(key, schema, number, place, "its cell “\(schema.columns[count].name)” \(fault)")
      }
      count += 1
    }
    guard count == schema.columns.count else {
      let found = count > schema.columns.count ? "more than \(schema.columns.count)" : "\(count)"
      return reject(key, schema, number, place, "it has \(found) cells for \(schema.columns.count) columns")
    }
    guard beginRow(verb, key, schema, number, place) else { return }
    var column = 0
    for cell in cells {
      cell.append(as: schema.columns[column].type, to: &part)
      noteEmptiness(cell, schema.columns[column], number, place)
      column += 1
    }
  }

  /// Counts a cell that stays empty as its moment is out of range; the row is taken.
  @inline(__always) private mutating func noteEmptiness(
    _ value: JSONElement, _ column: Column, _ number: Int, _ place: Int
  ) {
    guard let reason = value.emptiness(as: column.type) else { return }
    part.noteUnnamedRejections(1, "line \(number): its cell “\(column.name)” \(reason)")
  }

  private mutating func readDeletes(_ root: JSONElement, _ number: Int) throws(Fault) {
    let schema = try resident()
    if let keys = root["keys"] {
      guard keys.kind == .list else { throw Fault("“keys” is \(keys.name), not a list") }
      begin(schema)
      for (place, key) in keys.items.enumerated() {
        _ = beginRow(.delete, key, schema, number, place + 1)
        handOnIfLarge()
      }
    } else if let key = root["key"] {
      begin(schema)
      _ = beginRow(.delete, key, schema, number, 0)
    } else {
      throw Fault("it has no “key” or “keys”")
    }
    handOnIfLarge()
  }

  private mutating func readMove(_ root: JSONElement, _ number: Int) throws(Fault) {
    let schema = try resident()
    guard let key = root["key"] else { throw Fault("it has no “key”") }
    guard let before = root["before"] else { throw Fault("it has no “before”: a key, or null for the end") }
    begin(schema)
    guard before.isNull || before.key(as: schema.key) != nil else {
      return reject(key, schema, number, 0, "the row it goes before is \(before.name), not a key")
    }
    guard beginRow(.move, key, schema, number, 0) else { return }
    before.append(as: schema.key == .integer ? .integer : .text, to: &part)
    handOnIfLarge()
  }

  /// A row that the plugin itself cannot tell: it is counted, and not taken for gone.
  private mutating func readReject(_ root: JSONElement, _ number: Int) throws(Fault) {
    let schema = try described()
    let reason = root["reason"]?.message() ?? "the plugin gave no reason"
    if let key = root["key"] {
      begin(schema)
      guard beginRow(.reject, key, schema, number, 0) else { return }
      part.append(.text(reason))
    } else {
      let count = root["count"]?.integer ?? 1
      part.noteUnnamedRejections(Int(max(1, min(count, 1_000_000))), reason)
    }
    handOnIfLarge()
  }

  private mutating func readDeferred(_ root: JSONElement, _ word: UnsafeRawBufferPointer, _ number: Int) throws(Fault) {
    let schema = try described()
    guard let key = root["key"]?.key(as: schema.key) else { throw Fault("it has no “key” that the schema allows") }
    guard let columnName = root["column"], columnName.kind == .text, let column = column(columnName.bytes, 0),
      schema.columns[column].isDeferred
    else { throw Fault("“column” is no deferred column of the schema") }
    flush()
    if word.spells("failed") {
      let reason = root["reason"]?.message() ?? "the plugin gave no reason"
      events.append(.notLoaded(key, column: column, reason: reason))
    } else if word.spells("forget") {
      events.append(.forget(key, column: column))
    } else {
      guard let value = root["value"] else { throw Fault("it has no “value”") }
      if let cell = value.cell(as: schema.columns[column].type) {
        events.append(.loaded(key, column: column, cell))
      } else {
        let fault = value.fault(as: schema.columns[column].type) ?? ""
        events.append(.notLoaded(key, column: column, reason: "the value \(fault)"))
      }
    }
  }

  // MARK: Parts of rows

  /// Begins a row; false when its key cannot be, which is noted.
  private mutating func beginRow(
    _ verb: Changeset.Verb, _ key: JSONElement, _ schema: Schema, _ number: Int, _ place: Int
  ) -> Bool {
    if schema.key == .integer, let integer = key.integer {
      part.beginRow(verb, key: integer)
    } else if schema.key == .text, key.kind == .text {
      part.beginRow(verb, textKey: key.bytes)
    } else {
      let row = place > 0 ? ", row \(place)" : ""
      let wanted = schema.key == .integer ? "a whole number" : "a text"
      part.noteUnnamedRejections(
        1, quoting("line \(number)\(row): its key is \(key.name), the schema wants \(wanted)"))
      return false
    }
    return true
  }

  /// Leaves a row out: the engine counts it, and does not take it for gone when the list is loaded again.
  private mutating func reject(
    _ key: JSONElement, _ schema: Schema, _ number: Int, _ place: Int, _ reason: String
  ) {
    guard beginRow(.reject, key, schema, number, place) else { return }
    part.append(.text(quoting("\(reason) (line \(number))")))
  }

  /// The number of a column. Most write their columns in order: the next one is the likeliest.
  private func column(_ name: UnsafeRawBufferPointer, _ guess: Int) -> Int? {
    for index in guess..<names.count where names[index].elementsEqual(name) { return index }
    for index in 0..<min(guess, names.count) where names[index].elementsEqual(name) { return index }
    return nil
  }
}
