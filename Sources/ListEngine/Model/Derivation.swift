/// The rule by which the engine fills a column that the source does not give.
///
/// Derived columns are the last ones of a resident table.
public enum Derivation: Hashable, Codable, Sendable {
  /// The last values of a column of integers or numbers, oldest first, at most `count`; neighbours
  /// differ.
  ///
  /// It is null until the value changes for the first time, and while the histories of the table
  /// take all the memory that they may.
  case history(of: String, count: Int)
  /// The time of day at which the row was inserted, or one of its given cells last changed.
  case changeTime
}

extension Schema {
  /// The allowed lengths of histories.
  public static let historyLengths = 2...240
  /// The maximum number of histories of a table.
  public static let mostHistories = 16

  /// The number of columns that the source gives; derived ones follow.
  public var givenColumnCount: Int { columns.firstIndex { $0.derivation != nil } ?? columns.count }

  /// Returns the name of the column with the history of another one.
  public static func historyName(_ column: String) -> String { "\(column)_history" }

  /// Returns the schema with the derived columns that it asks for itself, and others, at its end.
  ///
  /// If the table has columns for operators, the derived ones are for operators too, because these
  /// columns come last.
  ///
  /// Columns of other types than integers and numbers get no history, and neither do deferred ones.
  /// A column whose name is taken is left out. A windowed table is returned as it is.
  ///
  /// - Parameters:
  ///   - histories: The lengths of histories by the names of their columns.
  ///   - changeTime: The name of the column with the time of the last change; `nil` for the one
  ///     that the schema asks for, if any.
  public func deriving(histories: [String: Int] = [:], changeTime: String? = nil) -> Schema {
    guard windowed == nil else { return self }
    var schema = self
    let audience = columns.last?.audience
    func add(_ column: Column) {
      if schema.index(of: column.name) == nil { schema.columns.append(column) }
    }
    for column in columns where column.type == .integer || column.type == .number {
      guard !column.isDeferred, let count = histories[column.name] ?? column.presentation?.history else { continue }
      add(
        Column(
          Self.historyName(column.name), .series, title: "\(column.title), last \(count)", style: .sparkline,
          audience: audience, derivation: .history(of: column.name, count: count)))
    }
    if let changeTime = changeTime ?? presentation?.changed {
      add(Column(changeTime, .timestamp, title: "Changed", style: .age, audience: audience, derivation: .changeTime))
    }
    return schema
  }

  /// Throws if a derived column is not one of the last ones, or does not fit its source.
  func checkDerivations() throws(SchemaError) {
    for (number, column) in columns.enumerated() {
      guard let derivation = column.derivation else {
        guard number < givenColumnCount else { throw .derivedColumnNotLast(columns[givenColumnCount].name) }
        continue
      }
      guard windowed == nil else { throw .derivedColumnNotResident(column.name) }
      switch derivation {
      case .changeTime:
        guard column.type == .timestamp else { throw .badDerivation(column.name, reason: "its type must be timestamp") }
      case .history(let name, let count):
        guard column.type == .series else { throw .badDerivation(column.name, reason: "its type must be series") }
        guard Self.historyLengths.contains(count) else {
          let (least, most) = (Self.historyLengths.lowerBound, Self.historyLengths.upperBound)
          throw .badDerivation(column.name, reason: "it keeps \(least) to \(most) values, not \(count)")
        }
        guard let given = index(of: name), given < givenColumnCount, !columns[given].isDeferred,
          columns[given].type == .integer || columns[given].type == .number
        else { throw .badDerivation(column.name, reason: "“\(name)” is not a column of integers or numbers") }
      }
    }
    let histories = columns.filter { if case .history = $0.derivation { true } else { false } }
    guard histories.count <= Self.mostHistories else {
      throw .badDerivation(histories[Self.mostHistories].name, reason: "a table has at most \(Self.mostHistories)")
    }
    guard givenColumnCount > 0 || columns.isEmpty else { throw .derivedColumnNotLast(columns[0].name) }
  }
}
