import ListEngine

extension Patch {
  /// Returns the encoded part that all sessions share, from `"start"` to the closing brace.
  ///
  /// The bytes are encoded once and cached in the patch.
  ///
  /// - Precondition: Every call for one patch passes the same schema.
  func encodedBody(_ schema: Schema, counting counts: inout EncodingCounts) -> [UInt8] {
    if let encoded {
      counts.sharedPatches += 1
      return encoded
    }
    var writer = JSONWriter()
    writer.counts = counts
    writer.counts.patches += 1
    writer.bytes.reserveCapacity(256 + (base == nil ? result.items.count : inserted.count + updatedRows.count) * 96)
    writer.raw("\"start\":")
    writer.integer(result.start)
    writer.raw(",\"total\":")
    writer.integer(result.total)
    writer.raw(",\"rows\":")
    writer.integer(result.rows)
    if result.accuracy != .exact {
      writer.raw(",\"accuracy\":")
      writer.text(result.accuracy.rawValue)
    }
    if base == nil { writeItems(schema, to: &writer) } else { writeChanges(schema, to: &writer) }
    if !result.totals.isEmpty {
      writer.raw(",\"totals\":")
      writer.cells(result.totals)
    }
    writer.raw(",\"lead\":")
    writer.byte("[")
    for (place, header) in result.lead.enumerated() {
      if place > 0 { writer.byte(",") }
      writer.header(header, schema)
    }
    writer.byte("]")
    if let held = result.held { writer.held(held) }
    writer.raw(",\"digest\":")
    writer.unsigned(UInt64(result.digest))
    writer.byte("}")
    encoded = writer.bytes
    counts = writer.counts
    return writer.bytes
  }

  private func writeItems(_ schema: Schema, to writer: inout JSONWriter) {
    writer.raw(",\"items\":[")
    for (index, item) in result.items.enumerated() {
      if index > 0 { writer.byte(",") }
      writer.item(item, schema)
    }
    writer.byte("]")
  }

  private func writeChanges(_ schema: Schema, to writer: inout JSONWriter) {
    writer.raw(",\"before\":")
    writer.integer(before)
    writer.raw(",\"after\":")
    writer.integer(after)
    writeRemoved(to: &writer)
    writeUpdated(schema, to: &writer)
    writeMoved(to: &writer)
    writeInserted(schema, to: &writer)
  }

  private func writeRemoved(to writer: inout JSONWriter) {
    guard !removed.isEmpty else { return }
    writer.raw(",\"removed\":[")
    for (place, removal) in removed.enumerated() {
      if place > 0 { writer.byte(",") }
      writer.byte("[")
      writer.integer(removal.index)
      switch removal.why {
      case .gone: writer.raw(",\"gone\"]")
      case .moved: writer.raw(",\"moved\"]")
      case .scrolled: writer.raw(",\"scrolled\"]")
      }
    }
    writer.byte("]")
  }

  private func writeUpdated(_ schema: Schema, to writer: inout JSONWriter) {
    guard !updatedRows.isEmpty || !updatedHeaders.isEmpty else { return }
    writer.raw(",\"updated\":[")
    for (place, update) in updatedRows.enumerated() {
      if place > 0 { writer.byte(",") }
      writer.byte("[")
      writer.integer(update.index)
      writer.byte(",")
      writer.unsigned(UInt64(update.row.revision))
      let cells = update.row.encodedCells(counting: &writer.counts)
      for column in update.columns {
        writer.byte(",")
        writer.integer(column)
        writer.byte(",")
        cells.append(cell: column, to: &writer)
      }
      writer.byte("]")
    }
    for (place, update) in updatedHeaders.enumerated() {
      if place > 0 || !updatedRows.isEmpty { writer.byte(",") }
      writer.byte("[")
      writer.integer(update.index)
      writer.byte(",")
      writer.header(update.header, schema)
      writer.byte("]")
    }
    writer.byte("]")
  }

  private func writeMoved(to writer: inout JSONWriter) {
    guard !moved.isEmpty else { return }
    writer.raw(",\"moved\":[")
    for (place, move) in moved.enumerated() {
      if place > 0 { writer.byte(",") }
      writer.byte("[")
      writer.integer(move.from)
      writer.byte(",")
      writer.integer(move.to)
      writer.byte("]")
    }
    writer.byte("]")
  }

  private func writeInserted(_ schema: Schema, to writer: inout JSONWriter) {
    guard !inserted.isEmpty else { return }
    writer.raw(",\"inserted\":[")
    for (place, insertion) in inserted.enumerated() {
      if place > 0 { writer.byte(",") }
      writer.byte("[")
      writer.integer(insertion.index)
      switch insertion.why {
      case .new: writer.raw(",\"new\",")
      case .moved: writer.raw(",\"moved\",")
      case .scrolled: writer.raw(",\"scrolled\",")
      }
      writer.item(result.items[insertion.index], schema)
      writer.byte("]")
    }
    writer.byte("]")
  }
}

extension JSONWriter {
  fileprivate mutating func held(_ held: Held) {
    raw(",\"held\":{\"moves\":")
    integer(held.moves)
    if !held.gone.isEmpty {
      raw(",\"gone\":[")
      for (place, index) in held.gone.enumerated() {
        if place > 0 { byte(",") }
        integer(index)
      }
      byte("]")
    }
    byte("}")
  }

  fileprivate mutating func item(_ item: WindowItem, _ schema: Schema) {
    switch item {
    case .header(let header): self.header(header, schema)
    case .row(let row):
      byte("[")
      unsigned(row.id.rawValue)
      byte(",")
      unsigned(UInt64(row.revision))
      byte(",")
      if let absence = row.absence {
        missing(absence)
        return byte("]")
      }
      byte("[")
      row.encodedCells(counting: &counts).appendAll(to: &self)
      raw("]]")
    }
  }

  fileprivate mutating func header(_ header: HeaderSnapshot, _ schema: Schema) {
    raw("{\"section\":")
    unsigned(UInt64(header.section))
    raw(",\"rev\":")
    unsigned(UInt64(header.revision))
    raw(",\"slot\":")
    unsigned(UInt64(header.slot))
    raw(",\"level\":")
    integer(header.level)
    raw(",\"parent\":")
    if let parent = header.parent { unsigned(UInt64(parent)) } else { raw("null") }
    raw(",\"column\":")
    text(schema.columns[header.column].name)
    raw(",\"value\":")
    cell(header.value)
    raw(",\"count\":")
    integer(header.count)
    if !header.aggregates.isEmpty {
      raw(",\"aggregates\":")
      cells(header.aggregates)
    }
    if header.isCollapsed { raw(",\"collapsed\":true") }
    byte("}")
  }

  fileprivate mutating func cells(_ cells: [Cell]) {
    byte("[")
    for (place, cell) in cells.enumerated() {
      if place > 0 { byte(",") }
      self.cell(cell)
    }
    byte("]")
  }
}
