import ListEngine
import Wire

/// What the host says to a child process, as lines of its standard input.
enum HostLine {
  /// The first line of all.
  static let hello = Array("{\"type\":\"hello\",\"version\":1,\"host\":\"rowcast 0.1.0\"}\n".utf8)

  /// The settings; they are JSON.
  static func configure(_ settings: [UInt8]) -> [UInt8] {
    Array("{\"type\":\"configure\",\"settings\":".utf8) + settings + Array("}\n".utf8)
  }

  /// Are you well?
  static func health(_ number: UInt64) -> [UInt8] { Array("{\"type\":\"health\",\"id\":\(number)}\n".utf8) }

  /// Do this.
  static func action(_ request: ActionRequest) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"action\",\"id\":")
    writer.integer(Int64(request.id))
    writer.raw(",\"action\":")
    writer.text(request.action)
    if let key = request.key {
      writer.raw(",\"key\":")
      writer.key(key)
    }
    writer.raw(",\"arguments\":{")
    for (number, argument) in request.arguments.enumerated() {
      if number > 0 { writer.byte(",") }
      writer.text(argument.name)
      writer.byte(":")
      writer.value(argument.value)
    }
    writer.raw("}}\n")
    return writer.bytes
  }

  /// The bytes of this image?
  static func image(_ number: UInt64, _ key: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"image\",\"id\":")
    writer.integer(Int64(number))
    writer.raw(",\"key\":")
    writer.text(key)
    writer.raw("}\n")
    return writer.bytes
  }

  /// Nobody waits for these any more.
  static func cancel(images: [UInt64]) -> [UInt8] {
    let numbers = images.map { "\($0)" }.joined(separator: ",")
    return Array("{\"type\":\"cancel\",\"images\":[\(numbers)]}\n".utf8)
  }

  /// Load these cells, or cancel their loads: the most urgent first.
  static func deferred(_ verb: StaticString, _ cells: [DeferredCell], _ schema: Schema) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"")
    writer.raw(verb)
    writer.raw("\",\"cells\":[")
    // A caller may know another schema: what this one does not have cannot be asked for.
    for (number, cell) in cells.filter({ schema.columns.indices.contains($0.column) }).enumerated() {
      if number > 0 { writer.byte(",") }
      writer.byte("[")
      writer.key(cell.key)
      writer.byte(",")
      writer.text(schema.columns[cell.column].name)
      writer.byte("]")
    }
    writer.raw("]}\n")
    return writer.bytes
  }
}

extension JSONWriter {
  /// The key of a row.
  fileprivate mutating func key(_ key: RowKey) {
    switch key {
    case .integer(let value): integer(value)
    case .text(let value): text(value)
    }
  }
}
