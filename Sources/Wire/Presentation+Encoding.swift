import ListEngine

/// Encoding of columns and presentations, in the form that ``PresentationDecoding`` and the readers
/// of schemas decode.
extension JSONWriter {
  /// Appends a column of a table.
  ///
  /// - Parameter isForHost: Whether to include what a plugin's host needs and clients do not.
  package mutating func column(_ column: Column, isForHost: Bool = false) {
    beginObject()
    member("name", column.name)
    member("title", column.title)
    member("type", unlessEmpty: column.type.rawValue)
    member("style", unlessEmpty: column.style.rawValue)
    member("unit", column.unit)
    member("width", column.width)
    member("align", unlessEmpty: column.alignment.rawValue)
    if column.collation != .codeUnit { member("collation", unlessEmpty: column.collation.name) }
    member("format", unlessEmpty: column.format?.text)
    member("better", unlessEmpty: column.better?.rawValue)
    member("audience", unlessEmpty: column.audience?.rawValue)
    if let presentation = column.presentation {
      member("description", unlessEmpty: presentation.description)
      rule("warn", presentation.warning)
      rule("critical", presentation.critical)
      if isForHost, let history = presentation.history { member("history", history) }
    }
    switch column.derivation {
    case nil: break
    case .history(let name, _): member("historyOf", name)
    case .changeTime: member("isChangeTime", true)
    }
    if isForHost, column.isDeferred { member("deferred", true) }
    endObject()
  }

  /// Appends the members of a schema's presentation to an object that has members already.
  ///
  /// - Parameter isForHost: Whether to include what a plugin's host needs and clients do not.
  package mutating func presentation(of schema: Schema, isForHost: Bool = false) {
    guard let presentation = schema.presentation else { return }
    if isForHost { member("changed", unlessEmpty: presentation.changed) }
    member("newest", unlessEmpty: presentation.newest?.rawValue)
    member("description", unlessEmpty: presentation.description)
    member("icon", unlessEmpty: presentation.icon)
    member("severity", unlessEmpty: presentation.severity)
    if presentation.view != DefaultView() {
      name("view")
      view(presentation.view)
    }
  }

  private mutating func rule(_ name: StaticString, _ rule: SeverityRule?) {
    guard let rule else { return }
    self.name(name)
    switch rule {
    case .threshold(let number): self.number(number)
    case .values(let values): list(values) { $0.exactCell($1) }
    }
  }

  private mutating func view(_ view: DefaultView) {
    beginObject()
    member("sort", view.sort) { writer, term in
      writer.object {
        $0.member("column", term.column)
        $0.member("descending", term.isDescending)
      }
    }
    if let filter = view.filter {
      name("filter")
      self.filter(filter) { $0 }
    }
    member("where", unlessEmpty: view.text)
    member("group", unlessEmpty: view.group)
    if !view.ranges.isEmpty {
      member("ranges", view.ranges) { writer, grouping in
        writer.object {
          $0.member("column", grouping.column)
          switch grouping.ranges {
          case .width(let width):
            $0.name("width")
            $0.exactCell(width)
          case .unit(let unit, _): $0.member("unit", unit.rawValue)
          case nil: break
          }
        }
      }
    }
    if !view.aggregates.isEmpty {
      member("aggregates", view.aggregates) { writer, aggregate in
        writer.object {
          $0.member("function", aggregate.function.rawValue)
          $0.member("column", unlessEmpty: aggregate.column)
        }
      }
    }
    member("order", unlessEmpty: view.order)
    member("hidden", unlessEmpty: view.hidden)
    member("pinned", unlessEmpty: view.pinned)
    if !view.tiles.isEmpty { member("tiles", view.tiles) { $0.tile($1) } }
    endObject()
  }

  private mutating func tile(_ tile: TileRequest) {
    object {
      $0.member("function", tile.aggregate?.function.rawValue ?? "count")
      $0.member("column", unlessEmpty: tile.aggregate?.column)
      if let filter = tile.filter {
        $0.name("filter")
        $0.filter(filter) { $0 }
      }
      $0.member("title", unlessEmpty: tile.title)
    }
  }
}
