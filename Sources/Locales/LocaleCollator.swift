import ListEngine
import _FoundationICU

/// A collator with the rules of a language, from the ICU library of Swift's toolchain.
///
///     let engine = Engine(epoch: "5f0c", collators: LocaleCollator.find)
///
/// Different texts may have equal keys, for example two encodings of an accented letter. Only the
/// first 1,000 UTF-16 units of a text count.
public final class LocaleCollator: Collator {
  /// The maximum number of UTF-16 units that a key covers.
  private static let greatestLength = 1_000

  private let collator: OpaquePointer
  private var units: [UInt16] = []

  /// Creates a collator; `nil` if ICU has no rules for the tag's language.
  public init?(_ tag: String, isNumeric: Bool) {
    guard let identifier = Self.identifier(tag) else { return nil }
    var status = U_ZERO_ERROR
    guard let collator = swift_ucol_open(identifier, &status) else { return nil }
    self.collator = collator
    guard status.rawValue <= 0, Self.isKnown(collator, identifier) else { return nil }
    if isNumeric { swift_ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status) }
    guard status.rawValue <= 0 else { return nil }
  }

  deinit { swift_ucol_close(collator) }

  /// Returns a collator for ``ListEngine/Engine/init(epoch:limits:collators:)``.
  public static func find(_ tag: String, isNumeric: Bool) -> (any Collator)? {
    LocaleCollator(tag, isNumeric: isNumeric)
  }

  /// Returns ICU's identifier of a BCP 47 tag, or `nil` if the tag is invalid.
  ///
  /// For example, `de-u-co-phonebk` becomes `de@collation=phonebook`.
  private static func identifier(_ tag: String) -> String? {
    var status = U_ZERO_ERROR
    var bytes = [CChar](repeating: 0, count: 200)
    var read: Int32 = 0
    let length = swift_uloc_forLanguageTag(tag, &bytes, Int32(bytes.count), &read, &status)
    guard status.rawValue <= 0, length > 0, length < bytes.count, Int(read) == tag.utf8.count else { return nil }
    return String(decoding: bytes.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether ICU has rules for the language; for unknown languages it silently uses the root rules.
  private static func isKnown(_ collator: OpaquePointer, _ identifier: String) -> Bool {
    var status = U_ZERO_ERROR
    guard let valid = swift_ucol_getLocaleByType(collator, ULOC_VALID_LOCALE, &status) else { return false }
    return String(cString: valid) != "root" || identifier == "root"
  }

  /// Appends the sort key of a text; see ``ListEngine/Collator``.
  public func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    // A UTF-16 unit has at most three UTF-8 bytes, so later bytes are irrelevant.
    units.removeAll(keepingCapacity: true)
    units.append(
      contentsOf: String(decoding: text.prefix(3 * Self.greatestLength), as: UTF8.self).utf16.prefix(
        Self.greatestLength))
    let start = key.count
    var room = max(256, units.count * 4)
    while true {
      key.append(contentsOf: repeatElement(0, count: room))
      let length = key.withUnsafeMutableBufferPointer { key in
        Int(swift_ucol_getSortKey(collator, units, Int32(units.count), key.baseAddress! + start, Int32(room)))
      }
      // Drops ICU's terminating zero.
      if length <= room { return key.removeLast(key.count - start - max(0, length - 1)) }
      key.removeLast(key.count - start)
      room = length
    }
  }
}
