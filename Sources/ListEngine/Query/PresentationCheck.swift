extension Schema {
  /// Checks the columns' formats and directions, the label column, the severity rules, the severity
  /// of rows and the default view.
  ///
  /// - Throws: ``SchemaError`` for the first part that does not suit the columns.
  /// - Complexity: O(columns + terms), times O(columns) for each column that is named.
  public func checkPresentation() throws(SchemaError) {
    try checkFormats()
    for (index, column) in columns.enumerated() {
      guard let presentation = column.presentation else { continue }
      for (level, rule) in [("warn", presentation.warning), ("critical", presentation.critical)] {
        guard let rule else { continue }
        let place = "columns[\(index)].\(level)"
        switch rule {
        case .threshold(let number):
          guard column.type == .integer || column.type == .number, number.isFinite else {
            throw .badPresentation(
              place,
              reason: "“\(column.name)” is of type \(column.type.rawValue): list the values instead of a threshold")
          }
        case .values(let values):
          try check(.oneOf(column.name, values), place)
        }
      }
      if let history = presentation.history { try check(history: history, of: column, index) }
    }
    guard let presentation else { return }
    if let changed = presentation.changed { try checkFree(changed, "changed") }
    guard presentation.icon.utf8.count <= 32 else {
      throw .badPresentation("icon", reason: "at most 32 bytes are allowed")
    }
    if let severity = presentation.severity {
      let column = try column(severity, "severity").presentation
      guard column?.warning != nil || column?.critical != nil else {
        throw .badPresentation(
          "severity", reason: "the column “\(severity)” has no levels: give it “warn” or “critical”")
      }
    }
    let limits = Limits()
    let view = presentation.view
    try check(view.sort.count, limits.sortTerms, "view.sort")
    try check(view.group.count, limits.groups, "view.group")
    try check(view.aggregates.count, limits.aggregates, "view.aggregates")
    for (index, aggregate) in view.aggregates.enumerated() { try check(aggregate, "view.aggregates[\(index)]") }
    for (part, names) in [
      ("sort", view.sort.map(\.column)), ("group", view.group), ("order", view.order), ("hidden", view.hidden),
      ("pinned", view.pinned),
    ] {
      var seen: Set<String> = []
      for (index, name) in names.enumerated() {
        _ = try column(name, "view.\(part)[\(index)]")
        guard seen.insert(name).inserted else {
          throw .badPresentation("view.\(part)[\(index)]", reason: "“\(name)” is named twice: name it once")
        }
      }
    }
    try checkRanges(of: view)
    if let filter = view.filter { try check(filter, "view.filter") }
    try check(view.tiles.count, Self.greatestTileCount, "view.tiles")
    for (index, tile) in view.tiles.enumerated() {
      if let aggregate = tile.aggregate {
        try check(aggregate, "view.tiles[\(index)]")
        guard !aggregate.function.needsOrder else {
          throw .badPresentation(
            "view.tiles[\(index)]", reason: "a tile has no \(aggregate.function.words): use another function")
        }
      }
      if let filter = tile.filter { try check(filter, "view.tiles[\(index)].filter") }
    }
    if let fault = textFault { throw .badPresentation("view.where", reason: fault) }
    guard view.hidden.count < columns.count else {
      throw .badPresentation("view.hidden", reason: "at least one column must stay visible")
    }
  }

  private func checkRanges(of view: DefaultView) throws(SchemaError) {
    for (index, grouping) in view.ranges.enumerated() {
      let place = "view.ranges[\(index)]"
      let column = try column(grouping.column, place)
      guard view.group.contains(grouping.column) else {
        throw .badPresentation(place, reason: "the view does not group by “\(column.name)”: name a column of “group”")
      }
      guard !view.ranges[..<index].contains(where: { $0.column == grouping.column }) else {
        throw .badPresentation(place, reason: "“\(column.name)” is named twice: name it once")
      }
      guard let ranges = grouping.ranges else {
        throw .badPresentation(place, reason: "add “width” for numbers, or “unit” for times")
      }
      do throws(ClientError) { _ = try ranges.resolved(for: column, at: "ranges[\(index)]") } catch {
        throw .badPresentation("view", reason: error.reason)
      }
    }
  }

  /// Throws if the source has a column with the name of one that the server adds.
  private func checkFree(_ name: String, _ place: String) throws(SchemaError) {
    guard let number = index(of: name), number < givenColumnCount else { return }
    throw .badPresentation(place, reason: "“\(name)” is a column of the source: rename one of them")
  }

  private func check(history: Int, of column: Column, _ index: Int) throws(SchemaError) {
    let place = "columns[\(index)].history"
    try checkFree(Self.historyName(column.name), place)
    guard Self.historyLengths.contains(history) else {
      let (least, most) = (Self.historyLengths.lowerBound, Self.historyLengths.upperBound)
      throw .badPresentation(place, reason: "a history has \(least) to \(most) values, not \(history)")
    }
    guard column.type == .integer || column.type == .number, !column.isDeferred, windowed == nil else {
      throw .badPresentation(
        place,
        reason:
          "“\(column.name)” must be a column of integers or numbers, not deferred, in a table whose rows the server has"
      )
    }
  }

  /// The maximum number of tiles in a default view.
  ///
  /// It is less than ``Limits/tilesPerSession``, because clients add the counts of the levels.
  static var greatestTileCount: Int { 6 }

  private func column(_ name: String, _ place: String) throws(SchemaError) -> Column {
    guard let number = index(of: name) else {
      throw .badPresentation(place, reason: "the table has no column “\(name.prefix(200))”: name one of its columns")
    }
    return columns[number]
  }

  private func check(_ count: Int, _ most: Int, _ place: String) throws(SchemaError) {
    guard count <= most else {
      throw .badPresentation(place, reason: "at most \(most) entries are allowed, not \(count)")
    }
  }

  private func check(_ aggregate: AggregateRequest, _ place: String) throws(SchemaError) {
    let column = try column(aggregate.column, place)
    guard aggregate.function.takes(column.type) else {
      throw .badPresentation(
        place,
        reason: "the column “\(column.name)” of type \(column.type.rawValue) has no \(aggregate.function.rawValue)")
    }
  }

  private func check(_ filter: Filter<String>, _ place: String) throws(SchemaError) {
    var resolver = FilterResolver(self, limits: Limits())
    do throws(ClientError) { _ = try resolver.resolve(filter, place: place) } catch {
      // Most reasons begin with the place, or with one inside it.
      throw .badPresentation(error.reason.hasPrefix(resolver.place) ? "" : resolver.place, reason: error.reason)
    }
  }
}
