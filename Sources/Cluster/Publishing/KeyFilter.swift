import ListEngine

/// The selection of the rows that a publisher publishes, by their keys.
struct KeyFilter {
  let range: KeyRange
  /// The number of changes of rows with other keys.
  private(set) var dropped = 0
  /// One of these keys.
  private var example: RowKey?
  private var hasNoted = false

  init(_ range: KeyRange) { self.range = range }

  /// Returns what is published of an event; `nil` if nothing is.
  mutating func pass(_ event: SourceEvent) -> SourceEvent? {
    switch event {
    case .changes(let changes):
      let kept = selected(changes)
      return kept.isEmpty && !changes.isEmpty ? nil : .changes(kept)
    case .loaded(let key, _, _), .forget(let key, _): return range.contains(key) ? event : nil
    default: return event
    }
  }

  /// Returns a line for the log, once, when a row was left out.
  mutating func takeNote() -> String? {
    guard !hasNoted, let example else { return nil }
    hasNoted = true
    let key = "\(example)".prefix(80)
    return "rows with other keys than \(range), such as \(key), are not published: another publisher must have them"
  }

  private mutating func selected(_ changes: Changeset) -> Changeset {
    var filter = RowFilter()
    changes.forEachRow { row in
      guard range.contains(row.key) else {
        if example == nil { example = row.key }
        return filter.take(.drop)
      }
      // Without the other row, the order is not known.
      if let target = row.target, !range.contains(target) { return filter.take(.drop) }
      filter.take(.keep)
    }
    dropped += filter.dropped
    return filter.apply(to: changes)
  }
}
