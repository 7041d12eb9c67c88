import CListPlugin
import Glibc

extension Schema {
  /// Calls `body` with the schema as a C struct, which is valid during the call.
  func withCSchema<Result>(_ body: (UnsafePointer<list_schema>) throws -> Result) rethrows -> Result {
    var texts: [UnsafeMutablePointer<CChar>] = []
    defer { texts.forEach { free($0) } }
    func keep(_ text: String) -> UnsafePointer<CChar> {
      let copy = strdup(text)!
      texts.append(copy)
      return UnsafePointer(copy)
    }
    let columns = columns.map { column in
      list_column(
        name: keep(column.name), title: keep(column.title), unit: keep(column.unit), type: column.type.rawValue,
        style: column.style.rawValue, width: UInt32(clamping: column.width), alignment: column.alignment.rawValue,
        collation: column.collation == .codeUnit ? nil : keep(column.collation.name))
    }
    return try columns.withUnsafeBufferPointer { buffer in
      var schema = list_schema(
        size: UInt32(MemoryLayout<list_schema>.size),
        key_type: key == .integer ? LIST_INTEGER.rawValue : LIST_TEXT.rawValue, name: keep(name), title: keep(title),
        columns: buffer.baseAddress, column_count: UInt32(buffer.count),
        column_size: UInt32(MemoryLayout<list_column>.stride), row_limit: UInt64(clamping: rowLimit ?? 0),
        byte_limit: UInt64(clamping: byteLimit ?? 0), keep_rows: retention.rows,
        keep_nanoseconds: retention.nanoseconds)
      return try body(&schema)
    }
  }

  /// Whether the table has a label, or a column that is not in the default form.
  var hasPresentation: Bool { label != nil || columns.contains(where: \.hasPresentation) }

  /// Calls `body` with the presentation as a C struct, which is valid during the call.
  func withCPresentation<Result>(
    _ body: (UnsafePointer<list_table_presentation>) throws -> Result
  ) rethrows -> Result {
    var texts: [UnsafeMutablePointer<CChar>] = []
    defer { texts.forEach { free($0) } }
    func keep(_ text: String) -> UnsafePointer<CChar> {
      let copy = strdup(text)!
      texts.append(copy)
      return UnsafePointer(copy)
    }
    let columns = columns.filter(\.hasPresentation).map { column in
      list_column_presentation(
        column: keep(column.name), format: column.format.map { keep($0.text) },
        better: column.better?.rawValue ?? LIST_BETTER_NEITHER.rawValue,
        audience: column.audience.rawValue)
    }
    return try columns.withUnsafeBufferPointer { buffer in
      var form = list_table_presentation(
        size: UInt32(MemoryLayout<list_table_presentation>.size), column_count: UInt32(buffer.count),
        column_size: UInt32(MemoryLayout<list_column_presentation>.stride), reserved: 0, columns: buffer.baseAddress,
        label: label.map { keep($0) })
      return try body(&form)
    }
  }
}

extension Column {
  /// Whether the presentation has an entry for the column.
  fileprivate var hasPresentation: Bool { format != nil || better != nil || audience != .all }
}
