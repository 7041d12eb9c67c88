extension Changeset {
  /// One row of a changeset, for whoever reads it outside of the engine.
  package struct RowView {
    /// What happens to the row.
    package let verb: Verb
    /// Which one it is.
    package let key: RowKey
    fileprivate let changes: Changeset
    fileprivate let range: Range<Int>

    /// Its cells; `nil` where one keeps its value.
    package var cells: [Cell?] { range.map { changes.cell(changes.cells[$0]) } }

    /// The number of the first cell whose text is no UTF-8; `nil` when there is none.
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
  /// - Complexity: O(1) a row, beside what is asked of it.
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
