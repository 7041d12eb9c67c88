/// An error in the schema that a source declares.
public enum SchemaError: Error, Hashable, Sendable {
  /// The table's name is empty or too long.
  case badName(String)
  /// Another table already has this name.
  case repeatedTable(String)
  /// Two columns share this name.
  case repeatedColumn(String)
  /// The table has no columns, or more than the limit.
  case columnCount(Int, limit: Int)
  /// A deferred column in a windowed table.
  ///
  /// Windowed sources only deliver rows on request anyway.
  case deferredAndWindowed(String)
  /// A retention of a windowed table, whose source keeps the rows.
  case retentionOfWindowed
  /// The source's capabilities refer to a column number that does not exist.
  case noSuchColumn(Int)
  /// A limit of the table is not positive; with the limit's name and value.
  case badLimit(String, Int)
  /// The retention keeps no rows, or keeps them for no time.
  case badRetention(Retention)
  /// The collation's language is not supported.
  case unknownLocale(String, column: String)
  /// A column has a collation but does not store texts.
  case noTexts(column: String)
  /// The format's number of decimals is out of range.
  case badFormat(ColumnFormat, column: String)
  /// The format does not apply to the column's type.
  case formatOfOtherType(ColumnFormat, column: String, ColumnType)
  /// A column that is not numeric declares a better direction.
  case betterWithoutNumbers(column: String, ColumnType)
  /// The label names a column that does not exist.
  case noSuchLabel(String)
  /// The label's column has a type that has no text form.
  case unreadableLabel(String, ColumnType)
  /// The table was replaced so often that no row identifiers are left for another table.
  case tooManyRows(String)
  /// A column for operators is the first one, or stands before one that all users see.
  case operatorColumnNotLast(String)
  /// A column for operators is deferred, or its table is windowed.
  case operatorColumnNotResident(String)
  /// A derived column stands before one that the source gives, or alone.
  case derivedColumnNotLast(String)
  /// A derived column in a windowed table, whose changes the engine does not see.
  case derivedColumnNotResident(String)
  /// A derived column that does not fit the others.
  case badDerivation(String, reason: String)
  /// A part of the presentation, such as `view.sort[0]`, is invalid; with the reason, which names
  /// the part if its name is empty.
  case badPresentation(String, reason: String)
}

extension SchemaError: CustomStringConvertible {
  /// The error as a message for the plugin's author.
  public var description: String {
    switch self {
    case .badName(let name): "“\(name.prefix(200))” is not a valid name for a table: it must have 1 to 200 bytes"
    case .repeatedTable(let name): "there is a table “\(name)” already"
    case .repeatedColumn(let name): "two columns are called “\(name)”"
    case .columnCount(let count, let limit): "a table has 1 to \(limit) columns, not \(count)"
    case .deferredAndWindowed(let column):
      "the column “\(column)” is deferred, and the table windowed: its source is asked for what is looked at anyway"
    case .retentionOfWindowed: "a windowed table keeps no rows itself: leave out its retention"
    case .noSuchColumn(let column): "the source says that it can do something with column \(column), which is not there"
    case .badLimit(let what, let limit): "the limit of \(what) must be at least 1, not \(limit)"
    case .badRetention(.last(let rows)): "a table that keeps its last rows keeps at least 1, not \(rows)"
    case .badRetention(let retention): "a table keeps its rows for some time, not for \(retention)"
    case .unknownLocale(let locale, let column):
      "the order of the language “\(locale)”, which the column “\(column)” asks for, is not known"
    case .tooManyRows(let name): "“\(name)” has had other columns too often: no ids are left for its rows"
    case .badFormat(let format, let column):
      "the format “\(format.text)” of the column “\(column)” has too many decimals: "
        + "at most \(ColumnFormat.greatestDecimals), of seconds \(ColumnFormat.greatestSecondDecimals)"
    case .formatOfOtherType(let format, let column, let type):
      "the format “\(format.text)” does not fit the column “\(column)” of type \(type.rawValue): \(ColumnFormat.rule)"
    case .betterWithoutNumbers(let column, let type):
      "the column “\(column)” of type \(type.rawValue) states a better direction: "
        + "only integer and number columns can, leave it out"
    case .noSuchLabel(let label):
      "the label names the column “\(label.prefix(200))”, which the table does not have: name one of its columns"
    case .unreadableLabel(let label, let type):
      "the label names the column “\(label)” of type \(type.rawValue): name a column of texts, numbers or times"
    case .operatorColumnNotLast(let column):
      "the column “\(column)” is for operators only: "
        + "put it behind the columns that all users see, of which a table needs one"
    case .operatorColumnNotResident(let column):
      "the column “\(column)” is for operators only: its table must not be windowed, and it must not be deferred"
    case .derivedColumnNotLast(let column):
      "the column “\(column)” is filled by the server: it must stand behind those that the source gives"
    case .derivedColumnNotResident(let column):
      "the column “\(column)” is filled by the server, which does not see all changes of a windowed table"
    case .badDerivation(let column, let reason): "the server does not fill the column “\(column)”: \(reason)"
    case .badPresentation(let place, let reason): place.isEmpty ? reason : "\(place): \(reason)"
    case .noTexts(let column): "the column “\(column)” has a collation, but no texts"
    }
  }
}
