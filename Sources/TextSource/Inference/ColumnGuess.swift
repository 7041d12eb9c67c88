import ListEngine
import SourceRuntime

/// The inferred type of a column, based on the values seen so far.
enum ColumnGuess: Equatable {
  case nothing, booleans, wholeNumbers, greatWholeNumbers, numbers, shares, moments, dates, links, texts, series
  /// Timestamps out of range, such as 9999-12-31.
  ///
  /// Mixed with others they count as timestamps, alone as texts.
  case farMoments
  /// Numbers that may be seconds, milliseconds and so on since 1970, if the name of the column
  /// agrees.
  case epochs(isWhole: Bool)
  /// Sizes with a unit, and whole numbers among them.
  case sizes
  case durations
  /// `1:02:03`, a time of day if the name of the column is one.
  case clocks
  /// `10:23`, a duration if the name of the column is one.
  case shortClocks
  /// Numbers with separators of thousands.
  case grouped
  /// Amounts of one currency with two decimals or none.
  case money(String)
  /// Numbers with the same unit.
  case amounts(String)

  /// Classifies one value.
  ///
  /// `isTextual`: whether texts are parsed as other types, as in CSV, where every value is a text.
  init(_ value: UntypedValue, isTextual: Bool) {
    switch value {
    case .null: self = .nothing
    case .boolean: self = .booleans
    case .integer(let value):
      self =
        Self.isEpoch(Double(value))
        ? .epochs(isWhole: true) : value.magnitude > 1 << 53 ? .greatWholeNumbers : .wholeNumbers
    case .number(let value): self = Self.isEpoch(value) ? .epochs(isWhole: false) : .numbers
    case .series: self = .series
    case .other, .great: self = .texts
    case .text(let text):
      let read = isTextual ? UntypedValue(reading: text) : value
      if case .text = read {
        self = Self.moment(text) ?? (Self.isLink(text) ? .links : isTextual ? Self.quantity(text) : .texts)
      } else {
        self.init(read, isTextual: false)
      }
    }
  }

  /// Classifies a text that is neither a number nor a time.
  private static func quantity(_ text: String) -> ColumnGuess {
    if UntypedValue.share(text) != nil { return .shares }
    if TextQuantity.placeholders.contains(text) { return .nothing }
    guard let first = text.first, first.isNumber || "-+$€£¥₹₽₩".contains(first) else { return .texts }
    if TextQuantity.bytes(text) != nil { return .sizes }
    if let (_, form) = TextQuantity.duration(text) {
      return switch form {
      case .units: .durations
      case .clock: .clocks
      case .minutesOrHours: .shortClocks
      }
    }
    if TextQuantity.grouped(text) != nil { return .grouped }
    guard let (_, unit) = TextQuantity.amount(text) else { return .texts }
    return TextQuantity.isMoney(text) ? .money(unit) : .amounts(unit)
  }

  /// Adds a value to the guess.
  mutating func take(_ value: UntypedValue, isTextual: Bool) {
    self = Self.joined(self, ColumnGuess(value, isTextual: isTextual))
  }

  private static func joined(_ previous: ColumnGuess, _ next: ColumnGuess) -> ColumnGuess {
    switch (previous, next) {
    case (_, .nothing): previous
    case (.nothing, _): next
    case _ where previous == next: previous
    case (.epochs, .epochs): .epochs(isWhole: false)
    case (.epochs(let isWhole), _): joined(isWhole ? .wholeNumbers : .numbers, next)
    case (_, .epochs(let isWhole)): joined(previous, isWhole ? .wholeNumbers : .numbers)
    case (.wholeNumbers, .greatWholeNumbers), (.greatWholeNumbers, .wholeNumbers): .greatWholeNumbers
    case (.moments, .farMoments), (.farMoments, .moments), (.moments, .dates), (.dates, .moments): .moments
    case (.wholeNumbers, .numbers), (.numbers, .wholeNumbers): .numbers
    case (.wholeNumbers, .sizes), (.sizes, .wholeNumbers): .sizes
    case (.wholeNumbers, .grouped), (.grouped, .wholeNumbers), (.numbers, .grouped), (.grouped, .numbers): .grouped
    case (.clocks, .shortClocks), (.shortClocks, .clocks): .shortClocks
    case (.durations, .clocks), (.clocks, .durations), (.durations, .shortClocks), (.shortClocks, .durations):
      .durations
    case (.money(let one), .amounts(let other)) where one == other: next
    case (.amounts(let one), .money(let other)) where one == other: previous
    default: .texts  // also for large integers mixed with fractions, which no type holds exactly
    }
  }

  /// Whether all values are whole numbers, which can be integer keys.
  var isWhole: Bool {
    switch self {
    case .wholeNumbers, .greatWholeNumbers, .epochs(isWhole: true): true
    default: false
    }
  }

  /// Whether the values are texts that could identify a row.
  var isText: Bool { self == .texts || self == .links }

  /// Returns the column of the inferred type.
  func column(_ name: String) -> Column {
    switch self {
    case .nothing, .texts, .farMoments: Column(name, .text)
    case .links: Column(name, .text, style: .link)
    case .booleans: Column(name, .boolean)
    case .epochs where Self.namesTime(name): Column(name, .timestamp)
    // A year, a port or a process ID is as likely as an amount, so digits are not grouped.
    case .wholeNumbers, .epochs(isWhole: true): Column(name, .number, format: .plain())
    case .numbers, .epochs: Column(name, .number)
    case .shares: Column(name, .number, style: .bar, unit: "%")
    case .greatWholeNumbers: Column(name, .integer, format: .plain())
    case .moments: Column(name, .timestamp)
    case .dates: Column(name, .timestamp, format: .date)
    case .series: Column(name, .series)
    case .sizes: Column(name, .number, style: .bytes)
    // Kubernetes prints thousandths of processors.
    case .durations where Self.words(name).contains("cpu"): Column(name, .number, unit: "m")
    case .durations: Column(name, .number, style: .duration)
    // Without a name from the output, a time of day is as likely.
    case .clocks where name.hasPrefix("column "): Column(name, .text)
    case .clocks: Self.namesTimeOfDay(name) ? Column(name, .text) : Column(name, .number, style: .duration)
    case .shortClocks: Self.namesDuration(name) ? Column(name, .number, style: .duration) : Column(name, .text)
    case .grouped: Column(name, .number, format: .grouped())
    case .money(let unit): Column(name, .number, unit: unit, format: .grouped(decimals: 2))
    case .amounts(let unit): Column(name, .number, unit: unit)
    }
  }

  // MARK: Names

  /// Returns whether a number could be the time since 1970, between 2001 and 2100.
  private static func isEpoch(_ value: Double) -> Bool {
    [1e9, 1e12, 1e15, 1e18].contains { value >= $0 && value < $0 * 4.1 }
  }

  private static func words(_ name: String) -> [String] {
    // `createdAt` has two words.
    var words = [""]
    var previous: Character = " "
    for character in name {
      if !character.isLetter && !character.isNumber {
        words.append("")
      } else {
        if character.isUppercase, previous.isLowercase { words.append("") }
        words[words.count - 1].append(character)
      }
      previous = character
    }
    return words.map { $0.lowercased() }
  }

  private static func namesTime(_ name: String) -> Bool {
    let words = words(name)
    return words.contains { word in
      [
        "time", "timestamp", "ts", "date", "epoch", "at", "created", "updated", "modified", "expires", "mtime", "ctime",
        "atime", "started", "finished", "when", "since", "until", "seen",
      ].contains(word) || word.hasSuffix("timestamp")
    }
  }

  private static func namesTimeOfDay(_ name: String) -> Bool {
    if name == "TIME" || name == "TIME+" { return false }
    return words(name).contains { word in
      [
        "time", "start", "started", "stime", "clock", "at", "login", "when", "begin", "end", "created", "date", "since",
        "timestamp", "line",
      ].contains(word)
    }
  }

  private static func namesDuration(_ name: String) -> Bool {
    if name == "TIME" || name == "TIME+" { return true }
    return words(name).contains { word in
      [
        "elapsed", "etime", "etimes", "duration", "uptime", "age", "cputime", "runtime", "length", "took", "latency",
        "idle", "jcpu", "pcpu", "elapsedtime", "cumtime", "lap",
      ].contains(word)
    }
  }

  /// Classifies a timestamp text; `nil` for other texts.
  private static func moment(_ text: String) -> ColumnGuess? {
    var text = text
    let exact = text.withUTF8 { bytes -> ColumnGuess? in
      switch Moments.reading(rfc3339: UnsafeRawBufferPointer(bytes)) {
      case .outOfRange: .farMoments
      case .exact: .moments
      case nil: nil
      }
    }
    return exact ?? TextMoment(text).map { $0.isDate ? .dates : .moments }
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
    guard text.utf8.count <= 40, isDigit(last), isDigit(first) || first == 0x2D || first == 0x2E || first == 0x2B else {
      return
    }
    // `+1.5` is a number, while `+49170` may be a telephone number.
    guard first != 0x2B || text.utf8.contains(0x2E) else { return }
    let digits = first == 0x2D || first == 0x2B ? text.dropFirst() : Substring(text)
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

  /// Returns the number in `45%` or `45 %`.
  static func share(_ text: String) -> Double? {
    guard text.utf8.last == 0x25 else { return nil }
    let digits = text.dropLast()
    return switch UntypedValue(reading: String(digits.last == " " ? digits.dropLast() : digits)) {
    case .integer(let value): Double(exactly: value)
    case .number(let value): value
    default: nil
    }
  }
}
