/// A resolver of clients' filters for a table.
///
/// It replaces column names by numbers and converts values to the types of their columns. The
/// result is normalized, so that more of the equivalent filters share a view.
struct FilterResolver {
  private let schema: Schema
  private let limits: Limits
  private var terms = 0
  /// The path of the term being resolved; after an error, of the term at fault.
  private(set) var place = ""

  init(_ schema: Schema, limits: Limits) {
    self.schema = schema
    self.limits = limits
  }

  /// Resolves a filter.
  ///
  /// - Parameters:
  ///   - place: The path of the filter in its message, for error messages.
  ///   - depth: The number of enclosing filters.
  /// - Throws: ``ClientError`` with the path, and with the column if a value does not fit it.
  mutating func resolve(
    _ filter: Filter<String>, place: String = "query.filter", depth: Int = 0
  ) throws(ClientError) -> Filter<Int> {
    self.place = place
    guard depth <= limits.filterDepth else {
      throw .tooLong("\(place) is nested more than \(limits.filterDepth) deep")
    }
    terms += 1
    guard terms <= limits.filterTerms else {
      throw .tooLong("query.filter has more than \(limits.filterTerms) terms")
    }
    switch filter {
    case .all(let parts):
      let parts = try resolve(parts, place: "\(place).all", depth: depth)
      return parts.count == 1 ? parts[0] : .all(parts)
    case .any(let parts):
      let parts = try resolve(parts, place: "\(place).any", depth: depth)
      return parts.count == 1 ? parts[0] : .any(parts)
    case .not(let part):
      return .not(try resolve(part, place: "\(place).not", depth: depth + 1))
    case .compare(let name, let comparison, let value):
      let number = try number(name)
      return .compare(number, comparison, try self.value(value, for: number, place: "\(place).value"))
    case .range(let name, let from, let through):
      let number = try number(name)
      guard from != nil || through != nil else { throw .unreadableMessage("\(place) needs from or through") }
      return .range(
        number, from: try bound(from, for: number, place: "\(place).from"),
        through: try bound(through, for: number, place: "\(place).through"))
    case .contains(let name, let text):
      return .contains(try textNumber(name, place), ExactText(try short(text.string, "\(place).value").lowercased()))
    case .startsWith(let name, let text):
      return .startsWith(try textNumber(name, place), ExactText(try short(text.string, "\(place).value").lowercased()))
    case .matches(let name, let text, let ignoringCase):
      let number = try textNumber(name, place)
      try checkPattern(try short(text.string, "\(place).value"), place: "\(place).value")
      return .matches(number, text, ignoringCase: ignoringCase)
    case .oneOf(let name, let values):
      let number = try number(name)
      guard values.count <= limits.filterValues else {
        throw .tooLong("\(place).values has more than \(limits.filterValues) entries")
      }
      var fitting: [Cell] = []
      for (index, value) in values.enumerated() {
        fitting.append(try self.value(value, for: number, place: "\(place).values[\(index)]"))
      }
      return .oneOf(number, Set(fitting).sorted(by: Cell.precedes))
    case .age(let name, let comparison, let duration):
      let number = try number(name)
      let column = schema.columns[number]
      guard column.type == .timestamp else {
        throw .unreadableMessage(
          "\(place) compares ages, but the column “\(name)” is of type \(column.type.rawValue): compare its values")
      }
      guard comparison != .equal, comparison != .notEqual else {
        throw .unreadableMessage("\(place) compares ages for equality: use <, <=, > or >=")
      }
      return .age(number, comparison, try value(duration, for: number, place: "\(place).value"))
    case .isEmpty(let name): return .isEmpty(try number(name))
    }
  }

  private mutating func resolve(
    _ parts: [Filter<String>], place: String, depth: Int
  ) throws(ClientError) -> [Filter<Int>] {
    var resolved: [Filter<Int>] = []
    for (index, part) in parts.enumerated() {
      resolved.append(try resolve(part, place: "\(place)[\(index)]", depth: depth + 1))
    }
    return resolved
  }

  // MARK: Columns

  private func number(_ name: String) throws(ClientError) -> Int {
    guard let number = schema.index(of: name) else { throw .unknownColumn(table: schema.name, column: name) }
    return number
  }

  private func textNumber(_ name: String, _ place: String) throws(ClientError) -> Int {
    let number = try number(name)
    guard schema.columns[number].type == .text else {
      throw .unreadableMessage(
        "\(place) looks into texts, but the column “\(name)” is of type \(schema.columns[number].type.rawValue)")
    }
    return number
  }

  // MARK: Values

  private func short(_ text: String, _ place: String) throws(ClientError) -> String {
    // Count bytes first, in O(1): a text has at most as many scalars as bytes.
    guard text.utf8.count <= limits.filterText || text.unicodeScalars.count <= limits.filterText else {
      throw .tooLong("\(place) has more than \(limits.filterText) characters")
    }
    return text
  }

  private func checkPattern(_ text: String, place: String) throws(ClientError) {
    do throws(Pattern.Problem) {
      _ = try Pattern(text, ignoringCase: false)
    } catch {
      throw .unreadableMessage("\(place) is not a regular expression: \(error.what) at character \(error.character)")
    }
  }

  private func bound(_ value: Cell?, for number: Int, place: String) throws(ClientError) -> Cell? {
    guard let value else { return nil }
    return try self.value(value, for: number, place: place)
  }

  /// Returns the value converted to the column's type.
  private func value(_ value: Cell, for number: Int, place: String) throws(ClientError) -> Cell {
    let column = schema.columns[number]
    func mustBe(_ wanted: String) -> ClientError {
      .unreadableMessage("\(place) must be \(wanted): the column “\(column.name)” is of type \(column.type.rawValue)")
    }
    let tooGreat = ClientError.outOfRange("\(place) is beyond what the column “\(column.name)” can hold")
    switch (column.type, value) {
    case (.integer, .integer), (.boolean, .boolean), (.timestamp, .timestamp): return value
    case (.integer, .number(let number)):
      guard let whole = Written.whole(number) else { throw tooGreat }
      guard Double(whole) == number else { throw mustBe("a whole number") }
      return .integer(whole)
    case (.integer, .text(let text)):
      guard let whole = Int64(text) else { throw Written.isDecimal(text) ? tooGreat : mustBe("a whole number") }
      return .integer(whole)
    case (.integer, _): throw mustBe("a whole number")
    case (.number, .integer(let whole)): return .number(Double(whole))
    case (.number, .number(let number)):
      guard number.isFinite else { throw tooGreat }
      return .number(number == 0 ? 0 : number)
    case (.number, _): throw mustBe("a number")
    case (.text, .text(let text)): return .text(try short(text, place))
    case (.text, _): throw mustBe("a text")
    case (.boolean, _): throw mustBe("true or false")
    case (.timestamp, .integer), (.timestamp, .number), (.timestamp, .text):
      guard let nanoseconds = Written.nanoseconds(value) else {
        if case .text(let text) = value, !Written.isDecimal(text, fractionDigits: 6) {
          throw mustBe("a number of milliseconds")
        }
        throw tooGreat
      }
      return .timestamp(nanoseconds)
    case (.timestamp, _): throw mustBe("a number of milliseconds")
    case (.image, _), (.series, _):
      let type = column.type.rawValue
      throw .unreadableMessage(
        "\(place) cannot be compared: the column “\(column.name)” is of type \(type), and can only be isEmpty")
    }
  }
}
