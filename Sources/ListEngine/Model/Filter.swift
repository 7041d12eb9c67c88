/// A row filter: comparisons of single columns, combined with "and", "or" and "not".
///
/// A `Filter<Int>` refers to columns by number, as in a ``Query``. A `Filter<String>` refers to
/// them by name, as in clients' messages.
///
///     .all([.compare("cpu", .greater, .number(5)), .matches("name", "^k.*d$")])
///
/// A null cell matches ``isEmpty(_:)`` and no other comparison, not even ``Comparison/notEqual``.
/// It therefore matches the ``not(_:)`` of all other comparisons.
public indirect enum Filter<Name: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
  /// Rows that match all of these filters; an empty list matches every row.
  case all([Filter])
  /// Rows that match at least one of these filters; an empty list matches no row.
  case any([Filter])
  /// Rows that do not match this filter.
  case not(Filter)
  /// Cells that compare with the value in this way.
  ///
  /// Texts compare by code unit; `false` is less than `true`.
  case compare(Name, Comparison, Cell)
  /// Cells in a closed range; one of the bounds may be missing.
  case range(Name, from: Cell?, through: Cell?)
  /// Texts that contain this text, ignoring case.
  case contains(Name, ExactText)
  /// Texts that begin with this text, ignoring case.
  case startsWith(Name, ExactText)
  /// Texts in which this regular expression matches; docs/protocol.md describes its syntax.
  case matches(Name, ExactText, ignoringCase: Bool = false)
  /// Cells equal to one of these values.
  case oneOf(Name, [Cell])
  /// Timestamps whose age compares with a duration in this way.
  ///
  /// The age is the present time of day minus the timestamp, so that rows match or cease to match
  /// as time passes. It is negative for a timestamp in the future. The duration is given like a
  /// timestamp, in nanoseconds. Ages are not compared for equality.
  case age(Name, Comparison, Cell)
  /// Null cells; a text of zero length is not null.
  case isEmpty(Name)
}

/// A comparison of a cell with a value.
public enum Comparison: String, CaseIterable, Codable, Sendable {
  /// Equal to the value.
  case equal = "="
  /// Not equal to the value.
  case notEqual = "!="
  /// Less than the value.
  case less = "<"
  /// Less than or equal to the value.
  case lessOrEqual = "<="
  /// Greater than the value.
  case greater = ">"
  /// Greater than or equal to the value.
  case greaterOrEqual = ">="
}

/// A text that is compared by its bytes.
///
/// Canonically equivalent texts are equal as `String`. Filters compare bytes, so such texts select
/// different rows and their queries must not share a view.
public struct ExactText: Hashable, Codable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The text as a string.
  public let string: String
  /// The text as a string.
  public var description: String { string }

  /// Creates a text from a string.
  public init(_ string: String) { self.string = string }
  /// Creates a text from a string literal.
  public init(stringLiteral string: String) { self.string = string }

  /// Returns whether both texts have the same bytes.
  public static func == (lhs: ExactText, rhs: ExactText) -> Bool { lhs.string.utf8.elementsEqual(rhs.string.utf8) }

  /// Hashes the bytes of the text.
  public func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
