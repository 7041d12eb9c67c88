import CListPlugin
import ListEngine
import SourceRuntime

/// Reads the presentation of a shared library's table: the extension `presentation`.
enum PresentationReader {
  /// The presentation of a table whose columns are not declared yet.
  struct Presentation {
    fileprivate(set) var columns:
      [(name: String, format: ColumnFormat?, better: BetterDirection?, audience: Audience?)] = []
    fileprivate(set) var label: String?

    /// Adds the presentation to a schema.
    func complete(_ schema: inout Schema) throws(SchemaReader.Fault) {
      for column in columns {
        guard let index = schema.index(of: column.name) else {
          throw SchemaReader.Fault("list_column_presentation.column is '\(column.name)', which the table does not have")
        }
        schema.columns[index].format = column.format
        schema.columns[index].better = column.better
        schema.columns[index].audience = column.audience
      }
      schema.label = label
      do throws(SchemaError) {
        try schema.checkPresentation()
      } catch {
        throw SchemaReader.Fault("\(error)")
      }
    }
  }

  /// Reads a presentation, without reading beyond the sizes that it states.
  static func read(_ pointer: UnsafePointer<list_table_presentation>?) throws(SchemaReader.Fault) -> Presentation {
    guard let pointer else { throw SchemaReader.Fault("the form is NULL") }
    let size = Int(pointer.pointer(to: \.size)!.pointee)
    guard size >= firstSize else {
      throw SchemaReader.Fault("list_table_presentation.size is \(size), at least \(firstSize) is needed")
    }
    let form = SchemaReader.copy(UnsafeRawPointer(pointer), size: size, of: list_table_presentation())
    var result = Presentation()
    guard let label = ForeignText.optionalName(form.label) else {
      throw SchemaReader.Fault("list_table_presentation.label must be at most 255 bytes of UTF-8")
    }
    result.label = label.isEmpty ? nil : label
    guard form.column_count > 0 else { return result }
    let limit = Limits().columns
    guard Int(form.column_count) <= limit, let columns = form.columns else {
      throw SchemaReader.Fault("list_table_presentation.columns must be at most \(limit) columns, and not NULL")
    }
    let stride = Int(form.column_size)
    let alignment = MemoryLayout<list_column_presentation>.alignment
    guard stride >= firstColumnSize, stride % alignment == 0, Int(bitPattern: columns) % alignment == 0 else {
      throw SchemaReader.Fault("list_table_presentation.column_size is \(stride), \(firstColumnSize) is needed")
    }
    var names: Set<String> = []
    for index in 0..<Int(form.column_count) {
      let place = UnsafeRawPointer(columns) + index * stride
      let column = try read(SchemaReader.copy(place, size: stride, of: list_column_presentation()), index: index)
      guard names.insert(column.name).inserted else {
        throw SchemaReader.Fault("two entries are for column '\(column.name)': use one")
      }
      result.columns.append(column)
    }
    return result
  }

  /// The size of `list_table_presentation` in its first version.
  private static let firstSize = 32
  /// The size of `list_column_presentation` in its first version.
  private static let firstColumnSize = 24

  private static func read(
    _ column: list_column_presentation, index: Int
  ) throws(SchemaReader.Fault) -> (name: String, format: ColumnFormat?, better: BetterDirection?, audience: Audience?) {
    guard let name = ForeignText.name(column.column) else {
      throw SchemaReader.Fault("list_column_presentation.column of entry \(index) must be 1 to 255 bytes of UTF-8")
    }
    var format: ColumnFormat?
    if column.format != nil {
      let text = ForeignText.optionalName(column.format) ?? ""
      format = ColumnFormat(text)
      guard format != nil else {
        throw SchemaReader.Fault("the format of column '\(name)' is '\(text)': \(ColumnFormat.rule)")
      }
    }
    let audience: Audience?
    switch column.audience {
    case LIST_AUDIENCE_ALL.rawValue: audience = nil
    case LIST_AUDIENCE_OPERATORS.rawValue: audience = .operators
    default:
      throw SchemaReader.Fault(
        "list_column_presentation.audience of column '\(name)' is \(column.audience): use enum list_audience")
    }
    switch column.better {
    case LIST_BETTER_NEITHER.rawValue: return (name, format, nil, audience)
    case LIST_BETTER_HIGHER.rawValue: return (name, format, .higher, audience)
    case LIST_BETTER_LOWER.rawValue: return (name, format, .lower, audience)
    default:
      throw SchemaReader.Fault(
        "list_column_presentation.better of column '\(name)' is \(column.better): use enum list_better")
    }
  }
}
