/// Puts texts in an order, by a key for each: keys are compared byte by byte, and the order of the keys is that of the texts.
///
/// The engine knows no languages: whoever makes it hands it collators (``Engine/init(epoch:limits:collators:)``). The same text must have the
/// same key as long as the engine runs.
public protocol Collator: AnyObject {
  /// Appends the key of this text, which is UTF-8. Of a long key only the first bytes count; see ``Limits/collationKeyBytes``.
  func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8])
}

/// Finds the collator of a language by its BCP 47 tag, with runs of digits as numbers or not; `nil` when it knows none.
public typealias CollatorFinder = (_ locale: String, _ isNumeric: Bool) -> (any Collator)?
