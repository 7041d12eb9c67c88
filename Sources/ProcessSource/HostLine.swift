import ListEngine
import Wire

/// Encodes the host's messages to a child process as lines of its standard input.
package enum HostLine {
  /// The first line sent to every child.
  package static let hello = JSONWriter.line("hello") {
    $0.member("version", 1)
    $0.member("host", "rowcast 0.1.0")
  }

  /// Encodes the settings, given as a JSON object.
  package static func configure(_ settings: [UInt8]) -> [UInt8] {
    JSONWriter.line("configure") {
      $0.name("settings")
      $0.bytes += settings
    }
  }

  /// Encodes a health check.
  package static func health(_ number: UInt64) -> [UInt8] { JSONWriter.line("health") { $0.member("id", number) } }

  /// Encodes an action request.
  package static func action(_ request: ActionRequest) -> [UInt8] {
    JSONWriter.line("action") { writer in
      writer.member("id", request.id)
      writer.member("action", request.action)
      if let key = request.key {
        writer.name("key")
        writer.key(key)
      }
      writer.member("arguments") {
        for argument in request.arguments {
          $0.name(anyText: argument.name)
          $0.value(argument.value)
        }
      }
    }
  }

  /// Encodes a request for the bytes of an image.
  package static func image(_ number: UInt64, _ key: String) -> [UInt8] {
    JSONWriter.line("image") {
      $0.member("id", number)
      $0.member("key", key)
    }
  }

  /// Encodes the cancellation of image requests.
  package static func cancel(images: [UInt64]) -> [UInt8] {
    JSONWriter.line("cancel") { $0.member("images", images) { $0.unsigned($1) } }
  }

  /// Encodes a request to load deferred cells, most urgent first, or its cancellation.
  package static func deferred(_ verb: StaticString, _ cells: [DeferredCell], _ schema: Schema) -> [UInt8] {
    // Cells of columns outside this schema are skipped, because the caller may hold another schema.
    let known = cells.filter { schema.columns.indices.contains($0.column) }
    return JSONWriter.line(verb) { writer in
      writer.member("cells", known) { writer, cell in
        writer.byte("[")
        writer.key(cell.key)
        writer.byte(",")
        writer.text(schema.columns[cell.column].name)
        writer.byte("]")
      }
    }
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
