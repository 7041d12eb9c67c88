extension Table {
  /// How many rows it keeps; `nil` when it does not count them.
  var keptRows: Int? {
    guard case .last(let rows) = schema.retention else { return nil }
    // A table that lets rows go by itself is never full.
    return min(rows, rowLimit)
  }

  /// The row that makes room for a new one, if one has to.
  var leaving: UInt32? {
    guard let keptRows, reload == nil, count >= keptRows else { return nil }
    return arrivals?.first
  }

  /// Whether the row that came first is to go now.
  private var isFirstDue: Bool {
    guard let arrivals, let first = arrivals.first else { return false }
    switch schema.retention {
    case .everything: return false
    // The list that is being loaded again may remove enough by itself.
    case .last: return reload == nil && count > keptRows ?? .max
    case .recent(let time): return arrivals.age(of: first) >= time
    }
  }

  /// Lets rows go that are not to be kept, at most so many. The result is whether any went.
  ///
  /// - Complexity: O(columns) for each of them.
  func evict(atMost most: Int) -> Bool {
    guard isFirstDue else { return false }
    beginCommit()
    var left = most
    while left > 0, isFirstDue, let first = arrivals?.first {
      remove(first)
      left -= 1
    }
    checkInvariants()
    return true
  }

  /// When a row has to go by itself.
  var evictionDeadline: Instant? {
    guard let arrivals else { return nil }
    switch schema.retention {
    case .everything: return nil
    case .last: return isFirstDue ? .zero : nil
    case .recent(let time): return arrivals.deadline(time)
    }
  }
}
