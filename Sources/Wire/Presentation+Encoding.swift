import ListEngine

/// Encoding of columns and presentations, in the form that ``PresentationDecoding`` and the readers
/// of schemas decode.
extension JSONWriter {
  /// Appends a column of a table.
  ///
  /// - Parameter isForHost: Whether to include what a plugin's host needs and clients do not.
  package mutating func column(_ column: Column, isForHost: Bool = false) {
    raw("{\"name\":")
    text(column.name)
    raw(",\"title\":")
    text(column.title)
    member(",\"type\":", column.type.rawValue)
    member(",\"style\":", column.style.rawValue)
    raw(",\"unit\":")
    text(column.unit)
    raw(",\"width\":")
    integer(column.width)
    member(",\"align\":", column.alignment.rawValue)
    if column.collation != .codeUnit { member(",\"collation\":", column.collation.name) }
    member(",\"format\":", column.format?.text)
    member(",\"better\":", column.better?.rawValue)
    member(",\"audience\":", column.audience?.rawValue)
    if let presentation = column.presentation {
      member(",\"description\":", presentation.description)
      rule(",\"warn\":", presentation.warning)
      rule(",\"critical\":", presentation.critical)
    }
    if isForHost, column.isDeferred { raw(",\"deferred\":true") }
    byte("}")
  }

  /// Appends the members of a schema's presentation to an object that has members already.
  package mutating func presentation(of schema: Schema) {
    guard let presentation = schema.presentation else { return }
    member(",\"description\":", presentation.description)
    member(",\"icon\":", presentation.icon)
    member(",\"severity\":", presentation.severity)
    if presentation.view != DefaultView() {
      raw(",\"view\":")
      view(presentation.view)
    }
  }

  private mutating func rule(_ head: StaticString, _ rule: SeverityRule?) {
    guard let rule else { return }
    raw(head)
    switch rule {
    case .threshold(let number): self.number(number)
    case .values(let values): list(values) { $0.exactCell($1) }
    }
  }

  private mutating func view(_ view: DefaultView) {
    raw("{\"sort\":")
    list(view.sort) { writer, term in
      writer.raw("{\"column\":")
      writer.text(term.column)
      writer.raw(term.isDescending ? ",\"descending\":true}" : ",\"descending\":false}")
    }
    if let filter = view.filter {
      raw(",\"filter\":")
      self.filter(filter) { $0 }
    }
    member(",\"group\":", view.group)
    if !view.aggregates.isEmpty {
      raw(",\"aggregates\":")
      list(view.aggregates) { writer, aggregate in
        writer.raw("{\"function\":")
        writer.text(aggregate.function.rawValue)
        writer.member(",\"column\":", aggregate.column)
        writer.byte("}")
      }
    }
    member(",\"order\":", view.order)
    member(",\"hidden\":", view.hidden)
    member(",\"pinned\":", view.pinned)
    if !view.tiles.isEmpty {
      raw(",\"tiles\":")
      list(view.tiles) { $0.tile($1) }
    }
    byte("}")
  }

  private mutating func tile(_ tile: TileRequest) {
    raw("{\"function\":")
    text(tile.aggregate?.function.rawValue ?? "count")
    member(",\"column\":", tile.aggregate?.column)
    if let filter = tile.filter {
      raw(",\"filter\":")
      self.filter(filter) { $0 }
    }
    member(",\"title\":", tile.title)
    byte("}")
  }

  /// Appends a text member, unless it is missing or empty.
  private mutating func member(_ head: StaticString, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    raw(head)
    self.text(text)
  }

  /// Appends a list of texts as a member, unless it is empty.
  private mutating func member(_ head: StaticString, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    raw(head)
    self.texts(texts)
  }
}
