import ListEngine

/// The encoded part of a patch that all sessions share, kept in ``Patch/attachment``.
private final class EncodedPatch {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension Patch {
  /// Returns the encoded part that all sessions share, from `"start"` to the closing brace.
  ///
  /// It is encoded once for each patch.
  ///
  /// - Precondition: Every call for one patch passes the same schema.
  func encodedBody(_ schema: Schema, counting counts: inout EncodingCounts) -> [UInt8] {
    if let encoded = attachment as? EncodedPatch {
      counts.sharedPatches += 1
      return encoded.bytes
    }
    var writer = JSONWriter()
    writer.counts = counts
    writer.counts.patches += 1
    writer.bytes.reserveCapacity(256 + (base == nil ? result.items.count : inserted.count + updatedRows.count) * 96)
    writer.member("start", result.start)
    writer.member("total", result.total)
    writer.member("rows", result.rows)
    if result.accuracy != .exact {
      writer.member("accuracy", result.accuracy.rawValue)
    }
    if base == nil { writeItems(schema, to: &writer) } else { writeChanges(schema, to: &writer) }
    if !result.totals.isEmpty {
      writer.name("totals")
      writer.cells(result.totals)
    }
    writer.member("lead", result.lead) { $0.header($1, schema) }
    if let held = result.held { writer.held(held) }
    writer.member("digest", UInt64(result.digest))
    writer.endObject()
    attachment = EncodedPatch(writer.bytes)
    counts = writer.counts
    return writer.bytes
  }

  private func writeItems(_ schema: Schema, to writer: inout JSONWriter) {
    writer.member("items", result.items) { $0.item($1, schema) }
  }

  private func writeChanges(_ schema: Schema, to writer: inout JSONWriter) {
    writer.member("before", before)
    writer.member("after", after)
    writeRemoved(to: &writer)
    writeUpdated(schema, to: &writer)
    writeMoved(to: &writer)
    writeInserted(schema, to: &writer)
  }

  private func writeRemoved(to writer: inout JSONWriter) {
    guard !removed.isEmpty else { return }
    writer.member("removed", removed) { writer, removal in
      writer.byte("[")
      writer.integer(removal.index)
      writer.byte(",")
      switch removal.why {
      case .gone: writer.word("gone")
      case .moved: writer.word("moved")
      case .scrolled: writer.word("scrolled")
      }
      writer.byte("]")
    }
  }

  private func writeUpdated(_ schema: Schema, to writer: inout JSONWriter) {
    guard !updatedRows.isEmpty || !updatedHeaders.isEmpty else { return }
    writer.name("updated")
    writer.byte("[")
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
    writer.member("moved", moved) { writer, move in
      writer.byte("[")
      writer.integer(move.from)
      writer.byte(",")
      writer.integer(move.to)
      writer.byte("]")
    }
  }

  private func writeInserted(_ schema: Schema, to writer: inout JSONWriter) {
    guard !inserted.isEmpty else { return }
    writer.member("inserted", inserted) { writer, insertion in
      writer.byte("[")
      writer.integer(insertion.index)
      writer.byte(",")
      switch insertion.why {
      case .new: writer.word("new")
      case .moved: writer.word("moved")
      case .scrolled: writer.word("scrolled")
      }
      writer.byte(",")
      writer.item(result.items[insertion.index], schema)
      writer.byte("]")
    }
  }
}

extension JSONWriter {
  fileprivate mutating func held(_ held: Held) {
    member("held") { writer in
      writer.member("moves", held.moves)
      if !held.gone.isEmpty { writer.member("gone", held.gone) { $0.integer($1) } }
    }
  }

  fileprivate mutating func item(_ item: WindowItem, _ schema: Schema) {
    switch item {
    case .header(let header): self.header(header, schema)
    case .row(let row): self.row(row)
    }
  }

  fileprivate mutating func header(_ header: HeaderSnapshot, _ schema: Schema) {
    beginObject()
    member("section", UInt64(header.section))
    member("rev", UInt64(header.revision))
    member("slot", UInt64(header.slot))
    member("level", header.level)
    name("parent")
    if let parent = header.parent { unsigned(UInt64(parent)) } else { raw("null") }
    member("column", schema.columns[header.column].name)
    name("value")
    cell(header.value)
    if let end = header.end {
      name("end")
      cell(end)
    }
    member("count", header.count)
    if !header.aggregates.isEmpty {
      name("aggregates")
      cells(header.aggregates)
    }
    if header.isCollapsed { member("collapsed", true) }
    endObject()
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

extension JSONWriter {
  /// Appends a row as an item of a window.
  mutating func row(_ row: RowSnapshot) {
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
