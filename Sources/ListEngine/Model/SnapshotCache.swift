/// The snapshots of rows that windows hold, by slot: equal revisions of a row are one object.
///
/// Snapshots that no window references are dropped when the cache has grown to twice what was in
/// use.
struct SnapshotCache {
  private var snapshots: [UInt32: RowSnapshot] = [:]
  /// The size at which unreferenced snapshots are dropped.
  private var limit = Self.leastLimit
  private static let leastLimit = 256

  /// Returns the cached snapshot of a row if it shows this revision at this place.
  func snapshot(_ slot: UInt32, of id: RowID, revision: UInt32, label: UInt64) -> RowSnapshot? {
    guard let known = snapshots[slot], known.id == id, known.change == revision, known.label == label else {
      return nil
    }
    return known
  }

  /// Stores the snapshot of a row in place of an older one.
  ///
  /// - Complexity: O(1), amortized.
  mutating func insert(_ snapshot: RowSnapshot, at slot: UInt32) {
    if snapshots.count >= limit { dropUnused() }
    snapshots[slot] = snapshot
  }

  /// Forgets the snapshot of a row that was deleted.
  mutating func remove(_ slot: UInt32) { if !snapshots.isEmpty { snapshots[slot] = nil } }

  /// Forgets the snapshots of rows that were deleted.
  mutating func remove(_ first: UInt32, _ rows: UInt64) {
    if !snapshots.isEmpty { forEachBit(of: rows) { snapshots[first + UInt32($0)] = nil } }
  }

  private mutating func dropUnused() {
    for slot in Array(snapshots.keys) where isKnownUniquelyReferenced(&snapshots[slot]!) { snapshots[slot] = nil }
    limit = max(Self.leastLimit, snapshots.count * 2)
  }
}
