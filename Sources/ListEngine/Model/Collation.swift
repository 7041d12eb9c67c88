/// In which order a column's texts stand when a query sorts or groups by it.
///
/// What ties by its collation is told apart by code unit, so that different texts never tie. Filters do not ask: `<` and ranges of texts go
/// by code unit, whatever the column's collation.
public enum Collation: Hashable, Codable, Sendable {
  /// Byte by byte: `Z` before `a`, `10` before `9`.
  case codeUnit
  /// As people list names: without regard to case, and runs of digits as the numbers that they are: `a9` before `A10`. Of no language:
  /// `ä` stands behind `z`.
  case natural
  /// By the rules of a language, such as `de` or `sv`, a BCP 47 tag; numeric: with runs of digits as numbers.
  case locale(String, numeric: Bool = false)

  /// How it is written: nothing, `natural`, or a language's tag as in `de` and `de-u-kn` (numeric). `nil` for what cannot be a tag; whether
  /// the language is known is asked when the table is added.
  public init?(_ name: String) {
    switch name {
    case "": self = .codeUnit
    case "natural": self = .natural
    default:
      guard name.utf8.count <= 100, Self.isTag(name) else { return nil }
      // “-u-” begins what is said about the language, “kn” in it says: numeric.
      let isNumeric = name.hasSuffix("-u-kn") || name.hasSuffix("-kn") && name.split(separator: "-").contains("u")
      guard isNumeric else {
        self = .locale(name)
        return
      }
      self = .locale(String(name.dropLast(name.hasSuffix("-u-kn") ? 5 : 3)), numeric: true)
    }
  }

  /// How it is written, as ``init(_:)`` reads it.
  public var name: String {
    switch self {
    case .codeUnit: ""
    case .natural: "natural"
    case .locale(let tag, numeric: false): tag
    case .locale(let tag, numeric: true): tag + (tag.split(separator: "-").contains("u") ? "-kn" : "-u-kn")
    }
  }

  /// Whether it has the form of a tag: parts of 1 to 8 ASCII letters and digits, the first one of at least two letters.
  private static func isTag(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard let language = parts.first, language.count >= 2, language.allSatisfy(isLetter) else { return false }
    return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
  }
}
