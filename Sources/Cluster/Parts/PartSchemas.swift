import ListEngine

/// The schema of a split table, on which its parts must agree.
///
/// The table keeps its schema while a part that is up has it. Otherwise it takes the one of the
/// first such part. The rows of a part with other columns are not merged.
struct PartSchemas {
  /// The replacement of the table's schema.
  enum Change: Equatable {
    /// The table is replaced, and has no rows.
    case replaced(Schema)
    /// The table has more columns, and keeps its rows.
    case extended(Schema)
  }

  private(set) var schema: Schema?

  /// Chooses the table's schema again.
  ///
  /// - Parameter parts: The schemas of the parts that have keys, in the order of these, and whether
  ///   each part is up.
  mutating func choose(among parts: [(schema: Schema?, isUp: Bool)]) -> Change? {
    let known = parts.compactMap { part in part.schema.map { (schema: $0, isUp: part.isUp) } }
    let up = known.filter(\.isUp)
    guard let chosen = schema == nil ? (up.first ?? known.first)?.schema : up.first?.schema,
      schema != chosen, !up.contains(where: { $0.schema == schema })
    else { return nil }
    defer { schema = chosen }
    return schema.map { chosen.extends($0) } ?? false ? .extended(chosen) : .replaced(chosen)
  }

  /// Whether rows of a part with this schema fit the table.
  func fits(_ other: Schema?) -> Bool {
    guard let schema, let other else { return false }
    return schema.key == other.key && schema.columns.map(\.kind) == other.columns.map(\.kind)
  }

  /// Returns the difference of a schema's columns to those of the table, for a message.
  func difference(of other: Schema) -> String {
    guard let schema else { return "" }
    var texts: [String] = []
    if schema.key != other.key {
      texts.append("the keys are of type \(other.key.rawValue) instead of \(schema.key.rawValue)")
    }
    for column in other.columns {
      guard let own = schema.columns.first(where: { $0.name == column.name }) else {
        texts.append("\(column.name) is new")
        continue
      }
      if own.type != column.type {
        texts.append("\(column.name) is \(column.type.rawValue) instead of \(own.type.rawValue)")
      } else if own.kind != column.kind {
        texts.append("\(column.name) has other settings")
      }
    }
    texts += schema.columns.filter { other.index(of: $0.name) == nil }.map { "\($0.name) is missing" }
    if texts.isEmpty { texts = ["the order of the columns"] }
    let rest = texts.count - Self.named
    return texts.prefix(Self.named).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The number of differences in a message.
  private static let named = 5
}

extension Schema {
  /// Whether the schema only has more columns than another one.
  fileprivate func extends(_ other: Schema) -> Bool {
    var shortened = self
    guard columns.count > other.columns.count, givenColumnCount == columns.count,
      other.givenColumnCount == other.columns.count
    else { return false }
    shortened.columns.removeLast(columns.count - other.columns.count)
    return shortened == other
  }
}

extension Column {
  /// The properties that must be equal for rows of two publishers to be in one table.
  fileprivate struct Kind: Equatable {
    var name: String
    var type: ColumnType
    var isDeferred: Bool
    var audience: Audience?
    var derivation: Derivation?
  }

  fileprivate var kind: Kind {
    Kind(name: name, type: type, isDeferred: isDeferred, audience: audience, derivation: derivation)
  }
}
