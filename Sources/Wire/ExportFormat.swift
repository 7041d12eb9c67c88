import ListEngine

/// How a whole table is taken away.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// A line per row, cells between commas (RFC 4180), the names of the columns first.
  case csv
  /// A JSON object per line and row.
  case ndjson

  /// What the browser is told.
  public var contentType: String {
    switch self {
    case .csv: "text/csv; charset=utf-8; header=present"
    case .ndjson: "application/x-ndjson; charset=utf-8"
    }
  }

  /// What comes before the first row.
  public func head(_ schema: Schema) -> [UInt8] {
    switch self {
    case .csv:
      var bytes: [UInt8] = []
      for (column, name) in schema.columns.map(\.name).enumerated() {
        if column > 0 { bytes.append(UInt8(ascii: ",")) }
        CSVField.append(text: name, to: &bytes)
      }
      return bytes + Array("\r\n".utf8)
    case .ndjson: return []
    }
  }

  /// Appends a row.
  public func append(_ cells: [Cell], _ schema: Schema, to bytes: inout [UInt8]) {
    switch self {
    case .csv:
      for (column, cell) in cells.enumerated() {
        if column > 0 { bytes.append(UInt8(ascii: ",")) }
        CSVField.append(cell, to: &bytes)
      }
      bytes.append(contentsOf: "\r\n".utf8)
    case .ndjson:
      var writer = JSONWriter()
      swap(&writer.bytes, &bytes)  // not a copy
      writer.byte("{")
      for (column, cell) in cells.enumerated() {
        if column > 0 { writer.byte(",") }
        writer.text(schema.columns[column].name)
        writer.byte(":")
        writer.cell(cell)
      }
      writer.byte("}")
      writer.byte("\n")
      swap(&writer.bytes, &bytes)
    }
  }
}
