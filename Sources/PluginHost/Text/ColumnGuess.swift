import ListEngine

/// The inferred type of a column, based on the values seen so far.
enum ColumnGuess {
  case nothing, booleans, wholeNumbers, greatWholeNumbers, numbers, shares, moments, links, texts, series
  /// Timestamps out of range, such as 9999-12-31.
  ///
  /// Mixed with others they count as timestamps, alone as texts.
  case farMoments

  /// Classifies one value.
  ///
  /// `isTextual`: whether texts are parsed as other types, as in CSV, where every value is a text.
  init(_ value: UntypedValue, isTextual: Bool) {
    switch value {
    case .null: self = .nothing
    case .boolean: self = .booleans
    case .integer(let value): self = value.magnitude > 1 << 53 ? .greatWholeNumbers : .wholeNumbers
    case .number: self = .numbers
    case .series: self = .series
    case .other, .great: self = .texts
    case .text(let text):
      let read = isTextual ? UntypedValue(reading: text) : value
      if case .text = read {
        self =
          Self.moment(text)
          ?? (Self.isLink(text) ? .links : isTextual && UntypedValue.share(text) != nil ? .shares : .texts)
      } else {
        self.init(read, isTextual: false)
      }
    }
  }

  /// Adds a value to the guess.
  mutating func take(_ value: UntypedValue, isTextual: Bool) {
    let next = ColumnGuess(value, isTextual: isTextual)
    switch (self, next) {
    case (_, .nothing): break
    case (.nothing, _): self = next
    case _ where self == next: break
    case (.wholeNumbers, .greatWholeNumbers), (.greatWholeNumbers, .wholeNumbers): self = .greatWholeNumbers
    case (.moments, .farMoments), (.farMoments, .moments): self = .moments
    case (.wholeNumbers, .numbers), (.numbers, .wholeNumbers): self = .numbers
    default: self = .texts  // also for large integers mixed with fractions, which no type holds exactly
    }
  }

  /// Returns the column of the inferred type.
  func column(_ name: String) -> Column {
    switch self {
    case .nothing, .texts, .farMoments: Column(name, .text)
    case .links: Column(name, .text, style: .link)
    case .booleans: Column(name, .boolean)
    // A year, a port or a process ID is as likely as an amount, so digits are not grouped.
    case .wholeNumbers: Column(name, .number, format: .plain())
    case .numbers: Column(name, .number)
    case .shares: Column(name, .number, style: .bar, unit: "%")
    case .greatWholeNumbers: Column(name, .integer, format: .plain())
    case .moments: Column(name, .timestamp)
    case .series: Column(name, .series)
    }
  }

  /// Classifies a timestamp text; `nil` for other texts.
  private static func moment(_ text: String) -> ColumnGuess? {
    var text = text
    return text.withUTF8 { bytes in
      switch Moments.reading(rfc3339: UnsafeRawBufferPointer(bytes)) {
      case .outOfRange: .farMoments
      case .exact: .moments
      case nil: nil
      }
    }
  }

  private static func isLink(_ text: String) -> Bool { text.hasPrefix("https://") || text.hasPrefix("http://") }
}

extension UntypedValue {
  /// Parses a text as a number, a boolean or an empty value, or keeps it as a text.
  ///
  /// `007` is a text.
  init(reading text: String) {
    guard let first = text.utf8.first, let last = text.utf8.last else {
      self = .null
      return
    }
    if text == "true" || text == "false" {
      self = .boolean(text == "true")
      return
    }
    self = .text(text)
    let isDigit = { (byte: UInt8) in byte >= 0x30 && byte <= 0x39 }
    guard text.utf8.count <= 40, isDigit(last), isDigit(first) || first == 0x2D || first == 0x2E else { return }
    let digits = first == 0x2D ? text.dropFirst() : Substring(text)
    guard !(digits.utf8.first == 0x30 && digits.utf8.dropFirst().first.map(isDigit) ?? false) else { return }
    // Reject forms that only Swift accepts, such as hexadecimal numbers and infinity.
    guard digits.utf8.allSatisfy({ isDigit($0) || [0x2E, 0x65, 0x45, 0x2D, 0x2B].contains($0) }) else { return }
    if let whole = Int64(text) {
      self = .integer(whole)
    } else if digits.utf8.allSatisfy(isDigit) {
      self = .great(text)
    } else if let number = Double(text), number.isFinite {
      self = .number(number)
    }
  }

  /// Returns the number in `45%`.
  static func share(_ text: String) -> Double? {
    guard text.utf8.last == 0x25 else { return nil }
    return switch UntypedValue(reading: String(text.dropLast())) {
    case .integer(let value): Double(exactly: value)
    case .number(let value): value
    default: nil
    }
  }
}
