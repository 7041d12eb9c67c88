/// The first rows of each section while a build gathers rows, if the sections are few.
///
/// They spare the first window a scan of all rows.
struct FirstRows {
  /// The number of sections above which no rows are kept.
  static var greatestSections: Int { 64 }
  /// The number of rows that can be lost to changes before the rest is too few for a selection.
  private static var spareRows: Int { 256 }

  private var heaps: [BoundedHeap] = []
  /// The key above which a row is not among the first of its section.
  private var bounds: [UInt64] = []
  private var changes = 0
  /// Whether there are more sections than ``greatestSections``.
  private(set) var isAbandoned = false

  /// Makes room for this many sections.
  mutating func grow(to count: Int) {
    guard !isAbandoned, count > heaps.count else { return }
    guard count <= Self.greatestSections else {
      isAbandoned = true
      (heaps, bounds) = ([], [])
      return
    }
    while heaps.count < count {
      heaps.append(BoundedHeap(limit: ViewBuild.selectionSize + Self.spareRows))
      bounds.append(.max)
    }
  }

  /// Whether no row with this key or a greater one is among the first of a section.
  @inline(__always) func excludes(_ key: UInt64, from section: Int) -> Bool { key > bounds[section] }

  /// Inserts a row if it is among the first of its section.
  @inline(__always) mutating func offer(
    key: UInt64, slot: UInt32, section: UInt32, _ precedes: (UInt32, UInt32) -> Bool
  ) {
    guard key <= bounds[Int(section)] else { return }
    heaps[Int(section)].offer(key: key, slot: slot, precedes)
    bounds[Int(section)] = heaps[Int(section)].bound
  }

  /// Removes the rows that have changed since the last call, before values are compared again.
  mutating func remove(_ changed: ChangedRows, _ precedes: (UInt32, UInt32) -> Bool) {
    guard changes < changed.slots.count else { return }
    changes = changed.slots.count
    for index in heaps.indices {
      heaps[index].remove(where: { changed.contains($0) }, precedes)
      bounds[index] = heaps[index].bound
    }
  }

  /// Returns the first `count` rows of a section as a heap, or `nil` if they are not known.
  func heap(of section: Int, count: Int) -> BoundedHeap? {
    guard section < heaps.count, heaps[section].knows(count) else { return nil }
    return heaps[section]
  }
}
