/// Why a schema is refused: the plugin's fault.
public enum SchemaError: Error, Hashable, Sendable {
  /// Its name is empty or too long.
  case badName(String)
  /// Another table has this name.
  case repeatedTable(String)
  /// Two columns have this name.
  case repeatedColumn(String)
  /// No column, or more than this limit.
  case columnCount(Int, limit: Int)
  /// A windowed table cannot have deferred columns: its source is asked for what is looked at anyway.
  case deferredAndWindowed(String)
  /// A windowed source says that it can do something with a column that is not there.
  case noSuchColumn(Int)
  /// A limit of the table is no positive number; which one, and what it is.
  case badLimit(String, Int)
  /// A table keeps no rows, or keeps them for no time.
  case badRetention(Retention)
  /// A column asks for the order of a language that is not known.
  case unknownLocale(String, column: String)
  /// A column has a collation, but no texts.
  case noTexts(column: String)
  /// A format's number of decimals is out of range.
  case badFormat(ColumnFormat, column: String)
  /// A column's type cannot be written in its format.
  case formatOfOtherType(ColumnFormat, column: String, ColumnType)
  /// A column without numbers states which direction is better.
  case betterWithoutNumbers(column: String, ColumnType)
  /// The label names a column that the table does not have.
  case noSuchLabel(String)
  /// The label's column has values that cannot be read out.
  case unreadableLabel(String, ColumnType)
  /// So many rows were in this table and in those whose place it has taken that another one would have no ids left for its own.
  case tooManyRows(String)
}

extension SchemaError: CustomStringConvertible {
  /// A sentence for the plugin's author.
  public var description: String {
    switch self {
    case .badName(let name): "“\(name.prefix(200))” is no name for a table: it must have 1 to 200 bytes"
    case .repeatedTable(let name): "there is a table “\(name)” already"
    case .repeatedColumn(let name): "two columns are called “\(name)”"
    case .columnCount(let count, let limit): "a table has 1 to \(limit) columns, not \(count)"
    case .deferredAndWindowed(let column):
      "the column “\(column)” is deferred, and the table windowed: its source is asked for what is looked at anyway"
    case .noSuchColumn(let column): "the source says that it can do something with column \(column), which is not there"
    case .badLimit(let what, let limit): "the limit of \(what) must be at least 1, not \(limit)"
    case .badRetention(.last(let rows)): "a table that keeps its last rows keeps at least 1, not \(rows)"
    case .badRetention(let retention): "a table keeps its rows for some time, not for \(retention)"
    case .unknownLocale(let locale, let column):
      "the order of the language “\(locale)”, which the column “\(column)” asks for, is not known"
    case .tooManyRows(let name): "“\(name)” has had other columns too often: no ids are left for its rows"
    case .badFormat(let format, let column):
      "the format “\(format.text)” of the column “\(column)” has too many decimals: at most \(ColumnFormat.greatestDecimals), of seconds \(ColumnFormat.greatestSecondDecimals)"
    case .formatOfOtherType(let format, let column, let type):
      "the format “\(format.text)” does not fit the column “\(column)” of type \(type.rawValue): \(ColumnFormat.rule)"
    case .betterWithoutNumbers(let column, let type):
      "the column “\(column)” of type \(type.rawValue) states a better direction: only integer and number columns can, leave it out"
    case .noSuchLabel(let label):
      "the label names the column “\(label.prefix(200))”, which the table does not have: name one of its columns"
    case .unreadableLabel(let label, let type):
      "the label names the column “\(label)” of type \(type.rawValue): name a column of texts, numbers or times"
    case .noTexts(let column): "the column “\(column)” has a collation, but no texts"
    }
  }
}
