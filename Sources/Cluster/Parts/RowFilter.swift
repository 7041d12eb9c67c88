import ListEngine

/// A selection of the rows of a changeset, which is copied only if some are left out.
///
///     var filter = RowFilter()
///     changes.forEachRow { filter.take($0.key == key ? .keep : .drop) }
///     filter.apply(to: changes)
struct RowFilter {
  enum Verdict {
    case keep
    case drop
    /// The row is counted as invalid, for this reason.
    case reject(String)
  }

  private var verdicts: [Verdict] = []
  private var isWhole = true
  /// The number of rows that are left out.
  private(set) var dropped = 0

  /// Takes the verdict about the next row.
  mutating func take(_ verdict: Verdict) {
    verdicts.append(verdict)
    if case .keep = verdict { return }
    isWhole = false
    if case .drop = verdict { dropped += 1 }
  }

  /// Returns the changeset with the rows that are kept.
  func apply(to changes: Changeset) -> Changeset {
    guard !isWhole else { return changes }
    var kept = Changeset()
    kept.beginsReload = changes.beginsReload
    kept.endsReload = changes.endsReload
    kept.abandonsReload = changes.abandonsReload
    if changes.unnamedRejections > 0 {
      kept.noteUnnamedRejections(changes.unnamedRejections, changes.unnamedRejection)
    }
    var place = 0
    changes.forEachRow { row in
      switch verdicts[place] {
      case .keep: kept.append(row)
      case .drop: break
      case .reject(let reason): kept.reject(row.key, reason)
      }
      place += 1
    }
    return kept
  }
}

extension Changeset.RowView {
  /// The row before which a move puts this one; `nil` for the end, and for other changes.
  var target: RowKey? {
    guard verb == .move, case let cell?? = cells.first else { return nil }
    return switch cell {
    case .integer(let value): .integer(value)
    case .text(let value): .text(value)
    default: nil
    }
  }
}

extension Changeset {
  /// Appends a row of another changeset.
  fileprivate mutating func append(_ row: RowView) {
    // Text is copied as Unicode, which would hide that it was invalid.
    if let column = row.firstBrokenText { return reject(row.key, "its cell \(column + 1) is not UTF-8") }
    switch row.key {
    case .integer(let key): beginRow(row.verb, key: key)
    case .text(var key): key.withUTF8 { beginRow(row.verb, textKey: UnsafeRawBufferPointer($0)) }
    }
    for cell in row.cells {
      if let cell { append(cell) } else { appendUnchanged() }
    }
  }
}
