import CListPlugin
import ListEngine
import SourceRuntime

/// Converts a plugin's schema.
///
/// An invalid schema is refused with a message for the plugin's author.
enum SchemaReader {
  /// The reason why a schema is refused.
  struct Fault: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Reads a schema, without reading beyond the sizes that it states.
  static func read(_ pointer: UnsafePointer<list_schema>?) throws(Fault) -> (Schema, warnings: [String]) {
    guard let pointer else { throw Fault("the schema is NULL") }
    let size = Int(pointer.pointer(to: \.size)!.pointee)
    guard size >= firstSize else { throw Fault("list_schema.size is \(size), at least \(firstSize) is needed") }
    let schema = copy(UnsafeRawPointer(pointer), size: size, of: list_schema())
    guard let name = ForeignText.name(schema.name) else {
      throw Fault("list_schema.name must be 1 to 255 bytes of UTF-8")
    }
    guard let title = ForeignText.optionalName(schema.title) else {
      throw Fault("list_schema.title must be at most 255 bytes of UTF-8")
    }
    let key: KeyType
    switch schema.key_type {
    case LIST_INTEGER.rawValue: key = .integer
    case LIST_TEXT.rawValue: key = .text
    default: throw Fault("list_schema.key_type must be LIST_INTEGER or LIST_TEXT, not \(schema.key_type)")
    }
    let limit = Limits().columns
    guard (1...limit).contains(Int(schema.column_count)) else {
      throw Fault("list_schema.column_count must be 1 to \(limit), not \(schema.column_count)")
    }
    guard let columns = schema.columns else { throw Fault("list_schema.columns is NULL") }
    let stride = Int(schema.column_size)
    guard stride >= firstSize, stride % MemoryLayout<list_column>.alignment == 0,
      Int(bitPattern: columns) % MemoryLayout<list_column>.alignment == 0
    else {
      throw Fault("list_schema.column_size is \(stride), \(firstSize) is needed")
    }

    var result = Schema(name: name, title: title, key: key, columns: [], retention: try retention(schema))
    if schema.row_limit > 0 { result.limits.rows = Int(clamping: schema.row_limit) }
    if schema.byte_limit > 0 { result.limits.bytes = Int(clamping: schema.byte_limit) }
    var warnings: [String] = []
    var names: Set<String> = []
    for index in 0..<Int(schema.column_count) {
      let place = UnsafeRawPointer(columns) + index * stride
      let column = try read(copy(place, size: stride, of: list_column()), index: index, &warnings)
      guard names.insert(column.name).inserted else { throw Fault("two columns are called '\(column.name)'") }
      result.columns.append(column)
    }
    return (result, warnings)
  }

  /// The size of `list_schema` and `list_column` in the first published version, which is the
  /// minimum.
  private static let firstSize = 40

  /// Copies the members that the plugin's version of the struct has.
  ///
  /// Missing members stay as in `empty`.
  static func copy<Struct: BitwiseCopyable>(_ place: UnsafeRawPointer, size: Int, of empty: Struct) -> Struct {
    var copy = empty
    withUnsafeMutableBytes(of: &copy) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: place, count: min(size, MemoryLayout<Struct>.size)))
    }
    return copy
  }

  private static func retention(_ schema: list_schema) throws(Fault) -> Retention {
    switch (schema.keep_rows, schema.keep_nanoseconds) {
    case (0, 0): return .everything
    case (let rows, 0): return .last(Int(clamping: rows))
    case (0, let nanoseconds): return .recent(.nanoseconds(Int64(clamping: nanoseconds)))
    default: throw Fault("list_schema.keep_rows and keep_nanoseconds cannot both be said")
    }
  }

  private static func collation(_ column: list_column, _ name: String) throws(Fault) -> Collation {
    guard column.collation != nil else { return .codeUnit }
    guard let text = ForeignText.optionalName(column.collation), let collation = Collation(text) else {
      throw Fault("the collation of column '\(name)' must be \"natural\" or a language's tag, such as \"de\"")
    }
    guard collation == .codeUnit || column.type == LIST_TEXT.rawValue else {
      throw Fault("column '\(name)' has a collation, but no texts")
    }
    return collation
  }

  private static func read(_ column: list_column, index: Int, _ warnings: inout [String]) throws(Fault) -> Column {
    guard let name = ForeignText.name(column.name) else {
      throw Fault("the name of column \(index) must be 1 to 255 bytes of UTF-8")
    }
    guard let title = ForeignText.optionalName(column.title), let unit = ForeignText.optionalName(column.unit) else {
      throw Fault("title and unit of column '\(name)' must be at most 255 bytes of UTF-8")
    }
    guard let type = types[column.type] else {
      throw Fault("column '\(name)' has type \(column.type), which no column can have")
    }
    // An unknown style is not an error, because a plugin may know more styles than this host.
    if styles[column.style] == nil { warnings.append("column '\(name)' has the unknown style \(column.style)") }
    return Column(
      name, type, title: title, style: styles[column.style] ?? .plain, unit: unit,
      width: Int(min(column.width, 1_000)), alignment: alignments[column.alignment],
      collation: try collation(column, name))
  }

  private static let types: [UInt32: ColumnType] = [
    LIST_INTEGER.rawValue: .integer, LIST_NUMBER.rawValue: .number, LIST_TEXT.rawValue: .text,
    LIST_BOOLEAN.rawValue: .boolean, LIST_TIMESTAMP.rawValue: .timestamp, LIST_IMAGE.rawValue: .image,
    LIST_SERIES.rawValue: .series,
  ]
  private static let styles: [UInt32: ColumnStyle] = [
    LIST_STYLE_PLAIN.rawValue: .plain, LIST_STYLE_BAR.rawValue: .bar, LIST_STYLE_BADGE.rawValue: .badge,
    LIST_STYLE_BYTES.rawValue: .bytes, LIST_STYLE_DURATION.rawValue: .duration, LIST_STYLE_AGE.rawValue: .age,
    LIST_STYLE_IMAGE.rawValue: .image, LIST_STYLE_SPARKLINE.rawValue: .sparkline, LIST_STYLE_LINK.rawValue: .link,
  ]
  private static let alignments: [UInt32: ColumnAlignment] = [
    LIST_ALIGN_START.rawValue: .start, LIST_ALIGN_END.rawValue: .end, LIST_ALIGN_CENTER.rawValue: .center,
  ]
}
