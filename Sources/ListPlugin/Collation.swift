/// The order of a column's texts when a client sorts or groups by it.
public struct Collation: Hashable, Sendable {
  /// The value of `list_column.collation`.
  let name: String

  /// Byte order: `Z` before `a`, `10` before `9`.
  public static let codeUnit = Collation(name: "")
  /// Case-insensitive, with runs of digits compared as numbers: `a9` before `A10`.
  public static let natural = Collation(name: "natural")

  /// Returns the order of a language.
  ///
  /// The host refuses a table with a language that it does not know.
  ///
  /// - Parameters:
  ///   - tag: A BCP 47 tag, such as `de` or `sv`.
  ///   - numeric: Whether to compare runs of digits as numbers.
  public static func locale(_ tag: String, numeric: Bool = false) -> Collation {
    Collation(name: numeric ? tag + (tag.split(separator: "-").contains("u") ? "-kn" : "-u-kn") : tag)
  }
}
