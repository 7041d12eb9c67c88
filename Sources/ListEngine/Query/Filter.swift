/// Which rows a query lets through: comparisons of single columns, combined with and, or and not.
///
/// A `Filter<Int>` names columns by their number, as a ``Query`` does; a `Filter<String>` names them as pages do.
///
///     .all([.compare("cpu", .greater, .number(5)), .any([.oneOf("user", [.text("root")]), .matches("name", "^k.*d$")])])
///
/// An empty cell passes ``isEmpty(_:)`` and no other comparison, not even ``Comparison/notEqual``; so it passes the
/// ``not(_:)`` of every other.
public indirect enum Filter<Name: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
  /// All of these; every row when there are none.
  case all([Filter])
  /// At least one of these; no row when there are none.
  case any([Filter])
  /// Every row that this one leaves out.
  case not(Filter)
  /// Cells that compare so with the value. Texts compare by code unit, `false` comes before `true`.
  case compare(Name, Comparison, Cell)
  /// Cells from one value through another, both included; one of them may be missing.
  case range(Name, from: Cell?, through: Cell?)
  /// Texts with this text in them, without regard to case.
  case contains(Name, ExactText)
  /// Texts that begin with this one, without regard to case.
  case startsWith(Name, ExactText)
  /// Texts in which this regular expression is found; docs/protocol.md says which syntax it may use.
  case matches(Name, ExactText, ignoringCase: Bool = false)
  /// Cells that are one of these.
  case oneOf(Name, [Cell])
  /// Empty cells. A text of no characters is not empty.
  case isEmpty(Name)
}

/// How a cell compares with a value.
public enum Comparison: String, CaseIterable, Codable, Sendable {
  /// The same value.
  case equal = "="
  /// Another value.
  case notEqual = "!="
  /// Before it.
  case less = "<"
  /// Before it, or the same.
  case lessOrEqual = "<="
  /// After it.
  case greater = ">"
  /// After it, or the same.
  case greaterOrEqual = ">="
}

/// A text that equals another when their bytes are equal.
///
/// A `String` also equals its other Unicode spellings; but filters look at bytes, so queries that are spelled differently show
/// different rows and must not share a view.
public struct ExactText: Hashable, Codable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The text itself.
  public let string: String
  /// The text itself.
  public var description: String { string }

  /// This text.
  public init(_ string: String) { self.string = string }
  /// This text.
  public init(stringLiteral string: String) { self.string = string }

  /// Whether both are the same bytes.
  public static func == (lhs: ExactText, rhs: ExactText) -> Bool { lhs.string.utf8.elementsEqual(rhs.string.utf8) }

  /// Feeds the bytes into a hasher.
  public func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
