/// Numbers with a decimal comma and points between thousands: `1.250,75`.
enum DecimalComma {
  /// Returns the columns in which all values are such numbers; empty when no number has a comma.
  static func columns(_ rows: [[String]]) -> Set<Int> {
    let count = rows.map(\.count).max() ?? 0
    var columns: Set<Int> = []
    var hasComma = false
    for index in 0..<count {
      let values = rows.compactMap { index < $0.count && !$0[index].isEmpty ? $0[index] : nil }
      guard !values.isEmpty, values.allSatisfy(isNumber) else { continue }
      columns.insert(index)
      hasComma = hasComma || values.contains { $0.contains(",") }
    }
    return hasComma ? columns : []
  }

  /// Returns a number with a decimal point; other texts as they are.
  static func plain(_ text: String) -> String {
    guard isNumber(text) else { return text }
    return text.replacing(".", with: "").replacing(",", with: ".")
  }

  private static func isNumber(_ text: String) -> Bool {
    guard text.utf8.count <= 40 else { return false }
    let parts = text.drop { $0 == "-" }.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first, !whole.isEmpty, parts.last?.isEmpty == false,
      parts.count == 1 || parts[1].allSatisfy(isDigit)
    else { return false }
    let groups = whole.split(separator: ".", omittingEmptySubsequences: false)
    guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return false }
    return groups.count == 1 || (groups[0].count <= 3 && groups.dropFirst().allSatisfy { $0.count == 3 })
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
