import ListEngine

/// A decoder of the members of schemas that explain a table: docs/plugins/programs.md describes
/// them.
///
/// The decoder checks the form. ``ListEngine/Schema/checkPresentation()`` checks that columns exist
/// and values fit them.
package enum PresentationDecoding {
  /// The members of a schema that belong to its presentation.
  package static let tableMembers = ["description", "icon", "severity", "view", "newest", "changed"]
  /// The members of a column that belong to its presentation.
  package static let columnMembers = ["description", "warn", "critical", "history"]

  private static let limits = Limits()
  private static let greatestDescription = 1_000
  private static let greatestTitle = 100

  /// Decodes the presentation of a table, or returns `nil` if the object has none of its members.
  package static func table(_ value: JSONValue) throws(ClientError) -> TablePresentation? {
    let members = try JSONMembers(value)
    guard tableMembers.contains(where: { members[$0] != nil }) else { return nil }
    var presentation = TablePresentation(
      description: try members.text("description", limit: greatestDescription) ?? "",
      icon: try members.text("icon", limit: ClientMessage.greatestName) ?? "",
      severity: try members.text("severity", limit: ClientMessage.greatestName))
    if let view = try members.object("view") { presentation.view = try self.view(view) }
    if let name = try members.text("newest", limit: ClientMessage.greatestName) {
      guard let newest = NewestEnd(rawValue: name) else { throw .outOfRange("newest must be “top” or “end”") }
      presentation.newest = newest
    }
    presentation.changed = try members.text("changed", limit: ClientMessage.greatestName)
    return presentation
  }

  /// Decodes the presentation of a column, or returns `nil` if the object has none of its members.
  ///
  /// - Parameter path: The location of the column, for error messages.
  package static func column(_ value: JSONValue, path: String) throws(ClientError) -> ColumnPresentation? {
    let members = try JSONMembers(value, path: path)
    guard columnMembers.contains(where: { members[$0] != nil }) else { return nil }
    return ColumnPresentation(
      description: try members.text("description", limit: greatestDescription) ?? "",
      warning: try rule(members, "warn"), critical: try rule(members, "critical"),
      history: try members.integer("history", in: 0...1_000_000).map(Int.init))
  }

  /// Decodes an aggregate.
  static func aggregate(_ term: JSONMembers) throws(ClientError) -> AggregateRequest {
    let name = try term.requiredText("function", limit: ClientMessage.greatestName)
    guard let function = Aggregate.Function(rawValue: name) else {
      let all = Aggregate.Function.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
      throw .outOfRange("\(term.fullName("function")) must be one of \(all)")
    }
    return AggregateRequest(function, of: try term.requiredText("column", limit: ClientMessage.greatestName))
  }

  /// Decodes a tile.
  static func tile(_ members: JSONMembers, _ limits: Limits) throws(ClientError) -> TileRequest {
    var tile = TileRequest(title: try members.text("title", limit: greatestTitle) ?? "")
    if try members.requiredText("function", limit: ClientMessage.greatestName) != "count" {
      do throws(ClientError) { tile.aggregate = try aggregate(members) } catch {
        guard case .outOfRange(let reason) = error else { throw error }
        throw .outOfRange("\(reason), or “count” for the number of rows")
      }
    }
    if let filter = members["filter"] {
      tile.filter = try FilterDecoding(limits, greatestName: ClientMessage.greatestName).filter(
        filter, path: members.fullName("filter"))
    }
    return tile
  }

  private static func view(_ members: JSONMembers) throws(ClientError) -> DefaultView {
    var view = DefaultView()
    for (index, term) in try members.list("sort", limit: limits.sortTerms).enumerated() {
      let term = try JSONMembers(term, path: "view.sort[\(index)]")
      view.sort.append(
        NamedSortTerm(
          try term.requiredText("column", limit: ClientMessage.greatestName),
          descending: try term.boolean("descending") ?? false))
    }
    if let filter = members["filter"] {
      view.filter = try FilterDecoding(limits, greatestName: ClientMessage.greatestName).filter(
        filter, path: "view.filter")
    }
    view.text = try members.text("where", limit: FilterText.greatestByteCount)
    view.group = try names(members, "group", limit: limits.groups)
    for (index, value) in try members.list("ranges", limit: limits.groups).enumerated() {
      var grouping = try GroupingRequest(decoding: value, path: "view.ranges[\(index)]")
      // Clients divide times at their own offset.
      if case .unit(let unit, _) = grouping.ranges { grouping.ranges = .unit(unit, offset: 0) }
      view.ranges.append(grouping)
    }
    for (index, term) in try members.list("aggregates", limit: limits.aggregates).enumerated() {
      view.aggregates.append(try aggregate(JSONMembers(term, path: "view.aggregates[\(index)]")))
    }
    view.order = try names(members, "order", limit: limits.columns)
    view.hidden = try names(members, "hidden", limit: limits.columns)
    view.pinned = try names(members, "pinned", limit: limits.columns)
    for (index, value) in try members.list("tiles", limit: limits.tilesPerSession).enumerated() {
      view.tiles.append(try tile(JSONMembers(value, path: "view.tiles[\(index)]"), limits))
    }
    return view
  }

  private static func names(_ members: JSONMembers, _ name: String, limit: Int) throws(ClientError) -> [String] {
    var names: [String] = []
    for (index, value) in try members.list(name, limit: limit).enumerated() {
      guard case .text(let text) = value else {
        throw .unreadableMessage("\(members.fullName(name))[\(index)] must be a text, not \(value.kind)")
      }
      names.append(text)
    }
    return names
  }

  private static func rule(_ members: JSONMembers, _ name: String) throws(ClientError) -> SeverityRule? {
    switch members[name] {
    case nil: return nil
    case .integer(let whole): return .threshold(Double(whole))
    case .number(let number): return .threshold(number)
    case .array(let items):
      guard items.count <= limits.filterValues else {
        throw .tooLong("\(members.fullName(name)) has more than \(limits.filterValues) entries")
      }
      var values: [Cell] = []
      for (index, item) in items.enumerated() {
        switch item {
        case .text(let text): values.append(.text(text))
        case .integer(let whole): values.append(.integer(whole))
        case .number(let number): values.append(.number(number))
        case .boolean(let flag): values.append(.boolean(flag))
        case .null, .array, .object:
          throw .unreadableMessage(
            "\(members.fullName(name))[\(index)] must be a number, a text or a boolean, not \(item.kind)")
        }
      }
      return .values(values)
    case let other?:
      throw .unreadableMessage("\(members.fullName(name)) must be a number or a list of values, not \(other.kind)")
    }
  }
}
