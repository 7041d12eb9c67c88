/// A table as clients see it.
public struct TableDescription: Hashable, Sendable {
  /// The table's name, columns and capabilities.
  public var schema: Schema
  /// The number of rows.
  public var rows: Int
  /// The state of the table's source.
  public var source: SourceStatus
  /// The number of times the table was replaced.
  ///
  /// Rows of another generation belong to another table.
  public var generation = 0
  /// The maximum number of rows that the engine loads to evaluate a residual query; see
  /// ``Limits/remainderRows``.
  public var rowLimit = 0

  /// Creates a table description.
  public init(schema: Schema, rows: Int, source: SourceStatus, generation: Int = 0, rowLimit: Int = 0) {
    self.rowLimit = rowLimit
    self.schema = schema
    self.rows = rows
    self.source = source
    self.generation = generation
  }
}
