import ListEngine

/// A decoder of the `filter` member of queries, described in docs/protocol.md, section 4.
///
/// The decoder does not know the table: the engine checks that columns exist and values fit them.
struct FilterDecoding {
  private let limits: Limits
  private let greatestName: Int

  init(_ limits: Limits, greatestName: Int) {
    self.limits = limits
    self.greatestName = greatestName
  }

  /// Decodes a filter.
  ///
  /// - Parameter path: The filter's location in its message, for error messages.
  /// - Complexity: O(*n*), where *n* is the number of terms. The JSON reader bounds the depth.
  func filter(_ value: JSONValue, path: String) throws(ClientError) -> Filter<String> {
    let members = try JSONMembers(value, path: path)
    let kinds = ["all", "any", "not", "column"].filter { members[$0] != nil }
    guard kinds.count == 1, let kind = kinds.first else {
      throw .unreadableMessage("\(path) must have one of all, any, not and column")
    }
    switch kind {
    case "all": return .all(try filters(members, "all"))
    case "any": return .any(try filters(members, "any"))
    case "not": return .not(try filter(members["not"] ?? .null, path: "\(path).not"))
    default: return try comparison(members)
    }
  }

  private func filters(_ members: JSONMembers, _ name: String) throws(ClientError) -> [Filter<String>] {
    var filters: [Filter<String>] = []
    for (index, part) in try members.list(name, limit: limits.filterTerms).enumerated() {
      filters.append(try filter(part, path: "\(members.fullName(name))[\(index)]"))
    }
    return filters
  }

  private func comparison(_ members: JSONMembers) throws(ClientError) -> Filter<String> {
    let column = try members.requiredText("column", limit: greatestName)
    let op = try members.requiredText("op", limit: greatestName)
    if let comparison = Comparison(rawValue: op) {
      return .compare(column, comparison, try required(members, "value"))
    }
    if op.hasPrefix("age"), let comparison = Comparison(rawValue: String(op.dropFirst(3))) {
      return .age(column, comparison, try required(members, "value"))
    }
    switch op {
    case "range": return .range(column, from: try cell(members, "from"), through: try cell(members, "through"))
    case "contains": return .contains(column, try text(members))
    case "startsWith": return .startsWith(column, try text(members))
    case "matches":
      return .matches(column, try text(members), ignoringCase: try members.boolean("ignoreCase") ?? false)
    case "oneOf":
      guard members["values"] != nil else { throw .unreadableMessage("\(members.fullName("values")) is missing") }
      var values: [Cell] = []
      for (index, value) in try members.list("values", limit: limits.filterValues).enumerated() {
        values.append(try cell(value, "\(members.fullName("values"))[\(index)]"))
      }
      return .oneOf(column, values)
    case "isEmpty": return .isEmpty(column)
    default: throw .unreadableMessage("\(members.fullName("op")) is “\(op.prefix(100))”, which is not an operator")
    }
  }

  // MARK: Values

  private func text(_ members: JSONMembers) throws(ClientError) -> ExactText {
    ExactText(try members.requiredText("value", limit: limits.filterText))
  }

  private func required(_ members: JSONMembers, _ name: String) throws(ClientError) -> Cell {
    guard let cell = try cell(members, name) else {
      throw .unreadableMessage("\(members.fullName(name)) is missing; isEmpty finds empty cells")
    }
    return cell
  }

  private func cell(_ members: JSONMembers, _ name: String) throws(ClientError) -> Cell? {
    guard let value = members[name] else { return nil }
    return try cell(value, members.fullName(name))
  }

  private func cell(_ value: JSONValue, _ place: String) throws(ClientError) -> Cell {
    switch value {
    case .integer(let whole): return .integer(whole)
    case .number(let number): return .number(number)
    case .boolean(let flag): return .boolean(flag)
    case .text(let text):
      guard text.utf8.count <= limits.filterText || text.unicodeScalars.count <= limits.filterText else {
        throw .tooLong("\(place) has more than \(limits.filterText) characters")
      }
      return .text(text)
    case .null, .array, .object:
      throw .unreadableMessage("\(place) must be a number, a text or a boolean, not \(value.kind)")
    }
  }
}
