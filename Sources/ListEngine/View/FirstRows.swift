/// The first rows of the first sections while a build gathers rows.
///
/// They spare the first window a scan of all rows.
struct FirstRows {
  /// The greatest number of sections of which rows are kept.
  static var greatestSections: Int { 64 }
  /// The number of rows that can be lost to changes before the rest is too few for a selection.
  private static var spareRows: Int { 256 }

  private var heaps: [BoundedHeap] = []
  /// The key above which a row is not among the first of its section, for each section.
  private var bounds: [UInt64] = []
  /// The index of each section's heap, or -1 if no rows of it are kept.
  private var places: [Int] = []
  /// The sections of which rows are kept, in order, if there is one.
  private var kept: [Int] = []
  private var changes = 0
  /// Whether no rows are kept because there are many sections, and which are the first is unknown.
  private(set) var isAbandoned = false

  /// The number of sections added so far.
  var sectionCount: Int { places.count }

  /// Adds a section of which no rows are kept, because its rows are in sections of it.
  mutating func addSectionWithoutRows() {
    bounds.append(0)
    places.append(-1)
  }

  /// Adds a section, and drops the rows of the last one if there are too many.
  ///
  /// The sections that are the first of all in the end were so when they were added, and so all of
  /// their rows were offered.
  ///
  /// - Parameter precedes: Whether a section precedes another one, by their indices; `nil` if their
  ///   order is not known yet.
  /// - Complexity: O(1) for a section behind all kept ones, else O(``greatestSections``).
  mutating func addSection(before precedes: ((Int, Int) -> Bool)?) {
    let section = sectionCount
    addSectionWithoutRows()
    guard !isAbandoned else { return }
    let isFull = kept.count == Self.greatestSections
    guard let precedes else {
      if isFull {
        isAbandoned = true
        (heaps, kept) = ([], [])
      } else {
        keep(section, at: kept.count, in: heaps.count)
      }
      return
    }
    if isFull, !precedes(section, kept[kept.count - 1]) { return }
    var (low, high) = (0, kept.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(kept[middle], section) { low = middle + 1 } else { high = middle }
    }
    guard isFull else { return keep(section, at: low, in: heaps.count) }
    let last = kept.removeLast()
    let place = places[last]
    (places[last], bounds[last]) = (-1, 0)
    keep(section, at: low, in: place)
  }

  private mutating func keep(_ section: Int, at order: Int, in place: Int) {
    let heap = BoundedHeap(limit: ViewBuild.selectionSize + Self.spareRows)
    if place == heaps.count { heaps.append(heap) } else { heaps[place] = heap }
    kept.insert(section, at: order)
    (places[section], bounds[section]) = (place, .max)
  }

  /// Whether no row with this key or a greater one is among the first of a section.
  @inline(__always) func excludes(_ key: UInt64, from section: Int) -> Bool { key > bounds[section] }

  /// Inserts the rows of a block that are among the first of their sections.
  @inline(__always) mutating func offer(_ rows: SlotBlock, _ precedes: (UInt32, UInt32) -> Bool) {
    var candidates = candidates(rows)
    while candidates != 0 {
      let place = candidates.trailingZeroBitCount
      candidates &= candidates - 1
      offer(key: rows.keys[place], slot: rows.slots[place], section: rows.sections[place], precedes)
    }
  }

  /// Returns the rows of a block that may be among the first of their sections, as bits by their
  /// place in the block.
  @inline(__always) private func candidates(_ rows: SlotBlock) -> UInt64 {
    guard !isAbandoned else { return 0 }
    return bounds.withUnsafeBufferPointer { bounds in
      guard let bounds = bounds.baseAddress else { return 0 }
      var candidates: UInt64 = 0
      for place in 0..<rows.count {
        candidates |= (rows.keys[place] <= bounds[Int(rows.sections[place])] ? 1 : 0) << UInt64(place)
      }
      return candidates
    }
  }

  /// Inserts a row if it is among the first of its section.
  @inline(__always) mutating func offer(
    key: UInt64, slot: UInt32, section: UInt32, _ precedes: (UInt32, UInt32) -> Bool
  ) {
    guard key <= bounds[Int(section)], places[Int(section)] >= 0 else { return }
    let place = places[Int(section)]
    heaps[place].offer(key: key, slot: slot, precedes)
    bounds[Int(section)] = heaps[place].bound
  }

  /// Removes the rows that have changed since the last call, before values are compared again.
  mutating func remove(_ changed: ChangedRows, _ precedes: (UInt32, UInt32) -> Bool) {
    guard changes < changed.slots.count else { return }
    changes = changed.slots.count
    for section in kept {
      let place = places[section]
      heaps[place].remove(where: { changed.contains($0) }, precedes)
      bounds[section] = heaps[place].bound
    }
  }

  /// Returns the first `count` rows of a section as a heap, or `nil` if they are not known.
  func heap(of section: Int, count: Int) -> BoundedHeap? {
    guard !isAbandoned, section < places.count, places[section] >= 0 else { return nil }
    return heaps[places[section]].knows(count) ? heaps[places[section]] : nil
  }
}
