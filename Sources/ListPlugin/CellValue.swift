/// A type whose values can be stored in a cell.
public protocol CellValue {
  /// Appends the value to the batch's last row.
  func append(to batch: inout Batch)
}

extension CellValue where Self: BinaryInteger {
  /// Appends an integer. A value beyond 64 bits is clamped.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(integer: Int64(clamping: self)) }
}

extension CellValue where Self: StringProtocol {
  /// Appends a text.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(text: self) }
}

extension Int: CellValue {}
extension Int32: CellValue {}
extension Int64: CellValue {}
extension UInt32: CellValue {}
extension UInt64: CellValue {}
extension String: CellValue {}
extension Substring: CellValue {}

extension Double: CellValue {
  /// Appends a number, or null if the value is not finite.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(number: self) }
}

extension Float: CellValue {
  /// Appends a number, or null if the value is not finite.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(number: Double(self)) }
}

extension Bool: CellValue {
  /// Appends a Boolean.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(boolean: self) }
}

extension StaticString: CellValue {
  /// Appends a text without copying it.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(constant: self) }
}

extension Timestamp: CellValue {
  /// Appends a timestamp.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(timestamp: nanoseconds) }
}

extension ImageKey: CellValue {
  /// Appends an image key.
  public func append(to batch: inout Batch) { batch.append(image: text) }
}

extension [Double]: CellValue {
  /// Appends a series, for a sparkline.
  public func append(to batch: inout Batch) { withUnsafeBufferPointer { batch.append(series: $0) } }
}

extension Null: CellValue {
  /// Appends a null cell.
  @inlinable
  public func append(to batch: inout Batch) { batch.appendNull() }
}

extension Unchanged: CellValue {
  /// Appends a cell that keeps its value.
  @inlinable
  public func append(to batch: inout Batch) { batch.appendUnchanged() }
}

extension Optional: CellValue where Wrapped: CellValue {
  /// Appends the value, or a null cell if there is none.
  @inlinable
  public func append(to batch: inout Batch) {
    if let self { self.append(to: &batch) } else { batch.appendNull() }
  }
}
