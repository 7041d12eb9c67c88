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

  /// Load these cells, or cancel their loads: the most urgent first.
  static func deferred(_ verb: StaticString, _ cells: [DeferredCell], _ schema: Schema) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"")
    writer.raw(verb)
    writer.raw("\",\"cells\":[")
    for (number, cell) in cells.enumerated() {
      if number > 0 { writer.byte(",") }
      writer.byte("[")
      switch cell.key {
      case .integer(let value): writer.integer(value)
      case .text(let value): writer.text(value)
      }
      writer.byte(",")
      writer.text(schema.columns[cell.column].name)
      writer.byte("]")
    }
    writer.raw("]}\n")
    return writer.bytes
  }
}
