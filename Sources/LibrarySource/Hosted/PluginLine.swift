import ListEngine
import Wire

/// Encodes a plugin's messages as lines of its standard output.
///
/// The inverse of ``ChildDecoder``.
enum PluginLine {
  static let hello = Array("{\"type\":\"hello\",\"version\":1,\"capabilities\":[\"health\"]}\n".utf8)

  /// The size after which a line of rows ends.
  ///
  /// One more row still fits into the line limit of 1 MiB.
  private static let lineBytes = 1 << 16
  /// The maximum size of an encoded row.
  ///
  /// The rest of a line is small.
  private static let rowBytes = 900_000

  static func refuse(_ setting: String?, _ reason: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"refuse\"")
    if let setting {
      writer.raw(",\"setting\":")
      writer.text(setting)
    }
    writer.raw(",\"reason\":")
    writer.text(reason)
    writer.raw("}\n")
    return writer.bytes
  }

  static func health(_ number: Int64) -> [UInt8] { Array("{\"type\":\"health\",\"id\":\(number)}\n".utf8) }

  static func state(_ state: SourceState, _ message: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw(
      state == .live
        ? "{\"type\":\"state\",\"state\":\"live\",\"message\":" : "{\"type\":\"state\",\"state\":\"stale\",\"message\":"
    )
    writer.text(message)
    writer.raw("}\n")
    return writer.bytes
  }

  // MARK: The schema

  static func schema(_ schema: Schema) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"schema\",\"name\":")
    writer.text(schema.name)
    writer.raw(",\"title\":")
    writer.text(schema.title)
    writer.raw(",\"key\":")
    writer.text(schema.key.rawValue)
    if let label = schema.label {
      writer.raw(",\"label\":")
      writer.text(label)
    }
    writer.presentation(of: schema)
    if schema.limits != TableLimits() {
      writer.raw(",\"limits\":{")
      if let rows = schema.limits.rows {
        writer.raw("\"rows\":")
        writer.integer(Int64(rows))
      }
      if let bytes = schema.limits.bytes {
        if schema.limits.rows != nil { writer.byte(",") }
        writer.raw("\"bytes\":")
        writer.integer(Int64(bytes))
      }
      writer.byte("}")
    }
    switch schema.retention {
    case .everything: break
    case .last(let rows):
      writer.raw(",\"keep\":{\"rows\":")
      writer.integer(Int64(rows))
      writer.byte("}")
    case .recent(let time):
      writer.raw(",\"keep\":{\"milliseconds\":")
      writer.integer(max(1, time.nanoseconds / 1_000_000))
      writer.byte("}")
    }
    if !schema.actions.isEmpty {
      writer.raw(",\"actions\":")
      writer.actions(schema.actions, isForHost: true)
    }
    if schema.loadsImages { writer.raw(",\"images\":true") }
    if schema.columns.contains(where: \.isDeferred) {
      let prefetch = schema.prefetch
      writer.raw(",\"prefetch\":{\"inFlight\":")
      writer.integer(Int64(prefetch.inFlight))
      writer.raw(prefetch.prefersToFinish ? ",\"prefersToFinish\":true" : "")
      writer.raw(",\"patience\":")
      writer.integer(max(1, prefetch.patience.nanoseconds / 1_000_000))
      writer.byte("}")
    }
    writer.raw(",\"columns\":")
    writer.list(schema.columns) { $0.column($1, isForHost: true) }
    writer.raw("}\n")
    return writer.bytes
  }

  // MARK: Rows

  /// Encodes changes as lines, in order.
  ///
  /// A row that does not fit in a line is rejected.
  static func changes(_ changes: Changeset, _ schema: Schema) -> [UInt8] {
    var lines = Lines(schema)
    if changes.beginsReload { lines.whole("{\"type\":\"reload\"}\n") }
    changes.forEachRow { lines.add($0) }
    lines.end()
    if changes.unnamedRejections > 0 { lines.reject(nil, changes.unnamedRejection, changes.unnamedRejections) }
    if changes.endsReload { lines.whole("{\"type\":\"commit\"}\n") }
    return lines.writer.bytes
  }

  /// Lines that combine consecutive rows of one verb, up to the size limit.
  private struct Lines {
    var writer = JSONWriter()
    private let schema: Schema
    private var verb: Changeset.Verb?
    private var lineStart = 0

    init(_ schema: Schema) { self.schema = schema }

    mutating func whole(_ line: StaticString) {
      end()
      writer.raw(line)
    }

    mutating func end() {
      if verb != nil { writer.raw("]}\n") }
      verb = nil
    }

    private mutating func begin(_ wanted: Changeset.Verb, _ head: StaticString) {
      if verb == wanted, writer.bytes.count - lineStart < PluginLine.lineBytes {
        writer.byte(",")
      } else {
        end()
        lineStart = writer.bytes.count
        writer.raw(head)
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
        begin(.upsert, "{\"type\":\"upsert\",\"rows\":[")
        writer.byte("[")
        writer.plugin(row.key)
        for cell in row.cells {
          writer.byte(",")
          writer.plugin(cell ?? .null)
        }
        writer.byte("]")
      case .update:
        begin(.update, "{\"type\":\"update\",\"rows\":[")
        writer.byte("[")
        writer.plugin(row.key)
        writer.raw(",{")
        var isFirst = true
        for (number, cell) in row.cells.enumerated() {
          guard let cell, schema.columns.indices.contains(number) else { continue }
          if !isFirst { writer.byte(",") }
          isFirst = false
          writer.text(schema.columns[number].name)
          writer.byte(":")
          writer.plugin(cell)
        }
        writer.raw("}]")
      case .delete:
        begin(.delete, "{\"type\":\"delete\",\"keys\":[")
        writer.plugin(row.key)
      case .move:
        end()
        writer.raw("{\"type\":\"move\",\"key\":")
        writer.plugin(row.key)
        writer.raw(",\"before\":")
        writer.plugin((row.cells.first ?? nil) ?? .null)
        writer.raw("}\n")
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
      writer.raw("{\"type\":\"reject\"")
      if let key {
        writer.raw(",\"key\":")
        writer.plugin(key)
      } else {
        writer.raw(",\"count\":")
        writer.integer(Int64(count))
      }
      writer.raw(",\"reason\":")
      writer.text(String(reason.prefix(1_000)))
      writer.raw("}\n")
    }
  }
}
