/// A type whose values can be the key of a row.
public protocol KeyValue {
  /// Starts a row with this key.
  func beginRow(of batch: inout Batch)
}

extension KeyValue where Self: BinaryInteger {
  /// Starts a row with this key. A value beyond 64 bits is clamped.
  @inlinable
  public func beginRow(of batch: inout Batch) { batch.beginRow(key: Int64(clamping: self)) }
}

extension KeyValue where Self: StringProtocol {
  /// Starts a row with this key.
  @inlinable
  public func beginRow(of batch: inout Batch) { batch.beginRow(textKey: self) }
}

extension Int: KeyValue {}
extension Int32: KeyValue {}
extension Int64: KeyValue {}
extension UInt32: KeyValue {}
extension String: KeyValue {}
extension Substring: KeyValue {}
