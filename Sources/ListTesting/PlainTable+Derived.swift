import ListEngine

/// Columns that the source does not give, computed by brute force.
extension PlainTable {
  /// Returns a row's cells of all columns.
  ///
  /// - Parameters:
  ///   - previous: All cells before the change; `nil` for a new row.
  ///   - given: The cells of the columns that the source gives.
  func derived(_ previous: [Cell]?, _ given: [Cell]) -> [Cell] {
    guard schema.givenColumnCount < schema.columns.count else { return given }
    let before = previous.map { Array($0.prefix(given.count)) }
    return given
      + schema.columns.enumerated().dropFirst(given.count).map { number, column in
        let stored = previous?[number] ?? .null
        switch column.derivation {
        case nil: return stored
        case .changeTime: return given == before ? stored : .timestamp(wall.now)
        case .history(let name, let count):
          guard let previous, let place = schema.index(of: name), previous[place] != given[place] else { return stored }
          guard let value = Self.double(given[place]) else { return stored }
          var values =
            if case .series(let values) = stored { values } else { [Self.double(previous[place])].compactMap(\.self) }
          if values.last != value { values.append(value) }
          return .series(Array(values.suffix(count)))
        }
      }
  }

  private static func double(_ cell: Cell) -> Double? {
    switch cell {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// Compares two series by their bytes, as the engine does.
  static func order(_ a: [Double], _ b: [Double]) -> Int {
    let bytes = [a, b].map { $0.withUnsafeBytes { Array($0) } }
    if bytes[0] == bytes[1] { return 0 }
    return bytes[0].lexicographicallyPrecedes(bytes[1]) ? -1 : 1
  }
}
