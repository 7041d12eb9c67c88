import ListEngine
import SourceRuntime

extension UntypedValue {
  /// Converts the value to a cell of a column; `nil` when it does not fit.
  ///
  /// Texts are not parsed, except times.
  package func cell(as column: Column) -> Cell? {
    switch (self, column.type) {
    case (.null, _): return .null
    case (.boolean(let value), .boolean): return .boolean(value)
    case (.integer(let value), .integer): return .integer(value)
    case (.integer(let value), .number): return Double(exactly: value).map { .number($0) }
    case (.number(let value), .number): return .number(value)
    case (.number(let value), .integer): return Int64(exactly: value).map { .integer($0) }
    case (.series(let value), .series): return .series(value)
    case (_, .text): return .text(written)
    case (.integer(let value), .timestamp): return TextMoment.nanoseconds(epoch: Double(value)).map { .timestamp($0) }
    case (.number(let value), .timestamp): return TextMoment.nanoseconds(epoch: value).map { .timestamp($0) }
    case (.text(var text), .timestamp):
      let exact = text.withUTF8 { Moments.reading(rfc3339: UnsafeRawBufferPointer($0)) }
      return switch exact {
      case .exact(let value): .timestamp(value)
      case .outOfRange: nil
      case nil: TextMoment(text).map { .timestamp($0.nanoseconds) }
      }
    default: return nil
    }
  }

  /// Converts a value that may be a text with another meaning, as in CSV.
  ///
  /// `scale`: the factor for numbers without a unit in a column of sizes or durations.
  func readCell(as column: Column, scale: Double?) -> Cell? {
    guard case .text(let text) = self else {
      if let scale, case .number(let number)? = cell(as: column) { return .number(number * scale) }
      return cell(as: column)
    }
    if text.isEmpty { return .null }
    if column.type == .text { return .text(text) }
    if let cell = Self.cell(of: text, as: column, scale: scale) { return cell }
    return TextQuantity.placeholders.contains(text) ? .null : nil
  }

  private static func cell(of text: String, as column: Column, scale: Double?) -> Cell? {
    if column.type == .number {
      switch column.style {
      case .bytes: return TextQuantity.bytes(text, bare: scale ?? 1).map { .number($0) }
      case .duration:
        let number = TextQuantity.number(text).map { $0 * (scale ?? 1) }
        return (number ?? TextQuantity.duration(text)?.seconds).map { .number($0) }
      default: break
      }
      if column.unit == "%", let share = UntypedValue.share(text) { return .number(share) }
      if !column.unit.isEmpty, let (number, unit) = TextQuantity.amount(text), unit == column.unit {
        return .number(number)
      }
    }
    let value = UntypedValue(reading: text)
    if column.type == .number, case .text = value { return TextQuantity.grouped(text).map { .number($0) } }
    if column.type == .boolean, case .text = value {
      return switch text.lowercased() {
      case "yes", "on", "true", "t", "y": .boolean(true)
      case "no", "off", "false", "f", "n": .boolean(false)
      default: nil
      }
    }
    return value.cell(as: column)
  }
}
