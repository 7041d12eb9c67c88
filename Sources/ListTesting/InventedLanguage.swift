import ListEngine

/// An artificial collation, for tests without ICU.
///
/// Only the last two characters of a text count, in reverse order. So nearly all texts tie, and the
/// order differs from the byte order.
public final class InventedLanguage: Collator {
  /// Creates a collator.
  public init() {}

  /// Returns this collator for every locale, for
  /// ``ListEngine/Engine/init(epoch:limits:collators:)``.
  public static func find(_ locale: String, isNumeric: Bool) -> (any Collator)? { InventedLanguage() }

  /// Returns the part of a text that determines its order.
  static func essence(of text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.reversed().prefix(2)))
  }

  /// Appends the sort key of a text; see ``ListEngine/Collator``.
  public func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    key += Array(Self.essence(of: String(decoding: text, as: UTF8.self)).utf8)
  }
}
