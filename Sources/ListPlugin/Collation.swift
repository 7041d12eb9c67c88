/// In which order a column's texts stand when a page sorts or groups by it.
public struct Collation: Hashable, Sendable {
  /// As `list_column.collation` has it.
  let name: String

  /// Byte by byte: `Z` before `a`, `10` before `9`.
  public static let codeUnit = Collation(name: "")
  /// Without regard to case, and runs of digits as the numbers that they are: `a9` before `A10`.
  public static let natural = Collation(name: "natural")

  /// By the rules of a language, such as `de` or `sv`, a BCP 47 tag; numeric: with runs of digits as numbers as well. The host refuses a
  /// table with a language that it does not know.
  public static func locale(_ tag: String, numeric: Bool = false) -> Collation {
    Collation(name: numeric ? tag + (tag.split(separator: "-").contains("u") ? "-kn" : "-u-kn") : tag)
  }
}
