extension Table {
  /// The maximum number of rows by retention, or `nil` if the retention does not limit it.
  var retainedRows: Int? {
    guard case .last(let rows) = schema.retention else { return nil }
    // A table that evicts rows is never full.
    return min(rows, rowLimit)
  }

  /// The row to evict when another one is inserted, or `nil`.
  var leaving: UInt32? {
    guard let retainedRows, reload == nil, count >= retainedRows else { return nil }
    return arrivals?.first
  }

  /// Whether the oldest row must be evicted now.
  private var isFirstDue: Bool {
    guard let arrivals, let first = arrivals.first else { return false }
    switch schema.retention {
    case .everything: return false
    // The current reload may delete enough rows itself.
    case .last: return reload == nil && count > retainedRows ?? .max
    case .recent(let time): return arrivals.age(of: first) >= time
    }
  }

  /// Evicts up to `most` rows that exceed the retention and returns whether there were any.
  ///
  /// - Complexity: O(columns) per row.
  func evict(atMost most: Int) -> Bool {
    guard isFirstDue else { return false }
    beginCommit()
    var left = most
    while left > 0, isFirstDue, let first = arrivals?.first {
      remove(first)
      left -= 1
    }
    checkInvariantsWhenDue()
    return true
  }

  /// Deletes rows that exceed the table's retention now, and returns whether there were any.
  func evict(at now: Instant) -> Bool {
    arrivals?.follow(now)
    return evict(atMost: limits.evictions)
  }

  /// Applies changes that arrive now, and returns whether any row has changed.
  ///
  /// A reload of identical rows changes nothing.
  func apply(_ changes: Changeset, at now: Instant) -> Bool {
    let (end, count) = (log.end, count)
    arrivals?.follow(now)
    apply(changes)
    return log.end != end || self.count != count
  }

  /// The time of the next eviction, or `nil` for none.
  var evictionDeadline: Instant? {
    guard let arrivals else { return nil }
    switch schema.retention {
    case .everything: return nil
    case .last: return isFirstDue ? .zero : nil
    case .recent(let time): return arrivals.deadline(time)
    }
  }
}
