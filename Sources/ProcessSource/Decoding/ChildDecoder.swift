import ListEngine
import SourceRuntime
import TextSource
import Threads

/// Decodes the output of a child process line by line, as specified in docs/plugins/programs.md.
///
///     var decoder = ChildDecoder(name: "jobs")
///     decoder.read(line, number: 1)
///     decoder.flush()                    // the pipe is empty, so deliver pending rows
///     for event in decoder.takeEvents() { ... }
///
/// The first line selects the mode. A `hello` starts the message protocol. Anything else is a plain
/// row, as are all following lines. Rows are appended directly to a changeset, without an
/// allocation per cell.
package struct ChildDecoder: ~Copyable {
  /// A report of a child.
  package enum Event {
    /// The child speaks the protocol and has these capabilities.
    case hello(ChildHello)
    /// An event of the source; the supervisor adds the retry to a state.
    case source(SourceEvent)
    /// The rows so far are a complete list: no reload is in progress.
    case listed
    /// The child is unusable, for this reason.
    case refused(String)
    /// A line was malformed.
    case badLine(String)
    /// A row was rejected before any table existed to count it; only some of many are reported.
    case badRow(String)
  }

  private enum Mode { case undecided, rows, messages }

  /// The supported version of the protocol.
  package static let version: Int64 = 1

  private let table: String?
  private let name: String
  private let parser = JSONParser()
  private var mode = Mode.undecided
  private var inferred: InferredTable
  private var events: [Event] = []
  // Used in message mode only.
  private let known: Schema?
  private let refusalOfOtherColumns: String?
  package private(set) var schema: Schema?
  private var names: [[UInt8]] = []
  private var found: [JSONElement?] = []
  private var part = Changeset()
  private var isReloading: Bool
  private var usesCommits = false
  private var hasImages = false
  private var hasBegun = false
  /// Whether rejection reasons quote the offending line.
  var quotesLines = false
  /// The line being read, if `quotesLines` is true.
  private var line: UnsafeRawBufferPointer?
  private static let quotedBytes = 160

  /// Creates a decoder for one process.
  ///
  /// - Parameters:
  ///   - name: The name of the source.
  ///   - table: A table name that overrides the child's.
  ///   - known: The schema from an earlier process of this source.
  ///   - isReloading: Whether the earlier process ended in the middle of a reload.
  ///   - refusalOfOtherColumns: The reason for which another schema than the known one is refused;
  ///     `nil` accepts it.
  package init(
    name: String, table: String? = nil, known: Schema? = nil, isReloading: Bool = false,
    refusalOfOtherColumns: String? = nil
  ) {
    self.name = name
    self.refusalOfOtherColumns = refusalOfOtherColumns
    self.table = table
    self.known = known
    self.isReloading = false
    inferred = InferredTable(name: table ?? name, key: ["id"], schema: known)
    inferred.addsColumns = true
    if isReloading { part.abandonsReload = true }
  }

  /// Whether a reload has begun and not ended.
  package var isInsideReload: Bool { isReloading }
  /// Whether decoded events wait to be taken.
  var hasEvents: Bool { !events.isEmpty }
  /// Whether rows wait for the schema inference, which runs when the input pauses.
  package var isSampling: Bool { inferred.isSampling }

  /// Returns the events decoded since the last call.
  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  // MARK: Lines

  /// Serializes the parsing of long lines across all sources.
  ///
  /// Only one parser at a time then holds the memory for a long line.
  private static let longLines = Monitor()

  /// Reads one line, behind which ``JSONParser/padding`` bytes must be readable.
  package mutating func read(_ line: UnsafeRawBufferPointer, number: Int) {
    guard line.contains(where: { $0 > 0x20 }) else { return }  // skip blank lines
    self.line = quotesLines ? line : nil
    defer { self.line = nil }
    guard line.count > JSONParser.retainedCapacity else { return readDocument(line, number) }
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
      return noteBadLine(number, "it is not JSON: \(error.reason)")
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
        if let known { note(.schema(known)) }
        readRow(root, number)
      }
    }
  }

  /// Appends the beginning of the current line, after a line break, if lines are quoted.
  private func quoting(_ reason: String) -> String {
    guard let line else { return ForeignText.cut(reason) }
    let text = String(decoding: line.prefix(Self.quotedBytes), as: UTF8.self).split(separator: "\n").joined(
      separator: " ")
    return "\(ForeignText.cut(reason))\n\(text)\(line.count > Self.quotedBytes ? "…" : "")"
  }

  /// Records a line that was skipped because of its length.
  package mutating func noteTooLong(_ number: Int, limit: Int) {
    noteBadLine(number, "it has more than \(limit) bytes")
  }

  private mutating func noteBadLine(_ number: Int, _ reason: String) {
    let reason = "line \(number): \(ForeignText.cut(reason))"
    events.append(.badLine(reason))
    guard mode != .messages else { return part.noteUnnamedRejections(1, quoting(reason)) }
    inferred.reject(quoting(reason))
    _ = inferred.takeComplaint()  // reported as a bad line
  }

  /// Appends a decoded event.
  mutating func note(_ event: SourceEvent) { events.append(.source(event)) }

  /// Emits changes, after which the list is complete unless a reload is in progress.
  private mutating func note(_ changes: Changeset, isListed: Bool = true) {
    note(.changes(changes))
    if isListed { events.append(.listed) }
  }

  // MARK: Delivery

  /// Delivers pending changes, because no more input is available for now.
  package mutating func flush() {
    if mode == .messages {
      // A child that uses commits has its changes shown per commit.
      if !usesCommits || isReloading { forward() }
    } else {
      forwardText()
    }
  }

  /// Delivers everything pending, because the input has paused or ended.
  package mutating func settle() {
    if mode != .messages {
      let isFirst = inferred.schema == nil
      inferred.settle()
      reportColumns(isFirst: isFirst)
    }
    mode == .messages ? forward() : forwardText()
  }

  /// Reports inferred columns, including the schema itself if `isFirst` is true.
  private mutating func reportColumns(isFirst: Bool) {
    let added = inferred.takeAddedColumns()
    if isFirst, let schema = inferred.schema { note(.schema(added.first?.previous ?? schema)) }
    for addition in added {
      if !addition.before.isEmpty { note(addition.before) }
      note(.columnsAdded(addition.schema))
    }
  }

  private mutating func forwardText() {
    if part.abandonsReload {
      note(part)
      part = Changeset()
    }
    if let changes = inferred.takeChanges() { note(changes) }
  }

  private mutating func forward() {
    guard schema != nil, !part.isEmpty else { return }
    note(part, isListed: !isReloading)
    part = Changeset()
  }

  private mutating func forwardIfLarge() {
    if part.count >= SourceEvent.partRows || part.byteCount >= SourceEvent.partBytes { forward() }
  }

  // MARK: Plain rows

  private mutating func readRow(_ root: JSONElement, _ number: Int) {
    let isFirst = inferred.schema == nil
    inferred.add(
      root.members.map { (String(decoding: $0.name, as: UTF8.self), UntypedValue($0.value)) }, at: "line \(number)")
    if let complaint = inferred.takeComplaint() { events.append(.badRow(complaint)) }
    reportColumns(isFirst: isFirst)
    if inferred.pendingRows >= SourceEvent.partRows || inferred.pendingBytes >= SourceEvent.partBytes { forwardText() }
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
        forward()
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
        // Any line proves that the child is alive, so the content is ignored.
      } else if word.spells("refuse") {
        let setting = root["setting"]?.message(ForeignText.nameLimit).map { "\(name).\($0): " } ?? ""
        let reason = root["reason"]?.message() ?? "the plugin refuses its settings without a word"
        events.append(.refused(setting + reason))
      } else if word.spells("reject") {
        try readReject(root, number)
      } else if word.spells("hello") {
        throw Fault("it said hello before")
      } else {
        throw Fault("unknown message type “\(String(decoding: word.prefix(40), as: UTF8.self))”")
      }
    } catch {
      noteBadLine(number, error.reason)
    }
  }

  package struct Fault: Error {
    package var reason: String
    package init(_ reason: String) { self.reason = reason }
  }

  func described() throws(Fault) -> Schema {
    guard let schema else { throw Fault("no schema was said before") }
    return schema
  }

  /// Returns the schema of a resident table, whose rows the child sends by itself.
  private func resident() throws(Fault) -> Schema {
    let schema = try described()
    guard schema.windowed == nil else { throw Fault("its schema is windowed: rows are given in answers to “query”") }
    return schema
  }

  private mutating func readHello(_ root: JSONElement, _ number: Int) {
    guard let version = root["version"]?.integer else {
      return events.append(.refused("its hello has no version of the protocol"))
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
      return events.append(.refused("its schema is invalid: \(ForeignText.cut(error.reason))"))
    }
    if let refusalOfOtherColumns, let known, known != read { return events.append(.refused(refusalOfOtherColumns)) }
    schema = read
    names = read.columns.map { Array($0.name.utf8) }
    found = .init(repeating: nil, count: names.count)
    note(.schema(read))
    if !part.isEmpty { forward() }
  }

  private mutating func readState(_ root: JSONElement) throws(Fault) {
    let message = root["message"]?.message(ForeignText.messageLimit) ?? ""
    forward()
    switch root["state"]?.text {
    case "live": note(.state(.live, message: message))
    case "stale": note(.state(.stale, message: message))
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
    forward()
  }

  // MARK: Changes

  private mutating func begin(_ schema: Schema) {
    guard !hasBegun else { return }
    hasBegun = true
    // Everything before the first commit is a reload, so that rows of an earlier process disappear
    // unless they are sent again.
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
      forwardIfLarge()
    }
  }

  /// Reads one of several rows in a message: `[key, cell, cell, ...]` or `[key, {"column": cell}]`.
  private mutating func readItem(
    _ item: JSONElement, _ verb: Changeset.Verb, _ schema: Schema, _ number: Int, _ place: Int
  ) {
    var items = item.items
    guard let key = items.next() else {
      return part.noteUnnamedRejections(1, "line \(number), row \(place): it is not a list that begins with a key")
    }
    let cells = items
    if let second = items.next(), second.kind == .object {
      readRow(key, second, verb, schema, number, place)
    } else {
      readCells(key, cells, verb, schema, number, place)
    }
    forwardIfLarge()
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

  /// Counts a cell of an accepted row that is left empty because its value is out of range.
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
        forwardIfLarge()
      }
    } else if let key = root["key"] {
      begin(schema)
      _ = beginRow(.delete, key, schema, number, 0)
    } else {
      throw Fault("it has no “key” or “keys”")
    }
    forwardIfLarge()
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
    forwardIfLarge()
  }

  /// Reads a row that the plugin itself failed to produce, which does not count as deleted.
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
    forwardIfLarge()
  }

  private mutating func readDeferred(_ root: JSONElement, _ word: UnsafeRawBufferPointer, _ number: Int) throws(Fault) {
    let schema = try described()
    guard let key = root["key"]?.key(as: schema.key) else { throw Fault("it has no “key” that the schema allows") }
    guard let columnName = root["column"], columnName.kind == .text, let column = column(columnName.bytes, 0),
      schema.columns[column].isDeferred
    else { throw Fault("“column” is not a deferred column of the schema") }
    flush()
    if word.spells("failed") {
      let reason = root["reason"]?.message() ?? "the plugin gave no reason"
      note(.notLoaded(key, column: column, reason: reason))
    } else if word.spells("forget") {
      note(.forget(key, column: column))
    } else {
      guard let value = root["value"] else { throw Fault("it has no “value”") }
      if let cell = value.cell(as: schema.columns[column].type) {
        note(.loaded(key, column: column, cell))
      } else {
        let fault = value.fault(as: schema.columns[column].type) ?? ""
        note(.notLoaded(key, column: column, reason: "the value \(fault)"))
      }
    }
  }

  // MARK: Parts of rows

  /// Begins a row, or records a rejection and returns false when the key is invalid.
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

  /// Rejects a row, which the engine counts and does not treat as deleted by a reload.
  private mutating func reject(
    _ key: JSONElement, _ schema: Schema, _ number: Int, _ place: Int, _ reason: String
  ) {
    guard beginRow(.reject, key, schema, number, place) else { return }
    part.append(.text(quoting("\(reason) (line \(number))")))
  }

  /// Returns the index of a column; fast for columns in schema order because of the guess.
  private func column(_ name: UnsafeRawBufferPointer, _ guess: Int) -> Int? {
    for index in guess..<names.count where names[index].elementsEqual(name) { return index }
    for index in 0..<min(guess, names.count) where names[index].elementsEqual(name) { return index }
    return nil
  }
}
