/// A sum that forgets nothing: what was added can be taken away again, and leaves no trace.
///
/// Doubles cannot: 1e300 + 1 − 1e300 is 0. Here every number is whole multiples of a smallest unit, in digits of 32 bits with room
/// for the carries of 2^30 additions above each (after U. Kulisch's long accumulator). Only digits that were ever needed are kept,
/// which for most columns are four or five.
struct ExactSum {
  /// The digits from `first` on, the least first; each may be negative, and greater than a digit until carries are taken along.
  private var digits: [Int64] = []
  private var first = 0
  private var additions = 0

  /// 2^-1074, the smallest double: the unit of ``add(_:isTakenAway:)`` for numbers.
  private static let unitExponent = -1074

  /// Adds a whole number. A sum is of whole numbers or of doubles, never of both.
  mutating func add(_ value: Int64, isTakenAway: Bool) {
    add(value.magnitude, at: 0, isNegative: (value < 0) != isTakenAway)
  }

  /// Adds a double, which must be finite.
  mutating func add(_ value: Double, isTakenAway: Bool) {
    let field = Int(value.exponentBitPattern)
    let significand = field == 0 ? value.significandBitPattern : value.significandBitPattern | 1 << 52
    add(significand, at: max(field, 1) - 1, isNegative: (value.sign == .minus) != isTakenAway)
  }

  private mutating func add(_ magnitude: UInt64, at bit: Int, isNegative: Bool) {
    guard magnitude > 0 else { return }
    let low = magnitude << UInt64(bit & 31)
    let high = bit & 31 == 0 ? 0 : magnitude >> UInt64(64 - bit & 31)
    let place = bit >> 5
    makeRoom(from: place, to: place + 3)
    let sign: Int64 = isNegative ? -1 : 1
    let start = place - first
    // At once: each access to an array by itself asks whether somebody else has it.
    digits.withUnsafeMutableBufferPointer { digits in
      digits[start] += sign * Int64(low & 0xFFFF_FFFF)
      digits[start + 1] += sign * Int64(low >> 32)
      digits[start + 2] += sign * Int64(high)
    }
    additions += 1
    guard additions == 1 << 30 else { return }
    let (isBelowZero, whole) = carried
    digits = whole.map { isBelowZero ? -Int64($0) : Int64($0) }
    additions = 0
  }

  private mutating func makeRoom(from start: Int, to end: Int) {
    if digits.isEmpty { first = start }
    if start < first {
      digits.insert(contentsOf: repeatElement(0, count: first - start), at: 0)
      first = start
    }
    if end > first + digits.count { digits.append(contentsOf: repeatElement(0, count: end - first - digits.count)) }
  }

  /// The digits of the magnitude, the least first, without carries: the same for equal sums, however they came about.
  private var carried: (isNegative: Bool, digits: [UInt32]) {
    func carry(_ sign: Int64) -> (rest: Int64, digits: [UInt32]) {
      var rest: Int64 = 0
      var whole: [UInt32] = []
      for digit in digits {
        rest += sign * digit
        whole.append(UInt32(truncatingIfNeeded: rest))
        rest >>= 32
      }
      return (rest, whole)
    }
    var (rest, whole) = carry(1)
    let isNegative = rest < 0
    if isNegative { (rest, whole) = carry(-1) }
    while rest > 0 {
      whole.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
    return (isNegative, whole)
  }

  /// The sum of whole numbers; `nil` when 64 bits cannot hold it.
  var integer: Int64? {
    let (isNegative, digits) = carried
    var magnitude: UInt64 = 0
    for (place, digit) in digits.enumerated() where digit > 0 {
      guard first + place < 2 else { return nil }
      magnitude |= UInt64(digit) << UInt64(32 * (first + place))
    }
    if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  /// The sum of whole numbers, rounded.
  var roundedInteger: Double { rounded(unit: 0) }
  /// The sum of doubles, rounded; infinite when it is beyond the greatest one.
  var number: Double { rounded(unit: Self.unitExponent) }

  private func rounded(unit: Int) -> Double {
    let (isNegative, digits) = carried
    guard let top = digits.lastIndex(where: { $0 > 0 }) else { return 0 }
    func digit(_ place: Int) -> UInt64 { place >= 0 ? UInt64(digits[place]) : 0 }
    // Rounded once: the 64 highest bits, of which the last stands for all below as well, are more than a double's 53.
    let shift = digits[top].leadingZeroBitCount
    let high = (digit(top) << 32 | digit(top - 1)) << UInt64(shift) | digit(top - 2) >> UInt64(32 - shift)
    let hasMore = digit(top - 2) << UInt64(32 + shift) > 0 || digits.prefix(max(0, top - 2)).contains { $0 > 0 }
    let exponent = 32 * (first + top - 1) - shift + unit
    let sum = Double(sign: .plus, exponent: exponent, significand: Double(hasMore ? high | 1 : high))
    return isNegative ? -sum : sum
  }
}
