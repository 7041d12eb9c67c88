import ListEngine

extension JSONWriter {
  /// Appends the members of `parsed`, without the closing brace.
  mutating func parsed(_ id: UInt64, _ reading: FilterReading) {
    beginObject()
    type("parsed")
    member("id", id)
    switch reading.result {
    case .success(let text):
      member("terms", text.terms) { writer, term in
        writer.object {
          $0.range(term.range)
          $0.member("cut", [term.cut.lowerBound, term.cut.upperBound]) { $0.integer($1) }
        }
      }
      member("words", text.words) { $0.text($1) }
      member("search", unlessEmpty: text.search)
      if let filter = text.filter {
        name("filter")
        self.filter(filter) { $0 }
      }
    case .failure(let fault):
      member("fault") {
        $0.range(fault.range)
        $0.member("reason", fault.reason)
      }
    }
    if let completion = reading.completion {
      member("completion") {
        $0.range(completion.range)
        if let column = completion.column { $0.member("column", column) }
        $0.member("items", completion.items) { writer, item in
          writer.object {
            $0.member("kind", item.kind.rawValue)
            $0.member("text", item.text)
            $0.member("detail", item.detail)
          }
        }
      }
    }
  }

  /// Appends the members `from` and `to`.
  private mutating func range(_ range: Range<Int>) {
    member("from", range.lowerBound)
    member("to", range.upperBound)
  }
}
