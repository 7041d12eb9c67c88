/// What can stand in a cell.
public protocol CellValue {
  /// Adds the cell to the row that was begun last.
  func append(to batch: inout Batch)
}

extension CellValue where Self: BinaryInteger {
  /// Adds a whole number. One beyond 64 bits becomes the nearest one.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(integer: Int64(clamping: self)) }
}

extension CellValue where Self: StringProtocol {
  /// Adds a text.
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
  /// Adds a number; nothing when it is not finite.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(number: self) }
}

extension Float: CellValue {
  /// Adds a number; nothing when it is not finite.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(number: Double(self)) }
}

extension Bool: CellValue {
  /// Adds yes or no.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(boolean: self) }
}

extension StaticString: CellValue {
  /// Adds a text, without a copy.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(constant: self) }
}

extension Timestamp: CellValue {
  /// Adds a moment.
  @inlinable
  public func append(to batch: inout Batch) { batch.append(timestamp: nanoseconds) }
}

extension ImageKey: CellValue {
  /// Adds an image.
  public func append(to batch: inout Batch) { batch.append(image: text) }
}

extension [Double]: CellValue {
  /// Adds numbers for a sparkline.
  public func append(to batch: inout Batch) { withUnsafeBufferPointer { batch.append(series: $0) } }
}

extension Null: CellValue {
  /// Adds nothing.
  @inlinable
  public func append(to batch: inout Batch) { batch.appendNull() }
}

extension Unchanged: CellValue {
  /// Adds a cell that keeps its value.
  @inlinable
  public func append(to batch: inout Batch) { batch.appendUnchanged() }
}

extension Optional: CellValue where Wrapped: CellValue {
  /// Adds the value, or nothing.
  @inlinable
  public func append(to batch: inout Batch) {
    if let self { self.append(to: &batch) } else { batch.appendNull() }
  }
}
