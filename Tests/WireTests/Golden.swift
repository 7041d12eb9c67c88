import Foundation

@testable import ListEngine
@testable import Wire

/// Conversion of the golden messages in `Tests/Fixtures/wire` to values of the engine.
///
/// The tests of the web page read the same files. The messages do not contain the types of columns,
/// so each cell gets a type with the same encoding.
enum Golden {
  /// Returns the names of all files that begin with `kind`.
  static func files(_ kind: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(kind) && $0.hasSuffix(".json") }.sorted()
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Fixtures/wire").standardized.path

  struct Misfit: Error {
    var what: String
  }

  static func read(_ file: String) throws -> [String: Any] {
    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
    guard let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] else { throw Misfit(what: file) }
    return object
  }

  /// Returns the message with those lists sorted in which the order is irrelevant.
  static func canonical(_ message: [String: Any]) -> NSDictionary {
    var message = message
    for name in ["removed", "updated", "moved", "inserted"] {
      if let list = message[name] as? [[Any]] {
        message[name] = list.sorted { ($0[0] as? Int ?? 0, $0.count) < ($1[0] as? Int ?? 0, $1.count) }
      }
    }
    return message as NSDictionary
  }

  // MARK: Parts

  static func cell(_ value: Any) throws -> Cell {
    switch value {
    case is NSNull: return .null
    case let text as String: return .text(text)
    case let number as NSNumber:
      // JSONSerialization distinguishes booleans from numbers only by type, and its `doubleValue`
      // loses digits.
      return String(cString: number.objCType) == "c"
        ? .boolean(number.boolValue) : .number(Double(number.stringValue) ?? number.doubleValue)
    case let list as [Double]: return .series(list)
    default: throw Misfit(what: "the cell \(value)")
    }
  }

  static func cells(_ value: Any?) throws -> [Cell] { try (value as? [Any] ?? []).map(cell) }

  /// Returns the state of a deferred cell without a value; `nil` if it has a value.
  static func missing(_ value: Any) throws -> Missing? {
    guard let object = value as? [String: Any] else { return nil }
    if object["pending"] as? Bool == true { return .pending }
    guard let reason = object["failed"] as? String else { throw Misfit(what: "the cell \(value)") }
    return .failed(reason)
  }

  static func row(_ id: RowID, _ revision: UInt32, _ cells: [Any]) throws -> RowSnapshot {
    let missing = try cells.enumerated().compactMap { column, value in
      try self.missing(value).map { MissingCell(column: column, why: $0) }
    }
    return RowSnapshot(
      id: id, revision: revision, cells: try cells.map { try self.missing($0) == nil ? cell($0) : .null },
      label: id.rawValue, missing: missing)
  }

  static func integer(_ object: [String: Any], _ name: String) throws -> Int {
    guard let value = object[name] as? Int else { throw Misfit(what: "no \(name)") }
    return value
  }

  /// Returns a schema with the columns that the headers name.
  static func schema(for messages: [[String: Any]]) -> Schema {
    let text = messages.map { "\($0)" }.joined()
    var names: [String] = []
    for part in text.components(separatedBy: "column").dropFirst() {
      let name = part.drop { !$0.isLetter }.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
      if !name.isEmpty, !names.contains(String(name)) { names.append(String(name)) }
    }
    return Schema(name: "golden", key: .integer, columns: (names.isEmpty ? ["c"] : names).map { Column($0, .text) })
  }

  static func header(_ value: Any?, _ schema: Schema) throws -> HeaderSnapshot? {
    guard let object = value as? [String: Any] else { return nil }
    guard let name = object["column"] as? String, let column = schema.index(of: name), let shown = object["value"]
    else {
      throw Misfit(what: "the header \(object)")
    }
    return HeaderSnapshot(
      section: UInt32(try integer(object, "section")), revision: UInt32(try integer(object, "rev")),
      slot: UInt32(try integer(object, "slot")), level: try integer(object, "level"),
      parent: (object["parent"] as? Int).map(UInt32.init), column: column, value: try cell(shown),
      end: try object["end"].map(cell),
      count: try integer(object, "count"), aggregates: try cells(object["aggregates"]),
      isCollapsed: object["collapsed"] as? Bool ?? false)
  }

  static func item(_ value: Any, _ schema: Schema) throws -> WindowItem {
    if let header = try header(value, schema) { return .header(header) }
    guard let row = value as? [Any], row.count == 3, let id = row[0] as? UInt64, let revision = row[1] as? UInt32 else {
      throw Misfit(what: "the item \(value)")
    }
    if let absence = try missing(row[2]) {
      return .row(RowSnapshot(id: RowID(rawValue: id), revision: revision, absence: absence))
    }
    guard let cells = row[2] as? [Any] else { throw Misfit(what: "the item \(value)") }
    return .row(try self.row(RowID(rawValue: id), revision, cells))
  }

  static func window(_ message: [String: Any], _ items: [WindowItem], _ schema: Schema) throws -> WindowState {
    WindowState(
      start: try integer(message, "start"), total: try integer(message, "total"), rows: try integer(message, "rows"),
      accuracy: (message["accuracy"] as? String).flatMap(CountAccuracy.init) ?? .exact,
      totals: try cells(message["totals"]),
      items: items, lead: try (message["lead"] as? [Any] ?? []).compactMap { try header($0, schema) },
      pool: HeaderPool(), commit: 0, relabelings: 0, held: try held(message["held"]))
  }

  private static func held(_ value: Any?) throws -> Held? {
    guard let held = value as? [String: Any] else { return nil }
    return Held(moves: try integer(held, "moves"), gone: held["gone"] as? [Int] ?? [])
  }

  // MARK: Whole messages

  static func firstWindow(_ message: [String: Any], _ schema: Schema) throws -> Patch {
    let items = try (message["items"] as? [Any] ?? []).map { try item($0, schema) }
    return Patch(base: nil, result: try window(message, items, schema))
  }

  /// Returns the patch that turns `base` into the message's window, following docs/protocol.md.
  static func patch(_ message: [String: Any], from base: WindowState, _ schema: Schema) throws -> Patch {
    var old: [WindowItem?] = base.items
    var updatedRows: [Patch.RowUpdate] = []
    var updatedHeaders: [(index: Int, header: HeaderSnapshot)] = []
    for update in message["updated"] as? [[Any]] ?? [] {
      guard let index = update[0] as? Int, old.indices.contains(index) else { throw Misfit(what: "\(update)") }
      if let header = try header(update[1], schema) {
        updatedHeaders.append((index, header))
        old[index] = .header(header)
      } else {
        guard case .row(let before)? = old[index], let revision = update[1] as? UInt32 else {
          throw Misfit(what: "\(update)")
        }
        var cells = before.cells
        var missing = before.missing
        var columns: [Int] = []
        for place in stride(from: 2, to: update.count, by: 2) {
          guard let column = update[place] as? Int else { throw Misfit(what: "\(update)") }
          columns.append(column)
          let why = try self.missing(update[place + 1])
          cells[column] = try why == nil ? cell(update[place + 1]) : .null
          missing.removeAll { $0.column == column }
          if let why { missing.append(MissingCell(column: column, why: why)) }
        }
        let row = RowSnapshot(
          id: before.id, revision: revision, cells: cells, label: before.label,
          missing: missing.sorted { $0.column < $1.column })
        updatedRows.append(.init(index: index, row: row, columns: columns))
        old[index] = .row(row)
      }
    }
    var new = [WindowItem?](repeating: nil, count: try integer(message, "after"))
    var inserted: [(index: Int, why: Patch.Insertion)] = []
    for insertion in message["inserted"] as? [[Any]] ?? [] {
      guard let index = insertion[0] as? Int, let why = (insertion[1] as? String).flatMap(Patch.Insertion.init) else {
        throw Misfit(what: "\(insertion)")
      }
      inserted.append((index, why))
      new[index] = try item(insertion[2], schema)
    }
    var moved: [(from: Int, to: Int)] = []
    for move in message["moved"] as? [[Int]] ?? [] {
      moved.append((move[0], move[1]))
      new[move[1]] = old[move[0]]
      old[move[0]] = nil
    }
    var removed: [(index: Int, why: Patch.Removal)] = []
    for removal in message["removed"] as? [[Any]] ?? [] {
      guard let index = removal[0] as? Int, let why = (removal[1] as? String).flatMap(Patch.Removal.init) else {
        throw Misfit(what: "\(removal)")
      }
      removed.append((index, why))
      old[index] = nil
    }
    var rest = old.compactMap(\.self)[...]
    let items = try new.map { item -> WindowItem in
      guard let next = item ?? rest.popFirst() else { throw Misfit(what: "too few items") }
      return next
    }
    guard rest.isEmpty else { throw Misfit(what: "\(rest.count) items too many") }
    let patch = Patch(base: base, result: try window(message, items, schema))
    patch.removed = removed
    patch.updatedRows = updatedRows
    patch.updatedHeaders = updatedHeaders
    patch.moved = moved
    patch.inserted = inserted
    return patch
  }

  static func delivery(_ message: [String: Any], _ patch: Patch, _ schema: Schema) throws -> Delivery {
    Delivery(
      sequence: UInt64(try integer(message, "seq")), request: UInt64(try integer(message, "request")),
      interval: .milliseconds(try integer(message, "interval")), shift: message["shift"] as? Int ?? 0,
      base: UInt64(message["base"] as? Int ?? 0), schema: schema, patch: patch,
      newer: message["newer"] as? [Int] ?? [])
  }

  static func source(_ value: Any?) throws -> SourceStatus {
    guard let object = value as? [String: Any], let state = (object["state"] as? String).flatMap(SourceState.init),
      let message = object["message"] as? String, let last = object["lastRejection"] as? String
    else { throw Misfit(what: "the source \(value ?? "nil")") }
    return SourceStatus(
      state: state, message: message, rejected: UInt64(try integer(object, "rejected")), lastRejection: last,
      age: .milliseconds(try integer(object, "age")), retry: (object["retry"] as? Int).map { .milliseconds($0) })
  }

  static func key(_ value: Any) throws -> RowKey {
    if let number = value as? Int { return .integer(Int64(number)) }
    guard let text = value as? String else { throw Misfit(what: "the key \(value)") }
    // Integers beyond 2^53 are encoded as texts.
    if let number = Int64(text) { return .integer(number) }
    return .text(text)
  }

  static func outcome(_ message: [String: Any]) throws -> ActionOutcome {
    if let result = message["result"] as? String { return .done(result) }
    guard let error = message["error"] as? [String: String], let reason = error["reason"],
      let failure = error["code"].flatMap(ActionOutcome.Failure.init)
    else { throw Misfit(what: "the outcome \(message)") }
    return .failed(failure, reason)
  }

  static func refusal(_ message: [String: Any]) throws -> Refusal {
    guard let code = message["code"] as? String, let reason = message["reason"] as? String else {
      throw Misfit(what: "the refusal \(message)")
    }
    let errors = [ClientError.tooLong(reason), .remainderTooLarge(reason), .outOfRange(reason)]
    guard let error = errors.first(where: { $0.code == code }) else { throw Misfit(what: "the code \(code)") }
    return Refusal(
      request: UInt64(try integer(message, "request")), QueryFault(error, at: message["at"] as? [String] ?? []),
      shown: (message["shown"] as? Int).map(UInt64.init))
  }

  static func windowed(_ value: Any?, _ columns: [Column]) throws -> WindowedCapabilities? {
    guard let can = value as? [String: Any] else { return nil }
    func numbers(_ name: String) -> Set<Int>? {
      (can[name] as? [String]).map { names in Set(columns.indices.filter { names.contains(columns[$0].name) }) }
    }
    let filters = (can["filters"] as? [String] ?? []).compactMap(WindowedCapabilities.FilterOperator.init)
    return WindowedCapabilities(
      sort: numbers("sort") ?? [], filters: Set(filters), filterColumns: numbers("filterColumns"),
      searches: can["search"] as? Bool ?? false, group: numbers("group") ?? [])
  }

  static func actions(_ value: Any?) throws -> [Action] {
    try (value as? [[String: Any]] ?? []).map { action in
      guard let name = action["name"] as? String, let title = action["title"] as? String,
        let confirm = action["confirm"] as? String, let isDangerous = action["danger"] as? Bool,
        let appliesToRows = action["rows"] as? Bool, let arguments = action["arguments"] as? [[String: Any]]
      else { throw Misfit(what: "the action \(action)") }
      return Action(
        name, title: title, confirm: confirm, isDangerous: isDangerous, appliesToRows: appliesToRows,
        arguments: try arguments.map { argument in
          guard let name = argument["name"] as? String, let label = argument["label"] as? String,
            let kind = (argument["type"] as? String).flatMap(ActionArgument.Kind.init)
          else { throw Misfit(what: "the argument \(argument)") }
          return ActionArgument(
            name, kind, label: label, choices: try cells(argument["choices"]),
            standard: try argument["default"].map(cell), minimum: argument["minimum"] as? Double,
            maximum: argument["maximum"] as? Double)
        })
    }
  }

  static func sources(_ message: [String: Any]) throws -> [SourceDescription] {
    try (message["sources"] as? [[String: Any]] ?? []).map { source in
      guard let name = source["name"] as? String else { throw Misfit(what: "the source \(source)") }
      return SourceDescription(name: name, source: try self.source(source["source"]))
    }
  }

  private static func tree(_ object: [String: Any]) throws -> JSONValue {
    try Array(JSONSerialization.data(withJSONObject: object)).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      return try reader.readDocument()
    }
  }

  static func tables(_ message: [String: Any]) throws -> [TableDescription] {
    try (message["tables"] as? [[String: Any]] ?? []).map { table in
      let columns = try (table["columns"] as? [[String: Any]] ?? []).map { column in
        guard let name = column["name"] as? String, let title = column["title"] as? String,
          let type = (column["type"] as? String).flatMap(ColumnType.init),
          let style = (column["style"] as? String).flatMap(ColumnStyle.init), let unit = column["unit"] as? String,
          let alignment = (column["align"] as? String).flatMap(ColumnAlignment.init)
        else { throw Misfit(what: "the column \(column)") }
        return Column(
          name, type, title: title, style: style, unit: unit, width: try integer(column, "width"), alignment: alignment,
          format: (column["format"] as? String).flatMap(ColumnFormat.init),
          better: (column["better"] as? String).flatMap(BetterDirection.init),
          presentation: try PresentationDecoding.column(tree(column), path: name))
      }
      guard let name = table["name"] as? String, let title = table["title"] as? String else {
        throw Misfit(what: "the table \(table)")
      }
      return TableDescription(
        schema: Schema(
          name: name, title: title, key: .integer, columns: columns, label: table["label"] as? String,
          windowed: try windowed(table["windowed"], columns),
          actions: try actions(table["actions"]), loadsImages: table["images"] as? Bool ?? false,
          presentation: try PresentationDecoding.table(tree(table))),
        rows: try integer(table, "rows"), source: try source(table["source"]),
        rowLimit: (table["windowed"] as? [String: Any])?["rowLimit"] as? Int ?? 0)
    }
  }
}
