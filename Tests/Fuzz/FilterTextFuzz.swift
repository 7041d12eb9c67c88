import ListEngine

/// Filters written as text: each is read or refused with a reason, and completed at each place.
enum FilterTextFuzz {
  private static let schema = Schema(
    name: "t", key: .integer,
    columns: [
      Column("pid", .integer), Column("cpu", .number, unit: "%", format: .grouped(decimals: 1)),
      Column("mem", .integer, style: .bytes), Column("time", .number, style: .duration), Column("at", .timestamp),
      Column("name", .text), Column("a b", .text), Column("active", .boolean), Column("icon", .image),
    ])

  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    let text = String(decoding: bytes, as: UTF8.self)
    let length = text.utf16.count
    do throws(FilterText.Fault) {
      let filter = try FilterText(text, schema: schema, zone: 90)
      for term in filter.terms {
        precondition(0...length ~= term.cut.upperBound && term.cut.contains(term.range.lowerBound), "a term outside")
      }
    } catch {
      precondition(!error.reason.isEmpty && error.range.upperBound <= length, "refused without a reason or place")
    }
    for place in Set([0, length / 2, length]) {
      guard let completion = FilterCompletion(text, at: place, schema: schema) else { continue }
      precondition(completion.range.upperBound <= length, "a completion outside")
    }
    var query = QueryRequest()
    query.written = WrittenFilter(text)
    ClientFuzz.ask(query)
    return 0
  }
}
