import SourceRuntime

/// Conversion of JSON objects to rows, with members of nested objects as `a.b`.
enum JSONFlattening {
  /// The maximum depth of nested objects; deeper ones stay JSON text.
  static let depth = 4
  /// The maximum number of members of a flattened row; further objects stay JSON text.
  static let members = 200

  /// Returns the members of an object.
  static func row(_ object: JSONElement) -> InferredTable.UntypedRow {
    var row: InferredTable.UntypedRow = []
    add(object, prefix: "", depth: 1, to: &row)
    return row
  }

  private static func add(
    _ object: JSONElement, prefix: String, depth: Int, to row: inout InferredTable.UntypedRow
  ) {
    for member in object.members {
      let name = prefix + String(decoding: member.name, as: UTF8.self)
      if member.value.kind == .object, depth < Self.depth, row.count < members,
        member.value.members.contains(where: { _ in true })
      {
        add(member.value, prefix: name + ".", depth: depth + 1, to: &row)
      } else {
        row.append((name, value(member.value)))
      }
    }
  }

  private static func value(_ element: JSONElement) -> UntypedValue {
    let value = UntypedValue(element)
    guard case .text(let text) = value, text.utf8.contains(0x1B) else { return value }
    return .text(TerminalText.plain(text))
  }
}
