import ListEngine
import Wire

/// Encodes the host's messages to a child process as lines of its standard input.
package enum HostLine {
  /// The first line sent to every child.
  package static let hello = Array("{\"type\":\"hello\",\"version\":1,\"host\":\"rowcast 0.1.0\"}\n".utf8)

  /// Encodes the settings, given as a JSON object.
  package static func configure(_ settings: [UInt8]) -> [UInt8] {
    Array("{\"type\":\"configure\",\"settings\":".utf8) + settings + Array("}\n".utf8)
  }

  /// Encodes a health check.
  package static func health(_ number: UInt64) -> [UInt8] { Array("{\"type\":\"health\",\"id\":\(number)}\n".utf8) }

  /// Encodes an action request.
  package static func action(_ request: ActionRequest) -> [UInt8] {
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

  /// Encodes a request for the bytes of an image.
  package static func image(_ number: UInt64, _ key: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"image\",\"id\":")
    writer.integer(Int64(number))
    writer.raw(",\"key\":")
    writer.text(key)
    writer.raw("}\n")
    return writer.bytes
  }

  /// Encodes the cancellation of image requests.
  package static func cancel(images: [UInt64]) -> [UInt8] {
    let numbers = images.map { "\($0)" }.joined(separator: ",")
    return Array("{\"type\":\"cancel\",\"images\":[\(numbers)]}\n".utf8)
  }

  /// Encodes a request to load deferred cells, most urgent first, or its cancellation.
  package static func deferred(_ verb: StaticString, _ cells: [DeferredCell], _ schema: Schema) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"")
    writer.raw(verb)
    writer.raw("\",\"cells\":[")
    // Cells of columns outside this schema are skipped, because the caller may hold another schema.
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
  /// Writes a row key.
  fileprivate mutating func key(_ key: RowKey) {
    switch key {
    case .integer(let value): integer(value)
    case .text(let value): text(value)
    }
  }
}
