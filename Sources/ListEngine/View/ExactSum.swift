/// An exact sum of integers or doubles: removing an added value restores the former sum exactly.
///
/// Plain doubles do not have this property: 1e300 + 1 − 1e300 is 0. This is U. Kulisch's
/// accumulator (https://en.wikipedia.org/wiki/Kulisch_arithmetic). It holds an integer in units of
/// 2^-1074, in digits of 32 bits. Each digit has room for the carries of 2^30 additions. Only
/// digits in use are stored, which for most columns are four or five.
struct ExactSum {
  /// The digits, least significant first, starting with digit number `first`.
  ///
  /// Digits may be negative or exceed 32 bits until carries are propagated.
  private var digits: [Int64] = []
  private var first = 0
  private var additions = 0

  /// The exponent of the smallest positive double, 2^-1074, which is the unit for doubles.
  private static let unitExponent = -1074

  /// Adds or subtracts an integer.
  ///
  /// - Precondition: The sum contains no doubles.
  mutating func add(_ value: Int64, isRemoved: Bool) {
    add(value.magnitude, at: 0, isNegative: (value < 0) != isRemoved)
  }

  /// Adds or subtracts a finite double.
  ///
  /// - Precondition: The sum contains no integers.
  mutating func add(_ value: Double, isRemoved: Bool) {
    let field = Int(value.exponentBitPattern)
    let significand = field == 0 ? value.significandBitPattern : value.significandBitPattern | 1 << 52
    add(significand, at: max(field, 1) - 1, isNegative: (value.sign == .minus) != isRemoved)
  }

  private mutating func add(_ magnitude: UInt64, at bit: Int, isNegative: Bool) {
    guard magnitude > 0 else { return }
    let low = magnitude << UInt64(bit & 31)
    let high = bit & 31 == 0 ? 0 : magnitude >> UInt64(64 - bit & 31)
    let place = bit >> 5
    makeRoom(from: place, to: place + 3)
    let sign: Int64 = isNegative ? -1 : 1
    let start = place - first
    // One access for all digits avoids repeated exclusivity and uniqueness checks.
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

  /// The sign and the digits of the magnitude after carries, least significant first.
  ///
  /// Equal sums have equal digits, whatever was added to reach them.
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

  /// The sum of integers, or `nil` if it does not fit into 64 bits.
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

  /// The sum of integers, rounded to a double.
  var roundedInteger: Double { rounded(unit: 0) }
  /// The sum of doubles, rounded once; infinite if it exceeds the greatest finite double.
  var number: Double { rounded(unit: Self.unitExponent) }

  private func rounded(unit: Int) -> Double {
    let (isNegative, digits) = carried
    guard let top = digits.lastIndex(where: { $0 > 0 }) else { return 0 }
    func digit(_ place: Int) -> UInt64 { place >= 0 ? UInt64(digits[place]) : 0 }
    // Round once, from the 64 highest bits: the last one is set if any lower bit is, and a double
    // keeps 53.
    let shift = digits[top].leadingZeroBitCount
    let high = (digit(top) << 32 | digit(top - 1)) << UInt64(shift) | digit(top - 2) >> UInt64(32 - shift)
    let hasMore = digit(top - 2) << UInt64(32 + shift) > 0 || digits.prefix(max(0, top - 2)).contains { $0 > 0 }
    let exponent = 32 * (first + top - 1) - shift + unit
    let sum = Double(sign: .plus, exponent: exponent, significand: Double(hasMore ? high | 1 : high))
    return isNegative ? -sum : sum
  }
}
