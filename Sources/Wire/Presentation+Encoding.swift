import ListEngine

/// Encoding of presentations, in the form that ``PresentationDecoding`` reads.
extension JSONWriter {
  /// Appends the members of a schema's presentation to an object that has members already.
  package mutating func presentation(of schema: Schema) {
    guard let presentation = schema.presentation else { return }
    if !presentation.description.isEmpty {
      raw(",\"description\":")
      text(presentation.description)
    }
    if !presentation.icon.isEmpty {
      raw(",\"icon\":")
      text(presentation.icon)
    }
    if presentation.view != DefaultView() {
      raw(",\"view\":")
      view(presentation.view)
    }
  }

  /// Appends the members of a column's presentation to an object that has members already.
  package mutating func presentation(of column: Column) {
    guard let presentation = column.presentation else { return }
    if !presentation.description.isEmpty {
      raw(",\"description\":")
      text(presentation.description)
    }
    if let warning = presentation.warning {
      raw(",\"warn\":")
      rule(warning)
    }
    if let critical = presentation.critical {
      raw(",\"critical\":")
      rule(critical)
    }
  }

  private mutating func rule(_ rule: SeverityRule) {
    switch rule {
    case .threshold(let number): self.number(number)
    case .values(let values): list(values) { $0.exactCell($1) }
    }
  }

  private mutating func view(_ view: DefaultView) {
    byte("{")
    raw("\"sort\":")
    list(view.sort) { writer, term in
      writer.raw("{\"column\":")
      writer.text(term.column)
      writer.raw(term.isDescending ? ",\"descending\":true}" : ",\"descending\":false}")
    }
    if let filter = view.filter {
      raw(",\"filter\":")
      self.filter(filter) { $0 }
    }
    if !view.group.isEmpty {
      raw(",\"group\":")
      texts(view.group)
    }
    if !view.aggregates.isEmpty {
      raw(",\"aggregates\":")
      list(view.aggregates) { writer, aggregate in
        writer.byte("{")
        writer.aggregate(aggregate)
        writer.byte("}")
      }
    }
    if !view.order.isEmpty {
      raw(",\"order\":")
      texts(view.order)
    }
    if !view.hidden.isEmpty {
      raw(",\"hidden\":")
      texts(view.hidden)
    }
    if !view.pinned.isEmpty {
      raw(",\"pinned\":")
      texts(view.pinned)
    }
    byte("}")
  }

  private mutating func aggregate(_ aggregate: AggregateRequest) {
    raw("\"function\":")
    text(aggregate.function.rawValue)
    raw(",\"column\":")
    text(aggregate.column)
  }
}
