import ListEngine

/// Limits and retention, computed by brute force.
extension PlainTable {
  /// Returns the size of a row as defined by ``TableLimits``.
  func weight(_ key: RowKey, _ cells: [Cell]) -> Int {
    let cells = cells.prefix(schema.givenColumnCount)
    var weight = 32 + 8 * cells.count
    switch key {
    case .integer: weight += 8
    case .text(let text): weight += text.utf8.count
    }
    for cell in cells {
      switch cell {
      case .text(let text), .image(let text): weight += text.utf8.count
      case .series(let values): weight += 8 * values.count
      default: continue
      }
    }
    return weight
  }

  /// Whether another row fits into the limits together with the other rows.
  func hasRoom(for key: RowKey, _ cells: [Cell], beside others: @autoclosure () -> [Row]) -> Bool {
    let limits = schema.limits
    // Tests stay far below the engine's default limits unless they set lower ones.
    guard limits != TableLimits() || self.limits.rows < 1 << 20 || self.limits.tableBytes < 1 << 30 else { return true }
    let others = others()
    guard others.count < min(limits.rows ?? .max, self.limits.rows) else { return false }
    let bytes = others.reduce(weight(key, cells)) { $0 + weight($1.key, $1.cells) }
    return bytes <= min(limits.bytes ?? .max, self.limits.tableBytes)
  }

  /// The row that was inserted first.
  private var oldest: Row? { rows.min { $0.number < $1.number } }

  /// The row that is removed when another one is inserted.
  var leaving: Row? {
    guard case .last(let most) = schema.retention, rows.count >= min(most, schema.limits.rows ?? .max, limits.rows)
    else {
      return nil
    }
    return oldest
  }

  /// Advances to a clock reading; a clock that was set back counts as stopped.
  public mutating func follow(_ reading: Instant) {
    if let last = lastReading { now += max(.zero, last.duration(to: reading)) }
    lastReading = reading
  }

  /// Removes rows beyond the retention, at most as many as the engine does in one turn, and returns
  /// their keys.
  public mutating func evict() -> [RowKey] {
    var gone: [RowKey] = []
    while gone.count < limits.evictions, let first = oldest {
      switch schema.retention {
      case .everything: return []
      case .last(let most) where rows.count <= min(most, schema.limits.rows ?? .max, limits.rows): return gone
      case .recent(let kept) where now - first.arrival < kept: return gone
      default: break
      }
      gone.append(first.key)
      delete(first.key)
    }
    return gone
  }
}
