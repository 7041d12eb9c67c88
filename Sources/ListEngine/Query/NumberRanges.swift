/// Ranges of floating-point numbers with equal widths: the bounds are the multiples of the width.
///
/// A width such as 0.1 stands for its shortest decimal form, so that the bounds are 0.1, 0.2, 0.3
/// and not 0.1, 0.2, 0.30000000000000004.
public struct NumberRanges: Hashable, Sendable {
  /// The width of a range, above 0 and finite.
  public let width: Double
  /// The width as a fraction, which gives the nearest double to each decimal bound.
  private let numerator: Double
  private let denominator: Double
  /// The bound beyond which doubles are too sparse for ranges of this width.
  private let limit: Double

  /// The index of ``limit``: neighboring bounds below it differ by several units in the last place.
  private static var greatestIndex: Double { 0x1p50 }

  /// Creates ranges.
  ///
  /// - Precondition: The width is above 0 and finite.
  public init(width: Double) {
    precondition(width > 0 && width.isFinite, "ranges of width \(width)")
    self.width = width
    (numerator, denominator) = Self.fraction(width) ?? (width, 1)
    limit = Self.greatestIndex * numerator / denominator
  }

  /// Returns a fraction with an exact numerator and denominator, or `nil` if the width has none.
  private static func fraction(_ width: Double) -> (Double, Double)? {
    // The shortest decimal form: 25.5, 1e-05, 1.5e+20.
    let parts = "\(width)".split(separator: "e")
    guard let power = parts.count > 1 ? Int(parts[1]) : 0 else { return nil }
    let digits = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let decimals = digits.count > 1 && digits[1] != "0" ? digits[1] : ""
    let places = decimals.utf8.count - power
    // Powers of ten up to 10^22 are exact.
    guard (1...22).contains(places), let whole = Int64(digits[0] + decimals), whole < 1 << 53 else { return nil }
    return (Double(whole), (0..<places).reduce(1) { power, _ in power * 10 })
  }

  private func bound(_ index: Double) -> Double { index * numerator / denominator }

  /// Returns the index of the range of a value, or `nil` beyond the limit.
  private func index(of value: Double) -> Double? {
    guard value >= -limit, value < limit else { return nil }
    // The quotient can be rounded up or down to the neighboring range.
    var index = (value / width).rounded(.down)
    while bound(index) > value { index -= 1 }
    while bound(index + 1) <= value { index += 1 }
    return index
  }

  /// Returns the greatest bound that does not exceed a value.
  ///
  /// Where doubles are too sparse, each value is a range of its own.
  func lowerBound(of value: Double) -> Double {
    guard let index = index(of: value) else { return value }
    let bound = max(bound(index), -.greatestFiniteMagnitude)
    return bound == 0 ? 0 : bound
  }

  /// Returns the bound after a value's range, or `nil` if it is not finite.
  func end(of value: Double) -> Double? {
    let end = index(of: value).map { bound($0 + 1) } ?? value.nextUp
    return end.isFinite ? (end == 0 ? 0 : end) : nil
  }
}
