/// A text order defined by sort keys: comparing two keys bytewise compares their texts.
///
/// The engine has no built-in languages; its caller provides collators
/// (``Engine/init(epoch:limits:collators:)``). A text must have the same key throughout a run of
/// the engine.
public protocol Collator: AnyObject {
  /// Appends the key of a UTF-8 text.
  ///
  /// Only the first bytes of a long key are used; see ``Limits/collationKeyBytes``.
  func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8])
}

/// Returns the collator of a BCP 47 language tag, optionally with numeric order, or `nil` for an
/// unsupported language.
public typealias CollatorFinder = (_ locale: String, _ isNumeric: Bool) -> (any Collator)?
