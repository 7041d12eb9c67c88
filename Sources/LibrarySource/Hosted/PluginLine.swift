import ListEngine
import Wire

/// Encodes a plugin's messages as lines of its standard output.
///
/// The inverse of ``ChildDecoder``.
enum PluginLine {
  static let hello = JSONWriter.line("hello") {
    $0.member("version", 1)
    $0.member("capabilities", ["health"]) { $0.text($1) }
  }

  /// The size after which a line of rows ends.
  ///
  /// One more row still fits into the line limit of 1 MiB.
  private static let lineBytes = 1 << 16
  /// The maximum size of an encoded row.
  ///
  /// The rest of a line is small.
  private static let rowBytes = 900_000

  static func refuse(_ setting: String?, _ reason: String) -> [UInt8] {
    JSONWriter.line("refuse") { writer in
      if let setting { writer.member("setting", setting) }
      writer.member("reason", reason)
    }
  }

  static func health(_ number: Int64) -> [UInt8] { JSONWriter.line("health") { $0.member("id", number) } }

  static func state(_ state: SourceState, _ message: String) -> [UInt8] {
    JSONWriter.line("state") {
      $0.member("state", state == .live ? "live" : "stale")
      $0.member("message", message)
    }
  }

  // MARK: The schema

  static func schema(_ schema: Schema) -> [UInt8] {
    JSONWriter.line("schema") { writer in
      writer.member("name", schema.name)
      writer.member("title", schema.title)
      writer.member("key", schema.key.rawValue)
      if let label = schema.label { writer.member("label", label) }
      writer.presentation(of: schema, isForHost: true)
      if schema.limits != TableLimits() {
        writer.member("limits") {
          if let rows = schema.limits.rows { $0.member("rows", rows) }
          if let bytes = schema.limits.bytes { $0.member("bytes", bytes) }
        }
      }
      switch schema.retention {
      case .everything: break
      case .last(let rows): writer.member("keep") { $0.member("rows", rows) }
      case .recent(let time):
        writer.member("keep") { $0.member("milliseconds", max(1, time.nanoseconds / 1_000_000)) }
      }
      if !schema.actions.isEmpty {
        writer.name("actions")
        writer.actions(schema.actions, isForHost: true)
      }
      if schema.loadsImages { writer.member("images", true) }
      if schema.columns.contains(where: \.isDeferred) {
        let prefetch = schema.prefetch
        writer.member("prefetch") {
          $0.member("inFlight", prefetch.inFlight)
          if prefetch.prefersToFinish { $0.member("prefersToFinish", true) }
          $0.member("patience", max(1, prefetch.patience.nanoseconds / 1_000_000))
        }
      }
      writer.member("columns", schema.columns) { $0.column($1, isForHost: true) }
    }
  }

  // MARK: Rows

  /// Encodes changes as lines, in order.
  ///
  /// A row that does not fit in a line is rejected.
  static func changes(_ changes: Changeset, _ schema: Schema) -> [UInt8] {
    var lines = Lines(schema)
    if changes.beginsReload { lines.whole("reload") }
    changes.forEachRow { lines.add($0) }
    lines.end()
    if changes.unnamedRejections > 0 { lines.reject(nil, changes.unnamedRejection, changes.unnamedRejections) }
    if changes.endsReload { lines.whole("commit") }
    return lines.writer.bytes
  }

  /// Lines that combine consecutive rows of one verb, up to the size limit.
  private struct Lines {
    var writer = JSONWriter()
    private let schema: Schema
    private var verb: Changeset.Verb?
    private var lineStart = 0

    init(_ schema: Schema) { self.schema = schema }

    mutating func whole(_ type: StaticString) {
      end()
      writer.line(type)
    }

    mutating func end() {
      if verb != nil {
        writer.byte("]")
        writer.endObject()
        writer.byte("\n")
      }
      verb = nil
    }

    private mutating func begin(_ wanted: Changeset.Verb, _ type: StaticString, _ list: StaticString) {
      if verb == wanted, writer.bytes.count - lineStart < PluginLine.lineBytes {
        writer.byte(",")
      } else {
        end()
        lineStart = writer.bytes.count
        writer.beginObject()
        writer.type(type)
        writer.name(list)
        writer.byte("[")
        verb = wanted
      }
    }

    mutating func add(_ row: Changeset.RowView) {
      if let column = row.firstBrokenText {
        let name = schema.columns.indices.contains(column) ? schema.columns[column].name : "?"
        return reject(row.key, "its cell “\(name)” is not UTF-8", 1)
      }
      let before = (writer.bytes.count, verb, lineStart)
      switch row.verb {
      case .upsert:
        begin(.upsert, "upsert", "rows")
        writer.byte("[")
        writer.plugin(row.key)
        for cell in row.cells {
          writer.byte(",")
          writer.plugin(cell ?? .null)
        }
        writer.byte("]")
      case .update:
        begin(.update, "update", "rows")
        writer.byte("[")
        writer.plugin(row.key)
        writer.byte(",")
        writer.beginObject()
        for (number, cell) in row.cells.enumerated() {
          guard let cell, schema.columns.indices.contains(number) else { continue }
          writer.name(anyText: schema.columns[number].name)
          writer.plugin(cell)
        }
        writer.endObject()
        writer.byte("]")
      case .delete:
        begin(.delete, "delete", "keys")
        writer.plugin(row.key)
      case .move:
        end()
        writer.line("move") {
          $0.name("key")
          $0.plugin(row.key)
          $0.name("before")
          $0.plugin((row.cells.first ?? nil) ?? .null)
        }
      case .reject:
        var reason = "it was rejected without a reason"
        if case .text(let text)?? = row.cells.first { reason = text }
        reject(row.key, reason, 1)
      }
      guard writer.bytes.count - before.0 > PluginLine.rowBytes else { return }
      writer.bytes.removeSubrange(before.0...)
      (verb, lineStart) = (before.1, before.2)
      reject(row.key, "it takes more than \(PluginLine.rowBytes) bytes, and a line could not hold it", 1)
    }

    mutating func reject(_ key: RowKey?, _ reason: String, _ count: Int) {
      end()
      writer.line("reject") { writer in
        if let key {
          writer.name("key")
          writer.plugin(key)
        } else {
          writer.member("count", count)
        }
        writer.member("reason", String(reason.prefix(1_000)))
      }
    }
  }
}
