import ListEngine
import SourceRuntime
import Wire

/// Answers of a plugin to requests.
extension PluginLine {
  /// Returns the answer to an action.
  static func acted(_ id: UInt64, _ outcome: ActionOutcome) -> [UInt8] {
    JSONWriter.line("acted") { writer in
      writer.member("id", Int64(clamping: id))
      switch outcome {
      case .done(let result): writer.member("result", result)
      case .failed(_, let reason): writer.member("error", reason)
      }
    }
  }

  /// Returns the answer to an image request.
  static func image(_ number: UInt64, _ outcome: ImageOutcome) -> [UInt8] {
    JSONWriter.line("image") { writer in
      writer.member("id", Int64(clamping: number))
      switch outcome {
      case .bytes(let bytes):
        writer.name("data")
        writer.byte("\"")
        writer.bytes += Base64.standard.encode(bytes)
        writer.byte("\"")
      case .none:
        writer.name("data")
        writer.raw("null")
      case .failed(let reason): writer.member("error", reason)
      case .sourceDown: writer.member("error", "its source does not run")
      }
    }
  }

  /// Returns the value of a deferred cell.
  static func loaded(_ key: RowKey, _ column: Column, _ value: Cell) -> [UInt8] {
    JSONWriter.line("loaded") { writer in
      writer.place(key, column)
      writer.name("value")
      writer.plugin(value)
    }
  }

  /// Returns the failure of a deferred cell.
  static func notLoaded(_ key: RowKey, _ column: Column, _ reason: String) -> [UInt8] {
    JSONWriter.line("failed") { writer in
      writer.place(key, column)
      writer.member("reason", reason)
    }
  }

  /// Returns the request to forget a loaded cell.
  static func forget(_ key: RowKey, _ column: Column) -> [UInt8] {
    JSONWriter.line("forget") { $0.place(key, column) }
  }
}

extension JSONWriter {
  /// Appends the members that name a deferred cell.
  fileprivate mutating func place(_ key: RowKey, _ column: Column) {
    name("key")
    plugin(key)
    member("column", column.name)
  }

  mutating func plugin(_ key: RowKey) {
    switch key {
    case .integer(let value): integer(value)
    case .text(let value): text(value)
    }
  }

  mutating func plugin(_ cell: Cell) {
    // A timestamp as a `Double` of milliseconds would lose precision.
    if case .timestamp(let value) = cell {
      if value % 1_000_000 == 0 { return integer(value / 1_000_000) }
      byte("\"")
      milliseconds(ofNanoseconds: value)
      byte("\"")
    } else {
      self.cell(cell)
    }
  }
}
