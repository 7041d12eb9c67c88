import ListEngine

extension JSONWriter {
  mutating func named(_ id: UInt64, _ rows: [(id: RowID, key: RowKey)]) {
    answer("named", id, rows) { writer, row in
      writer.unsigned(row.id.rawValue)
      writer.byte(",")
      writer.key(row.key)
    }
  }

  mutating func located(_ id: UInt64, _ rows: [LocatedRow]) {
    answer("located", id, rows) { writer, row in
      writer.key(row.key)
      writer.byte(",")
      writer.unsigned(row.id.rawValue)
      writer.byte(",")
      if let position = row.position { writer.integer(position) } else { writer.raw("null") }
    }
  }

  private mutating func answer<Row>(
    _ type: StaticString, _ id: UInt64, _ rows: [Row], _ write: (inout JSONWriter, Row) -> Void
  ) {
    beginObject()
    self.type(type)
    member("id", id)
    member("rows", rows) { writer, row in
      writer.byte("[")
      write(&writer, row)
      writer.byte("]")
    }
  }

  private mutating func key(_ key: RowKey) {
    switch key {
    case .integer(let number): safeInteger(number)
    case .text(let text): self.text(text)
    }
  }
}
