import ListEngine
import SourceRuntime

/// Answers of a child to queries on a remote table.
extension ChildDecoder {
  mutating func readChanged() throws(Fault) {
    guard try described().windowed != nil else { throw Fault("its schema is not windowed") }
    note(.sourceChanged)
  }

  mutating func readPage(_ root: JSONElement) throws(Fault) {
    let schema = try described()
    guard schema.windowed != nil else { throw Fault("its schema is not windowed") }
    guard let number = root["id"]?.integer, number >= 0 else { throw Fault("it has no “id”") }
    let id = BlockRequestID(rawValue: UInt64(number))
    if let error = root["error"], !error.isNull {
      return note(.pageFailed(id, reason: error.message() ?? "the plugin gave no reason"))
    }
    // A malformed answer fails its request, so that the request does not stay pending.
    do throws(Fault) {
      if let list = root["sections"] {
        note(.sections(id, try sections(list, root["group"], schema)))
      } else {
        note(.page(id, try block(root, schema)))
      }
    } catch {
      note(.pageFailed(id, reason: ForeignText.cut(error.reason)))
      throw error
    }
  }

  private func block(_ root: JSONElement, _ schema: Schema) throws(Fault) -> RowBlock {
    guard let list = root["rows"], list.kind == .list else { throw Fault("it has none of rows, sections and error") }
    var rows: [(key: RowKey, cells: [Cell])] = []
    for item in list.items {
      let place = "row \(rows.count + 1)"
      var items = item.items
      guard let key = items.next()?.key(as: schema.key) else {
        throw Fault(
          "\(place): it is not a list that begins with \(schema.key == .integer ? "a whole number" : "a text")")
      }
      rows.append((key, try cells(&items, schema, place)))
    }
    let more = try flag(root["more"], "more")
    var count: Int?
    if let value = root["count"], !value.isNull {
      guard let number = value.integer, number >= 0 else { throw Fault("“count” is not a number of rows") }
      count = Int(number)
    }
    return RowBlock(
      rows, hasMore: more, count: count, isCountEstimated: try flag(root["estimated"], "estimated"),
      begin: try cursor(root["begin"], "begin"), end: try cursor(root["end"], "end"))
  }

  private func flag(_ value: JSONElement?, _ name: String) throws(Fault) -> Bool {
    guard let value else { return false }
    guard let flag = value.boolean else { throw Fault("“\(name)” is neither true nor false") }
    return flag
  }

  private func cells(_ items: inout JSONItems, _ schema: Schema, _ place: String) throws(Fault) -> [Cell] {
    var cells: [Cell] = []
    let rest = items
    if let first = items.next(), first.kind == .object {
      cells = [Cell](repeating: .null, count: schema.columns.count)
      for (name, value) in first.members {
        guard let column = schema.columns.firstIndex(where: { $0.name.utf8.elementsEqual(name) }) else { continue }
        cells[column] = cell(value, schema.columns[column].type)
      }
      return cells
    }
    items = rest
    for value in items {
      guard cells.count < schema.columns.count else {
        throw Fault("\(place): it has more than \(schema.columns.count) cells")
      }
      cells.append(cell(value, schema.columns[cells.count].type))
    }
    guard cells.count == schema.columns.count else {
      throw Fault("\(place): it has \(cells.count) cells for \(schema.columns.count) columns")
    }
    return cells
  }

  /// Converts a value to a cell of the column's type.
  ///
  /// A value that does not fit becomes a cell of another type, so that the engine rejects the row
  /// with a reason.
  private func cell(_ value: JSONElement, _ type: ColumnType) -> Cell {
    if let cell = value.cell(as: type) { return cell }
    if let text = value.text { return .text(text) }
    if let flag = value.boolean { return .boolean(flag) }
    return type == .text ? .number(value.number ?? 0) : .text(value.name)
  }

  private func sections(
    _ list: JSONElement, _ group: JSONElement?, _ schema: Schema
  ) throws(Fault) -> [SectionCount] {
    guard list.kind == .list else { throw Fault("“sections” is \(list.name), not a list") }
    var types: [ColumnType] = []
    guard let group, group.kind == .list else { throw Fault("“group” must name the columns of the sections") }
    for item in group.items {
      guard let name = item.text, let column = schema.index(of: name) else {
        throw Fault("“group” names an unknown column")
      }
      types.append(schema.columns[column].type)
    }
    var sections: [SectionCount] = []
    for item in list.items {
      let place = "section \(sections.count + 1)"
      var values: [Cell] = []
      var items = item.items
      for type in types {
        guard let value = items.next()?.cell(as: type) else { throw Fault("\(place): a value is not of its column") }
        values.append(value)
      }
      guard let count = items.next()?.integer, count >= 0, items.next() == nil else {
        throw Fault("\(place): the last of it must be the number of its rows")
      }
      sections.append(SectionCount(values, count: Int(count)))
    }
    return sections
  }

  private func cursor(_ value: JSONElement?, _ name: String) throws(Fault) -> BlockCursor? {
    guard let value, !value.isNull else { return nil }
    guard let text = value.text else { throw Fault("“\(name)” is \(value.name), not a text") }
    return BlockCursor(text)
  }
}
