import ListEngine

/// Columns that the source does not give, computed by brute force.
extension PlainTable {
  /// Returns a row's cells of all columns.
  ///
  /// - Parameters:
  ///   - former: All cells before the change; `nil` for a new row.
  ///   - given: The cells of the columns that the source gives.
  func derived(_ former: [Cell]?, _ given: [Cell]) -> [Cell] {
    guard schema.givenColumnCount < schema.columns.count else { return given }
    let before = former.map { Array($0.prefix(given.count)) }
    return given
      + schema.columns.enumerated().dropFirst(given.count).map { number, column in
        let kept = former?[number] ?? .null
        switch column.derivation {
        case nil: return kept
        case .changeTime: return given == before ? kept : .timestamp(wall.now)
        case .history(let name, let count):
          guard let former, let place = schema.index(of: name), former[place] != given[place] else { return kept }
          guard let value = Self.double(given[place]) else { return kept }
          var values =
            if case .series(let values) = kept { values } else { [Self.double(former[place])].compactMap(\.self) }
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
