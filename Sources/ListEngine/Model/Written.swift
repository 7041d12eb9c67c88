/// The conversion of numbers in clients' messages.
enum Written {
  /// Returns a number without its fraction, or `nil` if it does not fit into 64 bits.
  ///
  /// Rounding would need the C library, which the engine does not import.
  static func whole(_ number: Double) -> Int64? {
    abs(number) < 0x1p63 || number == -0x1p63 ? Int64(number) : nil
  }

  /// Returns the nanoseconds of a number of milliseconds in a client's message.
  ///
  /// Clients send a text where a floating-point number would lose digits.
  static func nanoseconds(_ milliseconds: Cell) -> Int64? {
    switch milliseconds {
    case .integer(let whole):
      let (product, overflow) = whole.multipliedReportingOverflow(by: 1_000_000)
      return overflow ? nil : product
    case .number(let number):
      guard let whole = whole(number) else { return nil }
      let fraction = (number - Double(whole)) * 1_000_000
      return nanoseconds(whole: whole, fraction: Int64(fraction < 0 ? fraction - 0.5 : fraction + 0.5))
    case .text(let text):
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let whole = Int64(parts[0]) else { return nil }
      guard parts.count == 2 else { return nanoseconds(whole: whole, fraction: 0) }
      guard (1...6).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let fraction = Int64((String(parts[1]) + "00000").prefix(6))
      else { return nil }
      return nanoseconds(whole: whole, fraction: text.hasPrefix("-") ? -fraction : fraction)
    default: return nil
    }
  }

  /// Returns whether a text is a decimal number with at most `fractionDigits` decimals, however
  /// large.
  static func isDecimal(_ text: String, fractionDigits: Int = 0) -> Bool {
    func areDigits(_ part: Substring) -> Bool { part.utf8.allSatisfy { (0x30...0x39).contains($0) } && !part.isEmpty }
    let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    let parts = unsigned.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard areDigits(parts[0]) else { return false }
    return parts.count == 1 || (parts[1].utf8.count <= fractionDigits && areDigits(parts[1]))
  }

  private static func nanoseconds(whole: Int64, fraction: Int64) -> Int64? {
    let (product, overflow) = whole.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflows) = product.addingReportingOverflow(fraction)
    return overflow || overflows ? nil : sum
  }
}
