import ListEngine

extension ClientMessage {
  /// The largest number of rows of a window that a client may report in `resume`.
  public static let greatestReportedRows = 2_000

  /// Decodes the window that a client reports to hold.
  static func window(_ members: JSONMembers) throws(ClientError) -> ClientWindow {
    let numbers = try members.list("rows", limit: 2 * greatestReportedRows)
    let name = members.fullName("rows")
    guard numbers.count.isMultiple(of: 2) else {
      throw .unreadableMessage("\(name) must have an id and a revision for each row")
    }
    var rows: [ClientWindow.Row] = []
    rows.reserveCapacity(numbers.count / 2)
    for index in stride(from: 0, to: numbers.count, by: 2) {
      guard let id = numbers[index].whole, safeIntegers.contains(id), let whole = numbers[index + 1].whole,
        let revision = UInt32(exactly: whole)
      else {
        throw .outOfRange("\(name)[\(index)] must be a row id, and \(name)[\(index + 1)] a revision below 2^32")
      }
      rows.append(ClientWindow.Row(RowID(rawValue: UInt64(id)), revision: revision))
    }
    return ClientWindow(
      generation: Int(try members.integer("generation", in: safeIntegers) ?? 0),
      start: Int(try members.requiredInteger("start", in: safeIntegers)),
      total: Int(try members.requiredInteger("total", in: safeIntegers)), rows: rows)
  }
}
