import ListEngine

/// A language that nobody speaks, for tests without a library of languages: only the last two letters of a text count, the last one
/// first, so that nearly all texts tie, and none stands where its bytes would put it.
public final class InventedLanguage: Collator {
  /// A collator.
  public init() {}

  /// For ``ListEngine/Engine/init(epoch:limits:collators:)``: every locale is this one.
  public static func find(_ locale: String, isNumeric: Bool) -> (any Collator)? { InventedLanguage() }

  /// What of a text counts.
  static func essence(of text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.reversed().prefix(2)))
  }

  /// See ``ListEngine/Collator``.
  public func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    key += Array(Self.essence(of: String(decoding: text, as: UTF8.self)).utf8)
  }
}
