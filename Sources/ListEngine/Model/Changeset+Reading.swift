extension Changeset {
  /// One row of a changeset, for readers outside the engine.
  package struct RowView {
    /// The kind of change.
    package let verb: Verb
    /// The row's key.
    package let key: RowKey
    fileprivate let changes: Changeset
    fileprivate let range: Range<Int>

    /// The row's cells; `nil` for a cell that keeps its value.
    package var cells: [Cell?] { range.map { changes.cell(changes.cells[$0]) } }

    /// The index of the first cell with invalid UTF-8, or `nil`.
    package var firstBrokenText: Int? {
      range.firstIndex { index in
        let cell = changes.cells[index]
        guard cell.kind == .text || cell.kind == .image else { return false }
        let bytes = changes.bytes[Int(cell.payload)..<(Int(cell.payload) + Int(cell.length))]
        return String(validating: bytes, as: UTF8.self) == nil
      }.map { $0 - range.lowerBound }
    }
  }

  /// Calls `body` with each row, in order.
  ///
  /// - Complexity: O(rows), not counting `body`.
  package func forEachRow(_ body: (RowView) -> Void) {
    for record in records {
      let key: RowKey =
        record.key.kind == .integer ? .integer(Int64(bitPattern: record.key.payload)) : .text(text(record.key))
      let range = record.firstCell..<(record.firstCell + Int(record.cellCount))
      body(RowView(verb: record.verb, key: key, changes: self, range: range))
    }
  }

  private func text(_ cell: PackedCell) -> String {
    String(decoding: bytes[Int(cell.payload)..<(Int(cell.payload) + Int(cell.length))], as: UTF8.self)
  }

  private func cell(_ cell: PackedCell) -> Cell? {
    switch cell.kind {
    case .null: .null
    case .unchanged: nil
    case .integer: .integer(Int64(bitPattern: cell.payload))
    case .number: .number(Double(bitPattern: cell.payload))
    case .text: .text(text(cell))
    case .boolean: .boolean(cell.payload != 0)
    case .timestamp: .timestamp(Int64(bitPattern: cell.payload))
    case .image: .image(text(cell))
    case .series:
      .series(
        (0..<(Int(cell.length) / MemoryLayout<Double>.stride)).map { index in
          bytes.withUnsafeBytes {
            $0.loadUnaligned(
              fromByteOffset: Int(cell.payload) + index * MemoryLayout<Double>.stride, as: Double.self)
          }
        })
    }
  }
}
