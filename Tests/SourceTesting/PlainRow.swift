@testable import ListEngine

/// One row of a changeset in a form that is easy to write in tests.
struct PlainRow: Equatable {
  var verb: Changeset.Verb
  var key: RowKey
  /// The cells; nil for unchanged ones.
  var cells: [Cell?]

  init(_ verb: Changeset.Verb, _ key: RowKey, _ cells: [Cell?]) {
    self.verb = verb
    self.key = key
    self.cells = cells
  }

  /// Returns the rows of a changeset.
  static func rows(of changes: Changeset) -> [PlainRow] {
    changes.records.map { record in
      let cells = changes.cells[record.firstCell..<(record.firstCell + Int(record.cellCount))]
      let key: RowKey =
        switch record.key.kind {
        case .integer: .integer(Int64(bitPattern: record.key.payload))
        default: .text(text(record.key, changes))
        }
      return PlainRow(record.verb, key, cells.map { cell($0, changes) })
    }
  }

  private static func text(_ cell: Changeset.PackedCell, _ changes: Changeset) -> String {
    String(decoding: changes.bytes[Int(cell.payload)..<(Int(cell.payload) + Int(cell.length))], as: UTF8.self)
  }

  private static func cell(_ cell: Changeset.PackedCell, _ changes: Changeset) -> Cell? {
    switch cell.kind {
    case .null: .null
    case .unchanged: nil
    case .integer: .integer(Int64(bitPattern: cell.payload))
    case .number: .number(Double(bitPattern: cell.payload))
    case .text: .text(text(cell, changes))
    case .boolean: .boolean(cell.payload != 0)
    case .timestamp: .timestamp(Int64(bitPattern: cell.payload))
    case .image: .image(text(cell, changes))
    case .series:
      .series(
        (0..<(Int(cell.length) / 8)).map { index in
          changes.bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: Int(cell.payload) + index * 8, as: Double.self)
          }
        })
    }
  }
}
