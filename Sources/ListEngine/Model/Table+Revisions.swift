extension Table {
  /// Returns a digest of what a row shows, which is equal in all engines with the same seed.
  ///
  /// Two rows with different cells have the same digest with a probability of 2^-32.
  ///
  /// - Complexity: O(cells).
  func contentRevision(_ cells: [Cell], _ missing: [MissingCell]) -> UInt32 {
    var state = UInt64(cells.count)
    func mix(_ word: UInt64) { state = hasher.hash(Int64(bitPattern: state ^ word)) }
    func mix(_ text: String) {
      var text = text
      mix(text.withUTF8 { hasher.hash(UnsafeRawBufferPointer($0)) })
    }
    for cell in cells {
      switch cell {
      case .null: mix(0)
      case .integer(let value), .timestamp(let value):
        mix(1)
        mix(UInt64(bitPattern: value))
      case .number(let value):
        mix(2)
        mix(value.bitPattern)
      case .boolean(let value): mix(value ? 3 : 4)
      case .text(let text), .image(let text):
        mix(5)
        mix(text)
      case .series(let values):
        mix(6)
        mix(UInt64(values.count))
        for value in values { mix(value.bitPattern) }
      }
    }
    for cell in missing {
      mix(UInt64(cell.column) + 7)
      if case .failed(let reason) = cell.why { mix(reason) }
    }
    return UInt32(truncatingIfNeeded: state ^ state >> 32)
  }
}
