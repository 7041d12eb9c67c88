/// The months of the proleptic Gregorian calendar, numbered from January of the year 0.
///
/// - SeeAlso: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days and
///   days_from_civil.
enum CalendarMonth {
  /// Returns the number of the month of a day, counted from 1970-01-01.
  static func number(ofDay day: Int) -> Int {
    let days = day + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // The algorithm's year begins in March.
    return (yearOfEra + era * 400) * 12 + 2 + (5 * dayOfYear + 2) / 153
  }

  /// Returns the first day of a month, counted from 1970-01-01.
  static func firstDay(_ number: Int) -> Int {
    let march = number - 2
    let year = (march >= 0 ? march : march - 11) / 12
    let monthOfYear = march - year * 12
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * monthOfYear + 2) / 5
    return era * 146_097 + dayOfEra - 719_468
  }
}
