import ListEngine

extension ClientMessage.Act {
  /// The largest number of arguments in one message.
  private static let greatestCount = 32

  /// Decodes an `act` message.
  ///
  /// Arguments are decoded as scalar values. The engine checks them against the action's
  /// declaration.
  init(_ message: JSONMembers) throws(ClientError) {
    self.init(
      id: try ClientMessage.number(message, "id"),
      token: try message.text("session", limit: ClientMessage.greatestName),
      table: try message.requiredText("table", limit: ClientMessage.greatestName),
      action: try message.requiredText("action", limit: ClientMessage.greatestName))
    row = try message.integer("row", in: ClientMessage.safeIntegers).map { RowID(rawValue: UInt64($0)) }
    guard let members = try message.object("arguments") else { return }
    let names = members.names
    guard names.count <= Self.greatestCount else {
      throw .tooLong("arguments has more than \(Self.greatestCount) members")
    }
    for name in names {
      // A `null` argument counts as omitted.
      guard let value = members[name] else { continue }
      arguments.append(Argument(name, try Self.cell(value, name)))
    }
  }

  private static func cell(_ value: JSONValue, _ name: String) throws(ClientError) -> Cell {
    switch value {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let integer): .integer(integer)
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    case .array, .object:
      throw .unreadableMessage("arguments.\(name.prefix(100)) must be a plain value, not \(value.kind)")
    }
  }
}
