import ListEngine
import SourceRuntime

/// Conversion of JSON values to cells of a column.
extension JSONElement {
  /// The maximum number of values in a series.
  private static let seriesLimit = Limits().cellBytes / MemoryLayout<Double>.stride

  /// Describes why the value does not fit a column of this type; `nil` when it does.
  @inline(__always) func fault(as type: ColumnType) -> String? {
    if isNull { return nil }
    switch type {
    case .number: return number != nil ? nil : mismatch(type)
    case .text, .image: return kind == .text ? nil : mismatch(type)
    case .integer: return wholeNumber != nil || isBeyondInteger ? nil : mismatch(type)
    case .boolean: return boolean != nil ? nil : mismatch(type)
    case .timestamp: return moment != nil || isMomentOutOfRange ? nil : mismatch(type)
    case .series:
      guard kind == .list else { return mismatch(type) }
      var count = 0
      for item in items {
        guard item.number != nil || item.isNull else { return "has \(item.name) in its series" }
        count += 1
      }
      return count <= Self.seriesLimit ? nil : "has \(count) numbers, more than \(Self.seriesLimit)"
    }
  }

  private func mismatch(_ type: ColumnType) -> String {
    switch type {
    case .integer where number != nil: "is not a whole number of 64 bits"
    case .timestamp where kind == .text: "is not a timestamp: milliseconds since 1970, or 1970-01-01T00:00:00Z"
    default: "is \(name), the column is of type \(type)"
    }
  }

  /// The value as an integer.
  ///
  /// Texts are accepted, because many programs lose precision beyond 2^53.
  @inline(__always) private var wholeNumber: Int64? {
    if let integer { return integer }
    return kind == .text ? text.flatMap { Int64($0) } : nil
  }

  /// The value as nanoseconds since 1970.
  private var moment: Int64? {
    switch kind {
    case .signed:
      guard let integer else { return nil }
      let (scaled, overflow) = integer.multipliedReportingOverflow(by: 1_000_000)
      return overflow ? nil : scaled
    case .number: return number.flatMap { Moments.nanoseconds(milliseconds: $0) }
    case .text: return Moments.nanoseconds(rfc3339: bytes) ?? Moments.nanoseconds(decimal: bytes)
    default: return nil
    }
  }

  /// Whether this is a timestamp beyond 64 bits of nanoseconds, such as `9999-12-31T00:00:00Z`.
  private var isMomentOutOfRange: Bool {
    switch kind {
    case .signed, .unsigned, .number: moment == nil && number != nil
    case .text: Moments.reading(rfc3339: bytes) == .outOfRange || Moments.reading(decimal: bytes) == .outOfRange
    default: false
    }
  }

  /// Whether this is a whole number beyond `Int64`.
  private var isBeyondInteger: Bool {
    switch kind {
    case .unsigned: true
    case .number: number.map { $0.magnitude >= 0x1p63 } ?? false
    case .text: bytes.count <= Self.longestNumber && Moments.areDigits(bytes) && wholeNumber == nil
    default: false
    }
  }

  /// The maximum length of a text that is read as a number.
  private static let longestNumber = 400

  /// Describes why the cell is left empty: its timestamp or integer is out of range; `nil`
  /// otherwise.
  @inline(__always) func emptiness(as type: ColumnType) -> String? {
    switch type {
    case .timestamp:
      guard !isNull, moment == nil, isMomentOutOfRange else { return nil }
      return "is outside 1677-09-21 to 2262-04-11: the cell stays empty"
    case .integer:
      guard kind != .signed, !isNull, wholeNumber == nil else { return nil }
      return "is beyond 64 bits: the cell stays empty"
    default: return nil
    }
  }

  /// Appends the value as a cell of this type.
  ///
  /// A value out of range becomes an empty cell.
  ///
  /// - Precondition: `fault(as:)` returns `nil`.
  @inline(__always) func append(as type: ColumnType, to changes: inout Changeset) {
    if isNull { return changes.appendNull() }
    switch type {
    case .number: changes.append(number: number!)
    case .text: changes.append(text: bytes)
    case .image: changes.append(image: bytes)
    case .integer: if let wholeNumber { changes.append(integer: wholeNumber) } else { changes.appendNull() }
    case .boolean: changes.append(boolean: boolean!)
    case .timestamp: if let moment { changes.append(timestamp: moment) } else { changes.appendNull() }
    case .series: changes.append(.series(items.map { $0.number ?? .nan }))
    }
  }

  /// Returns the value as a cell of this type; `nil` when it does not fit.
  func cell(as type: ColumnType) -> Cell? {
    guard fault(as: type) == nil else { return nil }
    if isNull { return .null }
    return switch type {
    case .number: .number(number!)
    case .text: .text(text!)
    case .image: .image(text!)
    case .integer: wholeNumber.map { .integer($0) } ?? .null
    case .boolean: .boolean(boolean!)
    case .timestamp: moment.map { .timestamp($0) } ?? .null
    case .series: .series(items.map { $0.number ?? .nan })
    }
  }
}
