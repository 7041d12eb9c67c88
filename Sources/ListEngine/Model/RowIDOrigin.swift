/// What the ids of one table's rows are counted from, so that no other table that has its name, or had it, gives them as well.
struct RowIDOrigin: Hashable {
  /// The number of the first slot.
  var number: UInt32
  /// The generation of a slot that is used for the first time.
  var generation: UInt32

  static let zero = RowIDOrigin(number: 0, generation: 0)
}

/// Where the ids of ``ResidualQuery``s begin: above those of the windowed table itself, each in a lane of numbers that no other one uses meanwhile,
/// and in generations that none has used there before.
struct ResidualLanes {
  /// By lane: the generation that the next table in it begins with.
  private(set) var generations: [UInt32]
  private var taken: Set<Int> = []
  private let width: UInt32

  /// The first number of all lanes: tables that are looked at themselves stay below.
  static let firstNumber: UInt32 = 1 << 31

  /// Lanes for so many remainders, and as many that are on their way out. `generations` are those of the table whose place this one takes.
  init(for remainders: Int, after generations: [UInt32]) {
    let count = 2 * max(1, remainders)
    width = Self.firstNumber / UInt32(count)
    self.generations = generations + repeatElement(0, count: max(0, count - generations.count))
  }

  /// A lane that nobody uses; `nil` when there is none, or its ids are used up.
  mutating func take() -> (lane: Int, ids: RowIDOrigin)? {
    let free = generations.indices.first { !taken.contains($0) && generations[$0] < Table.lastGeneration }
    guard let lane = free else { return nil }
    taken.insert(lane)
    return (lane, RowIDOrigin(number: Self.firstNumber + UInt32(lane) * width, generation: generations[lane]))
  }

  /// A table has gone that gave ids up to this generation.
  mutating func leave(_ lane: Int, newest: UInt32) {
    taken.remove(lane)
    generations[lane] = newest + 1
  }
}
