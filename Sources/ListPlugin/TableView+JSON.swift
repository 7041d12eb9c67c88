/// The document of the extension `view` in `list_plugin.h`.
extension Schema {
  /// The document, or nil if neither the table nor a column needs one.
  var viewDocument: String? {
    let explained = columns.filter { !$0.explanation.isEmpty }
    guard view != nil || !explained.isEmpty else { return nil }
    var members = view?.members ?? []
    if !explained.isEmpty {
      members.append(("columns", object(explained.map { ($0.name, object($0.explanation)) })))
    }
    return object(members)
  }
}

extension Column {
  fileprivate var explanation: [(String, String)] {
    var members: [(String, String)] = []
    if !description.isEmpty { members.append(("description", quoted(description))) }
    if let warning { members.append(("warn", warning.json)) }
    if let critical { members.append(("critical", critical.json)) }
    if let history { members.append(("history", "\(history)")) }
    return members
  }
}

extension TableView {
  fileprivate var members: [(String, String)] {
    var members: [(String, String)] = []
    if !description.isEmpty { members.append(("description", quoted(description))) }
    if !icon.isEmpty { members.append(("icon", quoted(icon))) }
    if let severity { members.append(("severity", quoted(severity))) }
    if let newest { members.append(("newest", quoted(newest.rawValue))) }
    if let changed { members.append(("changed", quoted(changed))) }
    var view = [("sort", list(sort.map(\.json)))]
    if let filter { view.append(("filter", filter.json)) }
    view.append(("group", list(group.map(quoted))))
    if !ranges.isEmpty { view.append(("ranges", list(ranges.map(\.json)))) }
    view.append(("aggregates", list(aggregates.map { object($0.members) })))
    view.append(("order", list(order.map(quoted))))
    view.append(("hidden", list(hidden.map(quoted))))
    view.append(("pinned", list(pinned.map(quoted))))
    if !tiles.isEmpty { view.append(("tiles", list(tiles.map { object($0.members) }))) }
    members.append(("view", object(view)))
    return members
  }
}

extension ColumnRanges {
  fileprivate var json: String {
    switch self {
    case .width(let width, let column):
      // A whole width is written without a fraction, as columns of integers need it.
      object([("column", quoted(column)), ("width", Int64(exactly: width).map { "\($0)" } ?? "\(width)")])
    case .unit(let unit, let column): object([("column", quoted(column)), ("unit", quoted(unit.rawValue))])
    }
  }
}

extension SortTerm {
  fileprivate var json: String {
    switch self {
    case .ascending(let column): object([("column", quoted(column))])
    case .descending(let column): object([("column", quoted(column)), ("descending", "true")])
    }
  }
}

extension Aggregate {
  fileprivate var members: [(String, String)] {
    [("function", quoted(function.rawValue)), ("column", quoted(column))]
  }
}

extension Tile {
  fileprivate var members: [(String, String)] {
    var members = aggregate?.members ?? [("function", quoted("count"))]
    if let filter { members.append(("filter", filter.json)) }
    if !title.isEmpty { members.append(("title", quoted(title))) }
    return members
  }
}

extension FilterValue {
  fileprivate var json: String {
    switch self {
    case .text(let text): quoted(text)
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .boolean(let flag): flag ? "true" : "false"
    }
  }
}

extension RowFilter {
  fileprivate var json: String {
    func term(_ column: String, _ op: String, _ rest: (String, String)...) -> String {
      object([("column", quoted(column)), ("op", quoted(op))] + rest)
    }
    switch self {
    case .all(let parts): return object([("all", list(parts.map(\.json)))])
    case .any(let parts): return object([("any", list(parts.map(\.json)))])
    case .not(let part): return object([("not", part.json)])
    case .isOne(let values, let column): return term(column, "oneOf", ("values", list(values.map(\.json))))
    case .atLeast(let value, let column): return term(column, "range", ("from", value.json))
    case .atMost(let value, let column): return term(column, "range", ("through", value.json))
    case .contains(let text, let column): return term(column, "contains", ("value", quoted(text)))
    case .isEmpty(let column): return term(column, "isEmpty")
    }
  }
}

extension SeverityRule {
  fileprivate var json: String {
    switch self {
    case .from(let number): "\(number)"
    case .values(let values): list(values.map(\.json))
    }
  }
}

private func list(_ items: [String]) -> String { "[\(items.joined(separator: ","))]" }

private func object(_ members: [(String, String)]) -> String {
  "{\(members.map { "\(quoted($0)):\($1)" }.joined(separator: ","))}"
}

private func quoted(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": quoted += "\\\(scalar)"
    case "\0"..." ":
      let digits = String(scalar.value, radix: 16)
      quoted += scalar == " " ? " " : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted + "\""
}
