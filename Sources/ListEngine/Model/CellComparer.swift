/// Compares the cells of many rows with what one column holds in a chunk of slots: all that can be looked up beforehand has been.
///
/// It is good as long as the column, as chunks never move.
struct CellComparer {
  private let column: ColumnStore
  private let kind: Changeset.Kind
  /// What the chunk holds: words, or numbers of texts.
  private let stored: UnsafeRawPointer

  /// Compares with the chunk that this slot is in.
  init(_ column: ColumnStore, around slot: UInt32) {
    self.column = column
    kind = column.kind
    let first = slot & ~UInt32(Self.mask)
    stored =
      column.isText ? UnsafeRawPointer(column.numbers.pointer(first)) : UnsafeRawPointer(column.words.pointer(first))
  }

  /// Whether the column holds just this in a slot of its chunk. Texts lie in `bytes`.
  @inline(__always) func isSame(_ cell: Changeset.PackedCell, bytes: UnsafeRawPointer, at slot: UInt32) -> Bool {
    let place = Int(slot) & Self.mask
    if let texts = column.texts {
      let number = stored.load(fromByteOffset: place * 4, as: UInt32.self)
      guard cell.kind == kind else { return cell.kind == .null && number == TextPool.none }
      return number != TextPool.none
        && texts._withUnsafeGuaranteedRef { $0.isText(number, bytes + Int(cell.payload), Int(cell.length)) }
    }
    let word = stored.load(fromByteOffset: place * 8, as: UInt64.self)
    // The word of a null may be a number as well: which one it is, is found out more slowly.
    if cell.kind == kind && cell.payload == word && word != ColumnStore.nullWord { return true }
    return column.holds(cell, at: slot)
  }

  private static var mask: Int { Chunked<UInt64>.chunkSize - 1 }
}
