import ListEngine

extension JSONWriter {
  /// Appends the members of `parsed`, without the closing brace.
  mutating func parsed(_ id: UInt64, _ reading: FilterReading) {
    raw("{\"type\":\"parsed\",\"id\":")
    unsigned(id)
    switch reading.result {
    case .success(let text):
      raw(",\"terms\":")
      list(text.terms) { writer, term in
        writer.raw("{\"from\":")
        writer.range(term.range)
        writer.raw(",\"cut\":[")
        writer.integer(term.cut.lowerBound)
        writer.byte(",")
        writer.integer(term.cut.upperBound)
        writer.raw("]}")
      }
      raw(",\"words\":")
      texts(text.words)
      if !text.search.isEmpty {
        raw(",\"search\":")
        self.text(text.search)
      }
      if let filter = text.filter {
        raw(",\"filter\":")
        self.filter(filter) { $0 }
      }
    case .failure(let fault):
      raw(",\"fault\":{\"from\":")
      range(fault.range)
      raw(",\"reason\":")
      text(fault.reason)
      byte("}")
    }
    if let completion = reading.completion {
      raw(",\"completion\":{\"from\":")
      range(completion.range)
      if let column = completion.column {
        raw(",\"column\":")
        text(column)
      }
      raw(",\"items\":")
      list(completion.items) { writer, item in
        writer.raw("{\"kind\":")
        writer.text(item.kind.rawValue)
        writer.raw(",\"text\":")
        writer.text(item.text)
        writer.raw(",\"detail\":")
        writer.text(item.detail)
        writer.byte("}")
      }
      byte("}")
    }
  }

  /// Appends the value of a member `from`, and a member `to`.
  private mutating func range(_ range: Range<Int>) {
    integer(range.lowerBound)
    raw(",\"to\":")
    integer(range.upperBound)
  }
}
