import ListEngine

extension JSONWriter {
  mutating func named(_ id: UInt64, _ rows: [(id: RowID, key: RowKey)]) {
    answer("{\"type\":\"named\",\"id\":", id, rows) { writer, row in
      writer.unsigned(row.id.rawValue)
      writer.byte(",")
      writer.key(row.key)
    }
  }

  mutating func located(_ id: UInt64, _ rows: [LocatedRow]) {
    answer("{\"type\":\"located\",\"id\":", id, rows) { writer, row in
      writer.key(row.key)
      writer.byte(",")
      writer.unsigned(row.id.rawValue)
      writer.byte(",")
      if let position = row.position { writer.integer(position) } else { writer.raw("null") }
    }
  }

  private mutating func answer<Row>(
    _ head: StaticString, _ id: UInt64, _ rows: [Row], _ write: (inout JSONWriter, Row) -> Void
  ) {
    raw(head)
    unsigned(id)
    raw(",\"rows\":[")
    for (place, row) in rows.enumerated() {
      raw(place > 0 ? ",[" : "[")
      write(&self, row)
      byte("]")
    }
    byte("]")
  }

  private mutating func key(_ key: RowKey) {
    switch key {
    case .integer(let number): safeInteger(number)
    case .text(let text): self.text(text)
    }
  }
}
