/// RFC 3339 timestamps in UTC.
enum Timestamp {
  /// Returns the timestamp with 0, 3, 6 or 9 decimals, the fewest that represent it exactly.
  static func text(ofNanoseconds value: Int64) -> String {
    let (seconds, nanoseconds) = floorDivide(value, 1_000_000_000)
    let (days, time) = floorDivide(seconds, 86_400)
    let (year, month, day) = date(ofDay: days)
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
    text += "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
    if nanoseconds % 1_000 != 0 {
      text += ".\(padded(nanoseconds, 9))"
    } else if nanoseconds % 1_000_000 != 0 {
      text += ".\(padded(nanoseconds / 1_000, 6))"
    } else if nanoseconds != 0 {
      text += ".\(padded(nanoseconds / 1_000_000, 3))"
    }
    return text + "Z"
  }

  /// Returns the proleptic Gregorian date of a day counted from 1970-01-01.
  ///
  /// The algorithm counts in eras of 400 years, with years that begin in March
  /// (https://howardhinnant.github.io/date_algorithms.html#civil_from_days).
  private static func date(ofDay days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func floorDivide(_ value: Int64, _ unit: Int64) -> (quotient: Int64, rest: Int64) {
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: unit)
    return rest < 0 ? (quotient - 1, rest + unit) : (quotient, rest)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
