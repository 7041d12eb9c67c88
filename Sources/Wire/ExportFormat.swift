import ListEngine

/// A file format of exports.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// CSV (RFC 4180) with a header line of column names.
  case csv
  /// Newline-delimited JSON with one object per row.
  case ndjson

  /// The value of the `Content-Type` header.
  public var contentType: String {
    switch self {
    case .csv: "text/csv; charset=utf-8; header=present"
    case .ndjson: "application/x-ndjson; charset=utf-8"
    }
  }

  /// Returns the bytes that precede the first row.
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

  /// Appends one row.
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
      swap(&writer.bytes, &bytes)  // moves the buffer instead of copying it
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
