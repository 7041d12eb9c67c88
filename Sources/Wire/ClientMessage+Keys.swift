import ListEngine

extension ClientMessage {
  /// The largest number of rows in one `name` or `locate` message.
  static let greatestKeyCount = 100
  /// The longest text key that clients may send, in bytes.
  public static let greatestKey = 256

  static func rows(_ message: JSONMembers) throws(ClientError) -> [RowID] {
    var rows: [RowID] = []
    for (index, value) in try message.list("rows", limit: greatestKeyCount).enumerated() {
      guard let id = value.whole else {
        throw .unreadableMessage("rows[\(index)] must be a whole number, not \(value.kind)")
      }
      guard safeIntegers.contains(id) else {
        throw .outOfRange("rows[\(index)] must be between \(safeIntegers.lowerBound) and \(safeIntegers.upperBound)")
      }
      rows.append(RowID(rawValue: UInt64(id)))
    }
    return rows
  }

  static func keys(_ message: JSONMembers, limit: Int = greatestKeyCount) throws(ClientError) -> [RowKey] {
    var keys: [RowKey] = []
    for (index, value) in try message.list("keys", limit: limit).enumerated() {
      switch value {
      case .text(let text):
        guard text.utf8.count <= greatestKey else {
          throw .tooLong("keys[\(index)] has more than \(greatestKey) bytes")
        }
        keys.append(.text(text))
      default:
        guard let number = value.whole else {
          throw .unreadableMessage("keys[\(index)] must be a whole number or a text, not \(value.kind)")
        }
        keys.append(.integer(number))
      }
    }
    return keys
  }
}
