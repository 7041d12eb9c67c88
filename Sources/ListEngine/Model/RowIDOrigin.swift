/// The start of a table's row identifiers, chosen so that no two tables ever assign the same
/// identifier.
struct RowIDOrigin: Hashable {
  /// The number of the first slot.
  var number: UInt32
  /// The generation of a slot on first use.
  var generation: UInt32

  static let zero = RowIDOrigin(number: 0, generation: 0)
}

/// Ranges of row identifiers for ``ResidualTable``s, above those of the windowed table.
///
/// Each table gets a lane of slot numbers that no other one uses at the same time, with generations
/// not used before in this lane.
struct ResidualLanes {
  /// The first generation of the next table in each lane.
  private(set) var generations: [UInt32]
  private var taken: Set<Int> = []
  private let width: UInt32

  /// The first slot number of all lanes, above those of ordinary tables.
  static let firstNumber: UInt32 = 1 << 31

  /// Creates lanes for `residuals` tables in use and as many being closed.
  ///
  /// `generations` come from the replaced table.
  init(for residuals: Int, after generations: [UInt32]) {
    let count = 2 * max(1, residuals)
    width = Self.firstNumber / UInt32(count)
    self.generations = generations + repeatElement(0, count: max(0, count - generations.count))
  }

  /// Reserves a free lane, or returns `nil` if all are taken or exhausted.
  mutating func take() -> (lane: Int, ids: RowIDOrigin)? {
    let free = generations.indices.first { !taken.contains($0) && generations[$0] < Table.lastGeneration }
    guard let lane = free else { return nil }
    taken.insert(lane)
    return (lane, RowIDOrigin(number: Self.firstNumber + UInt32(lane) * width, generation: generations[lane]))
  }

  /// Releases the lane of a closed table, given the newest generation that it used.
  mutating func leave(_ lane: Int, newest: UInt32) {
    taken.remove(lane)
    generations[lane] = newest + 1
  }
}
