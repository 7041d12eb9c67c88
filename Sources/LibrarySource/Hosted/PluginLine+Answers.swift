import ListEngine
import SourceRuntime
import Wire

/// Answers of a plugin to requests.
extension PluginLine {
  static func acted(_ id: UInt64, _ outcome: ActionOutcome) -> [UInt8] {
    var writer = answer("{\"type\":\"acted\",\"id\":", id)
    switch outcome {
    case .done(let result):
      writer.raw(",\"result\":")
      writer.text(result)
    case .failed(_, let reason):
      writer.raw(",\"error\":")
      writer.text(reason)
    }
    writer.raw("}\n")
    return writer.bytes
  }

  static func image(_ number: UInt64, _ outcome: ImageOutcome) -> [UInt8] {
    var writer = answer("{\"type\":\"image\",\"id\":", number)
    switch outcome {
    case .bytes(let bytes):
      writer.raw(",\"data\":\"")
      writer.bytes += Base64.standard.encode(bytes)
      writer.raw("\"")
    case .none: writer.raw(",\"data\":null")
    case .failed(let reason):
      writer.raw(",\"error\":")
      writer.text(reason)
    case .sourceDown:
      writer.raw(",\"error\":")
      writer.text("its source does not run")
    }
    writer.raw("}\n")
    return writer.bytes
  }

  static func loaded(_ key: RowKey, _ column: Column, _ value: Cell) -> [UInt8] {
    var writer = cell("{\"type\":\"loaded\",\"key\":", key, column)
    writer.raw(",\"value\":")
    writer.plugin(value)
    writer.raw("}\n")
    return writer.bytes
  }

  static func notLoaded(_ key: RowKey, _ column: Column, _ reason: String) -> [UInt8] {
    var writer = cell("{\"type\":\"failed\",\"key\":", key, column)
    writer.raw(",\"reason\":")
    writer.text(reason)
    writer.raw("}\n")
    return writer.bytes
  }

  static func forget(_ key: RowKey, _ column: Column) -> [UInt8] {
    var writer = cell("{\"type\":\"forget\",\"key\":", key, column)
    writer.raw("}\n")
    return writer.bytes
  }

  private static func answer(_ head: StaticString, _ id: UInt64) -> JSONWriter {
    var writer = JSONWriter()
    writer.raw(head)
    writer.integer(Int64(clamping: id))
    return writer
  }

  private static func cell(_ head: StaticString, _ key: RowKey, _ column: Column) -> JSONWriter {
    var writer = JSONWriter()
    writer.raw(head)
    writer.plugin(key)
    writer.raw(",\"column\":")
    writer.text(column.name)
    return writer
  }
}

/// Encoding of keys and cells in a plugin's messages.
extension JSONWriter {
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
