import ListEngine

/// A file format of exports.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// CSV (RFC 4180) with a header line of column names.
  case csv
  /// Newline-delimited JSON with one object per row.
  case ndjson

  /// Returns the value of the `Content-Type` header.
  public func contentType(_ layout: ExportLayout) -> String {
    switch self {
    case .csv where layout.separator == .tab: "text/tab-separated-values; charset=utf-8; header=present"
    case .csv: "text/csv; charset=utf-8; header=present"
    case .ndjson: "application/x-ndjson; charset=utf-8"
    }
  }

  /// Returns the extension of the file's name.
  public func fileExtension(_ layout: ExportLayout) -> String {
    self == .csv && layout.separator == .tab ? "tsv" : rawValue
  }

  /// Returns the bytes that precede the first row.
  public func head(_ schema: Schema, _ layout: ExportLayout = ExportLayout()) -> [UInt8] {
    switch self {
    case .csv:
      var bytes: [UInt8] = []
      for (place, column) in (layout.columns ?? Array(schema.columns.indices)).enumerated() {
        if place > 0 { bytes.append(layout.separator.byte) }
        CSVField.append(text: schema.columns[column].name, to: &bytes)
      }
      return bytes + Array("\r\n".utf8)
    case .ndjson: return []
    }
  }

  /// Appends one row, whose cells are those of all columns of the schema.
  public func append(
    _ cells: [Cell], _ schema: Schema, _ layout: ExportLayout = ExportLayout(), to bytes: inout [UInt8]
  ) {
    let count = layout.columns?.count ?? cells.count
    switch self {
    case .csv:
      for place in 0..<count {
        if place > 0 { bytes.append(layout.separator.byte) }
        let column = layout.columns?[place] ?? place
        if column < cells.count { CSVField.append(cells[column], to: &bytes) }
      }
      bytes.append(contentsOf: "\r\n".utf8)
    case .ndjson:
      var writer = JSONWriter()
      swap(&writer.bytes, &bytes)  // moves the buffer instead of copying it
      writer.byte("{")
      for place in 0..<count {
        if place > 0 { writer.byte(",") }
        let column = layout.columns?[place] ?? place
        writer.text(schema.columns[column].name)
        writer.byte(":")
        writer.cell(column < cells.count ? cells[column] : .null)
      }
      writer.byte("}")
      writer.byte("\n")
      swap(&writer.bytes, &bytes)
    }
  }
}
