import ListEngine

/// A column whose last values a server keeps for each row; see ``ListEngine/Derivation``.
public struct HistoryRequest: Hashable, Sendable {
  /// The name of the table.
  public var table: String
  /// The name of the column.
  public var column: String
  /// The number of values.
  public var count: Int

  /// The number of values if none is given.
  public static let standardCount = 60

  /// Creates a request from a line such as `processes.cpu=60`, or `processes.cpu` for the standard
  /// number of values.
  ///
  /// The table's name ends at the first dot. Returns `nil` if a part is missing, or if the number
  /// is not allowed.
  public init?(argument: String) {
    let sides = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let names = sides[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else { return nil }
    guard let count = sides.count == 1 ? Self.standardCount : Int(sides[1]), Schema.historyLengths.contains(count)
    else { return nil }
    (table, column, self.count) = (String(names[0]), String(names[1]), count)
  }
}

extension ServerConfiguration {
  /// The name of the column with the time of each row's last change, unless the source names one.
  static let changeTimeName = "changed"

  /// Returns the name of the column with change times that the operator requests for a table.
  private func changeTime(of schema: Schema) -> String? {
    changeTimes.contains(schema.name) ? schema.presentation?.changed ?? Self.changeTimeName : nil
  }

  /// Returns a source's schema with the columns that the server fills.
  func derived(_ schema: Schema) -> Schema {
    var counts: [String: Int] = [:]
    for history in histories where history.table == schema.name { counts[history.column] = history.count }
    return schema.deriving(histories: counts, changeTime: changeTime(of: schema))
  }

  /// Returns the reasons why a table lacks histories or change times that the operator requests.
  func unfulfilled(in schema: Schema) -> [String] {
    let own = histories.filter { $0.table == schema.name }
    if schema.windowed != nil, !own.isEmpty || changeTimes.contains(schema.name) {
      return [
        "the table \(schema.name) has no histories: its rows stay at the source, which does not report their changes"
      ]
    }
    var taken = own.map { Schema.historyName($0.column) }
    if let changeTime = changeTime(of: schema) { taken.append(changeTime) }
    let clashes = taken.filter { schema.index(of: $0) != nil }.map { name in
      "the table \(schema.name) gets no column \(name) from the server: the source has one of this name"
    }
    return clashes
      + own.compactMap { history in
        guard let index = schema.index(of: history.column) else {
          return "there is no history of \(schema.name).\(history.column): the table has no such column"
        }
        let column = schema.columns[index]
        guard column.type == .integer || column.type == .number, !column.isDeferred else {
          return "there is no history of \(schema.name).\(history.column): it must be a column of numbers, not deferred"
        }
        return nil
      }
  }
}
