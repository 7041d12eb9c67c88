/// Sort keys of blocks of rows, with one decision on the type of the column for each block.
///
/// The keys of texts that rows share are kept, as long as a build lasts. A text that is freed and
/// its number reused belongs to changed rows only, whose keys are not read.
struct BlockKeys {
  private let term: RowComparator.Term?
  private let labels: Chunked<UInt64>
  /// The ascending keys of texts, by number; 0 if unknown or the least.
  private let textKeys = Chunked<UInt64>(filler: 0)

  init(_ comparator: RowComparator, labels: Chunked<UInt64>) {
    term = comparator.term(0)
    self.labels = labels
  }

  func deallocate() { textKeys.deallocate() }

  /// Reads the sort keys of a block as ``RowComparator/key(_:)`` does.
  @inline(__always) func read(_ rows: SlotBlock) {
    guard rows.count > 0 else { return }
    guard let term else { return rows.setKeys(of: labels.pointer(rows.base)) { $0 } }
    let (column, inverted) = (term.column, term.isDescending ? UInt64.max : 0)
    switch column.type {
    case .number:
      rows.setKeys(of: column.words.pointer(rows.base)) { word in
        word == ColumnStore.nullNumber ? .max : ColumnStore.key(number: word) ^ inverted
      }
    case .integer where column.leastValues.pointee.isEmpty, .timestamp where column.leastValues.pointee.isEmpty:
      rows.setKeys(of: column.words.pointer(rows.base)) { word in
        word == ColumnStore.nullWord ? .max : ColumnStore.key(whole: word) ^ inverted
      }
    case .text where column.pool?.sharesRepeats == true:
      let numbers = column.numbers.pointer(rows.base)
      var known = textKeys.elements
      for place in 0..<rows.count {
        let number = numbers[Int(rows.slots[place] - rows.base)]
        var key = number < known.count ? known.pointer(number).pointee : 0
        if key == 0 {
          guard number != TextPool.none else {
            rows.keys[place] = .max
            continue
          }
          key = textKey(of: number, rows.slots[place], column)
          known = textKeys.elements
        }
        rows.keys[place] = key ^ inverted
      }
    default:
      for place in 0..<rows.count {
        rows.keys[place] = column.sortKey(rows.slots[place], descending: term.isDescending)
      }
    }
  }

  /// Returns the ascending key of a text, and keeps it once there is room.
  private func textKey(of number: UInt32, _ slot: UInt32, _ column: ColumnStore) -> UInt64 {
    let key = column.sortKey(slot, descending: false)
    textKeys.grow(toward: Int(number) + 1)
    if number < textKeys.count { textKeys[number] = key }
    return key
  }
}
