/// A Heckel diff of two lists of identified values, as adapted by DifferenceKit and IGListKit (P.
/// Heckel, "A technique for isolating differences between files", CACM 21(4), 1978).
///
/// It represents those libraries in D1, and the engine does not use it.
struct LinearDifference {
  private(set) var deleted: [Int] = []
  private(set) var inserted: [Int] = []
  private(set) var updated: [Int] = []
  private(set) var moved: [(from: Int, to: Int)] = []

  init<Element: Equatable, Identifier: Hashable>(
    from old: [Element], to new: [Element], by identifier: (Element) -> Identifier
  ) {
    var places = Dictionary<Identifier, Int>(minimumCapacity: old.count)
    for (index, element) in old.enumerated() { places[identifier(element)] = index }
    var origins = [Int?](repeating: nil, count: new.count)
    var isKept = [Bool](repeating: false, count: old.count)
    for (index, element) in new.enumerated() {
      guard let origin = places[identifier(element)], !isKept[origin] else { continue }
      origins[index] = origin
      isKept[origin] = true
    }
    // The number of deletions before each old position.
    var offsets = [Int](repeating: 0, count: old.count)
    for index in old.indices {
      offsets[index] = deleted.count
      if !isKept[index] { deleted.append(index) }
    }
    // A row has not moved if deletions and insertions before it explain its position.
    var isPassed = [Bool](repeating: false, count: old.count)
    var next = 0
    for (index, element) in new.enumerated() {
      guard let origin = origins[index] else {
        inserted.append(index)
        continue
      }
      if old[origin] != element { updated.append(origin) }
      isPassed[origin] = true
      while next < old.count, !isKept[next] || (isPassed[next] && next != origin) { next += 1 }
      if next == origin { next += 1 } else { moved.append((origin, index)) }
    }
  }
}
