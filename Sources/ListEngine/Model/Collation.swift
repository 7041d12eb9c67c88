/// The order of a column's texts in sorting and grouping.
///
/// Ties are broken by code unit, so that different texts never tie. Filters ignore the collation:
/// `<` and ranges of texts compare by code unit.
public enum Collation: Hashable, Codable, Sendable {
  /// Compares bytes: `Z` before `a`, `10` before `9`.
  case codeUnit
  /// Ignores case and compares runs of digits as numbers: `a9` before `A10`.
  ///
  /// It is independent of language: `ä` sorts after `z`.
  case natural
  /// Follows the rules of a language given by its BCP 47 tag, such as `de` or `sv`.
  ///
  /// `numeric` compares runs of digits as numbers.
  case locale(String, numeric: Bool = false)

  /// Creates a collation from its name: an empty string, `natural`, or a language tag such as `de`
  /// or `de-u-kn` (numeric).
  ///
  /// Returns `nil` if the tag is malformed. Adding the table checks whether the language is
  /// supported.
  public init?(_ name: String) {
    switch name {
    case "": self = .codeUnit
    case "natural": self = .natural
    default:
      guard name.utf8.count <= 100, Self.isTag(name) else { return nil }
      // `-u-` starts the Unicode extensions of a tag; `kn` among them means numeric.
      let isNumeric = name.hasSuffix("-u-kn") || name.hasSuffix("-kn") && name.split(separator: "-").contains("u")
      guard isNumeric else {
        self = .locale(name)
        return
      }
      self = .locale(String(name.dropLast(name.hasSuffix("-u-kn") ? 5 : 3)), numeric: true)
    }
  }

  /// The collation's name, as parsed by ``init(_:)``.
  public var name: String {
    switch self {
    case .codeUnit: ""
    case .natural: "natural"
    case .locale(let tag, numeric: false): tag
    case .locale(let tag, numeric: true): tag + (tag.split(separator: "-").contains("u") ? "-kn" : "-u-kn")
    }
  }

  /// Whether the name is a well-formed tag: subtags of 1 to 8 ASCII letters and digits, the first
  /// with at least two letters.
  private static func isTag(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard let language = parts.first, language.count >= 2, language.allSatisfy(isLetter) else { return false }
    return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
  }
}
