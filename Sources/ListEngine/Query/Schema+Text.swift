/// The text of the default view, and the schema that restricted sessions see.
extension Schema {
  /// The schema as restricted sessions see it, without the columns for operators.
  public var restricted: Schema {
    var schema = self
    schema.columns = Array(columns.prefix(publicColumnCount))
    if let label, schema.index(of: label) == nil { schema.label = nil }
    if let view = presentation?.view {
      schema.presentation?.view = view.limited(to: Set(schema.columns.map(\.name)))
      if schema.textFault != nil { schema.presentation?.view.text = nil }
    }
    if let severity = presentation?.severity, schema.index(of: severity) == nil { schema.presentation?.severity = nil }
    return schema
  }

  /// The fault of the text of the default view, with its place; `nil` if there is none.
  public var textFault: String? {
    guard let text = presentation?.view.text else { return nil }
    do throws(FilterText.Fault) {
      _ = try FilterText(text, schema: self)
      return nil
    } catch {
      return "character \(error.range.lowerBound + 1): \(error.reason)"
    }
  }
}
