/// The check that values belong to their columns.
enum SafeFields {
  /// Returns the columns in which nearly all values begin like numbers.
  ///
  /// Placeholders such as `?` count as numbers only in a column with a number: in others, they may
  /// stand for terminals.
  static func numeric(_ rows: [[String]], least: Int = 2) -> Set<Int> {
    guard let count = rows.first?.count else { return [] }
    return Set(
      (0..<count).filter { index in
        let values = rows.compactMap { index < $0.count && !$0[index].isEmpty ? $0[index] : nil }
        return values.count >= least && values.count { !isNumeric($0) } * 5 <= values.count
          && !values.allSatisfy(TextQuantity.placeholders.contains)
      })
  }

  /// Returns whether no more texts than usual are in columns of numbers.
  ///
  /// `isDoubtful`: whether a value of the line crosses a border of the columns, or the line may
  /// belong to another table.
  static func areSafe(_ fields: [String], _ numeric: Set<Int>, isDoubtful: Bool) -> Bool {
    // Several numbers are the row of another table.
    if numeric.contains(where: { $0 < fields.count && areNumbers(fields[$0]) }) { return false }
    let wrong = numeric.count { $0 < fields.count && !fields[$0].isEmpty && !isNumeric(fields[$0]) }
    return wrong == 0 || (wrong == 1 && !isDoubtful)
  }

  private static func areNumbers(_ text: String) -> Bool {
    text.contains("  ") && text.split(separator: " ").allSatisfy { Double($0) != nil }
  }

  private static func isNumeric(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first(where: { !"+-<>~$€£¥(:".unicodeScalars.contains($0) }) else {
      return TextQuantity.placeholders.contains(text)
    }
    return first.properties.numericType != nil || TextQuantity.placeholders.contains(text)
  }
}
