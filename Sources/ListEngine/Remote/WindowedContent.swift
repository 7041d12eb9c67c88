/// The known part of a source's answer to the query of a ``WindowedView``: sections, and blocks of
/// rows.
final class WindowedContent {
  /// The location of a loaded row.
  struct Home {
    var leaf: Int
    var block: Int
    var index: Int
  }

  /// The rows of a section of the last column, or all rows without grouping.
  private struct Leaf {
    var section: Section?
    var map: any BlockMap
    /// The position of the first row.
    var start = 0
  }

  private enum Part {
    case header(Section)
    case leaf(Int)
  }

  /// The number of reloads before this content.
  let generation: Int
  /// The number of placeholders while nothing is known.
  private let size: Int
  private var leaves: [Leaf] = []
  /// The headers and leaves in order, with their start positions.
  private var parts: [(start: Int, part: Part)] = []
  private var homes: [UInt32: Home] = [:]
  /// The sections, each after its parent.
  private var sections: [Section] = []
  private var sectionOfPath: [[Cell]: Section] = [:]
  private var sectionOfNumber: [UInt32: Section] = [:]
  private var leafOfPath: [[Cell]: Int] = [:]
  private var headerPositions: [UInt32: Int] = [:]
  /// Whether the sections are known.
  private(set) var hasSections: Bool
  /// The failure of the request for sections.
  var sectionFailure: BlockFailure?
  /// Whether the source has answered.
  private(set) var isAnswered = false
  private(set) var itemCount: Int
  private(set) var cachedRows = 0
  private(set) var cachedBytes = 0

  /// Creates the content of all rows, or of sections to be requested if `map` is `nil`.
  init(generation: Int, size: Int, map: (any BlockMap)?) {
    self.generation = generation
    self.size = size
    itemCount = size
    hasSections = map != nil
    guard let map else { return }
    leaves = [Leaf(section: nil, map: map)]
    arrange()
  }

  /// The maps by the paths of their sections.
  var maps: [[Cell]: any BlockMap] {
    Dictionary(uniqueKeysWithValues: leaves.map { ($0.section?.path ?? [], $0.map) })
  }

  var rowCount: Int { leaves.reduce(0) { $0 + $1.map.rowCount } }

  var accuracy: CountAccuracy {
    guard hasSections else { return .unknown }
    var worst = CountAccuracy.exact
    for leaf in leaves {
      if leaf.map.accuracy == .unknown { return .unknown }
      if leaf.map.accuracy == .estimated { worst = .estimated }
    }
    return worst
  }

  // MARK: Sections

  /// Stores the sections reported by the source.
  ///
  /// - Parameters:
  ///   - counts: The paths and row counts of the innermost sections.
  ///   - root: The section of all rows.
  ///   - key: Returns the collation key of a value at a level.
  ///   - make: Creates a section from its path, its key and its parent.
  ///   - map: Creates the rows of a section.
  /// - Precondition: All paths are distinct.
  func take(
    _ counts: [SectionCount], root: Section, key: (_ level: Int, _ value: Cell) -> [UInt8],
    make: (_ path: [Cell], _ key: [UInt8], _ parent: Section) -> Section,
    map: (SectionCount) -> any BlockMap
  ) {
    (hasSections, isAnswered, sectionFailure) = (true, true, nil)
    (leaves, parts, sections) = ([], [], [root])
    let keyed = counts.map { (count: $0, keys: $0.values.enumerated().map(key)) }
    for (count, keys) in keyed.sorted(by: { Self.precedes($0.count.values, $0.keys, $1.count.values, $1.keys) }) {
      var parent = root
      for level in count.values.indices {
        let path = Array(count.values[...level])
        if let known = sectionOfPath[path] {
          parent = known
          continue
        }
        let section = make(path, keys[level], parent)
        sectionOfPath[path] = section
        sectionOfNumber[section.number] = section
        sections.append(section)
        parts.append((0, .header(section)))
        parent = section
      }
      parts.append((0, .leaf(leaves.count)))
      leafOfPath[count.values] = leaves.count
      leaves.append(Leaf(section: parent, map: map(count)))
    }
    arrange()
  }

  private static func precedes(_ a: [Cell], _ aKeys: [[UInt8]], _ b: [Cell], _ bKeys: [[UInt8]]) -> Bool {
    guard let level = a.indices.first(where: { a[$0] != b[$0] }) else { return false }
    return Section.precedes(a[level], aKeys[level], b[level], bKeys[level])
  }

  func section(at path: [Cell]) -> Section? { path.isEmpty ? sections.first : sectionOfPath[path] }
  func section(numbered number: UInt32) -> Section? { sectionOfNumber[number] }
  func position(of section: Section) -> Int? { headerPositions[section.number] }
  /// Returns the path of a leaf's section.
  func path(ofLeaf leaf: Int) -> [Cell] { leaves.indices.contains(leaf) ? leaves[leaf].section?.path ?? [] : [] }

  /// Updates the positions and counts of all sections.
  ///
  /// - Complexity: O(sections).
  private func arrange() {
    for section in sections { (section.rows, section.items) = (0, section.level < 0 ? 0 : 1) }
    if leaves.count == 1 && leaves[0].section == nil { parts = [(0, .leaf(0))] }
    var position = 0
    for index in parts.indices {
      parts[index].start = position
      switch parts[index].part {
      case .header(let section):
        headerPositions[section.number] = position
        position += 1
      case .leaf(let leaf):
        leaves[leaf].start = position
        position += leaves[leaf].map.count
        guard let section = leaves[leaf].section else { continue }
        (section.rows, section.items) = (leaves[leaf].map.rowCount, 1 + leaves[leaf].map.count)
      }
    }
    for section in sections.reversed() {
      if let parent = section.parent {
        parent.rows += section.rows
        parent.items += section.items
      }
      guard section.rows != section.announcedCount else { continue }
      section.announcedCount = section.rows
      section.revision &+= 1
    }
    itemCount = position
    cachedRows = leaves.reduce(0) { $0 + $1.map.cachedRows }
    cachedBytes = leaves.reduce(0) { $0 + $1.map.cachedBytes }
  }

  // MARK: Reading

  /// Returns the position of a row among the items, or `nil` if it is not loaded.
  func position(of slot: UInt32) -> Int? {
    guard let home = homes[slot], let start = leaves[home.leaf].map.start(ofBlock: home.block) else { return nil }
    return leaves[home.leaf].start + start + home.index
  }

  /// Adjacent rows of one leaf, counted from its first row.
  struct Stretch {
    var leaf: Int
    var rows: Range<Int>
  }

  /// Returns the leaf and row number at a position, or `nil` for a header or without known
  /// sections.
  ///
  /// - Complexity: O(log sections).
  func spot(at position: Int) -> (leaf: Int, row: Int)? {
    guard hasSections else { return nil }
    let index = firstPart { $0 > position } - 1
    guard index >= 0, case .leaf(let leaf) = parts[index].part else { return nil }
    return (leaf, position - parts[index].start)
  }

  /// Returns the leaf and row number of a loaded row.
  func spot(of slot: UInt32) -> (leaf: Int, row: Int)? {
    guard let home = homes[slot], let start = leaves[home.leaf].map.start(ofBlock: home.block) else { return nil }
    return (home.leaf, start + home.index)
  }

  /// Returns the leaf of a section; without grouping its path is empty.
  func leaf(at path: [Cell]) -> Int? { path.isEmpty ? (leaves.count == 1 ? 0 : nil) : leafOfPath[path] }

  /// Returns the number of positions of a leaf.
  func count(ofLeaf leaf: Int) -> Int { leaves[leaf].map.count }

  /// Calls a closure with each row of a stretch.
  func forEach(_ stretch: Stretch, _ body: (_ row: Int, BlockRow) -> Void) {
    leaves[stretch.leaf].map.forEach(in: stretch.rows, body)
  }

  func home(of slot: UInt32) -> Home? { homes[slot] }

  /// The loaded rows.
  var slots: some Collection<UInt32> { homes.keys }

  /// Returns the items in a range of positions, in order.
  func items(_ range: Range<Int>, view: Int) -> [ListView.Item] {
    guard hasSections else {
      let why = sectionFailure.map { Missing.failed($0.reason) } ?? .pending
      let item = BlockItem(view: view, generation: generation, place: .sections)
      return range.map { .absent(AbsentRow(at: $0, why, failure: sectionFailure?.number ?? 0, item: item)) }
    }
    var items: [ListView.Item] = []
    items.reserveCapacity(range.count)
    var index = max(0, firstPart { $0 > range.lowerBound } - 1)
    while index < parts.count, parts[index].start < range.upperBound {
      switch parts[index].part {
      case .header(let section): if range.contains(parts[index].start) { items.append(.header(section)) }
      case .leaf(let leaf):
        let start = parts[index].start
        let own = (start..<start + leaves[leaf].map.count).clamped(to: range)
        leaves[leaf].map.forEach(in: own.lowerBound - start..<own.upperBound - start) { position, row in
          switch row {
          case .there(let slot): items.append(.row(slot))
          case .absent(let why, let failure, let place):
            let item = place.map { BlockItem(view: view, generation: generation, leaf: leaf, place: $0) }
            items.append(.absent(AbsentRow(at: start + position, why, failure: failure, item: item)))
          }
        }
      }
      index += 1
    }
    return items
  }

  private func firstPart(_ isAfter: (Int) -> Bool) -> Int {
    var low = 0
    var high = parts.count
    while low < high {
      let middle = (low + high) / 2
      if isAfter(parts[middle].start) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  func sections(above position: Int) -> [Section] {
    // If several begin at the same position, all but the last are empty.
    let index = firstPart { $0 > position } - 1
    guard index >= 0 else { return [] }
    switch parts[index].part {
    case .header(let section): return section.chain.dropLast()
    case .leaf(let leaf): return leaves[leaf].section?.chain ?? []
    }
  }

  // MARK: Blocks

  /// Returns the request for an item, or `nil` if it is no longer needed.
  func request(for item: BlockItem) -> BlockRequest.What? {
    leaves.indices.contains(item.leaf) ? leaves[item.leaf].map.rows(of: item.place) : nil
  }

  /// Returns the item under which a loaded block was requested.
  func item(of home: Home, view: Int) -> BlockItem {
    BlockItem(
      view: view, generation: generation, leaf: home.leaf, place: leaves[home.leaf].map.place(ofBlock: home.block))
  }

  /// Stores a received block.
  ///
  /// Returns whether one of its rows was known elsewhere, which reveals a change at the source.
  ///
  /// - Parameter lost: Receives the rows whose references are to be released.
  func take(_ item: BlockItem, _ block: CachedBlock, _ answer: RowBlock, lost: inout [UInt32]) -> Result<
    Bool, BlockFault
  > {
    guard leaves.indices.contains(item.leaf) else { return .success(false) }
    if let fault = fault(answer, leaf: item.leaf) { return .failure(fault) }
    let number: Int?
    switch leaves[item.leaf].map.take(item.place, block, answer) {
    case .failure(let fault): return .failure(fault)
    case .success(let taken): number = taken
    }
    isAnswered = true
    var hasMoved = false
    for (index, slot) in block.slots.enumerated() where number != nil && CachedBlock.isRow(slot) {
      let home = Home(leaf: item.leaf, block: number ?? 0, index: index)
      guard let previous = homes.updateValue(home, forKey: slot) else { continue }
      hasMoved = true
      lost.append(slot)
      leaves[previous.leaf].map.remove(previous.index, ofBlock: previous.block)
    }
    if number == nil { lost += block.slots.filter(CachedBlock.isRow) }
    for outdated in (leaves[item.leaf].map as? BlockGrid)?.outdated ?? [] {
      lost += evict(leaf: item.leaf, block: outdated)
    }
    arrange()
    return .success(hasMoved)
  }

  /// Returns a fault if the sections' total row count would exceed the limit.
  private func fault(_ answer: RowBlock, leaf: Int) -> BlockFault? {
    guard let count = answer.count, count > leaves[leaf].map.extent else { return nil }
    let others = leaves.reduce(0) { $0 + $1.map.extent } - leaves[leaf].map.extent
    guard count > BlockRequest.greatestCount - others else { return nil }
    return BlockFault(reason: "the source counts more than \(BlockRequest.greatestCount) rows in its sections")
  }

  /// Sets the number of rows that a client wants to see before any is known.
  func expect(_ count: Int) {
    guard !isAnswered, leaves.count == 1 else { return }
    leaves[0].map.expect(count)
    arrange()
  }

  func fail(_ item: BlockItem, _ failure: BlockFailure) {
    isAnswered = true
    if item.place == .sections {
      sectionFailure = failure
    } else if leaves.indices.contains(item.leaf) {
      leaves[item.leaf].map.fail(item.place, failure)
    }
  }

  /// The loaded blocks.
  var blocks: [(leaf: Int, block: Int, used: UInt64)] {
    leaves.indices.flatMap { leaf in leaves[leaf].map.blocks.map { (leaf, $0.number, $0.used) } }
  }

  func noteUse(of home: Home, at tick: UInt64) { leaves[home.leaf].map.noteUse(ofBlock: home.block, at: tick) }

  /// Evicts a block and returns its rows.
  func evict(leaf: Int, block: Int) -> [UInt32] {
    let slots = leaves[leaf].map.evict(block: block).filter(CachedBlock.isRow)
    for slot in slots { homes[slot] = nil }
    (cachedRows, cachedBytes) = (
      leaves.reduce(0) { $0 + $1.map.cachedRows }, leaves.reduce(0) { $0 + $1.map.cachedBytes }
    )
    return slots
  }

  /// Returns the rows that came or went between this content and another.
  ///
  /// A row counts if the other content lacks it although it has the rows on both sides.
  ///
  /// - Complexity: O(loaded rows).
  func rowsMissing(from other: WindowedContent) -> [UInt32] {
    var missing: [UInt32] = []
    for leaf in leaves {
      let blocks = leaf.map.blocks.compactMap { block in
        leaf.map.start(ofBlock: block.number).map { (start: $0, slots: leaf.map.slots(ofBlock: block.number)) }
      }
      var run: [UInt32] = []
      var isBounded = false
      var end = -1
      for (start, slots) in blocks.sorted(by: { $0.start < $1.start }) {
        // No row precedes the first one. At other edges of the loaded part a missing row may exist.
        if start != end { (run, isBounded) = ([], start == 0) }
        end = start + slots.count
        for slot in slots {
          if !CachedBlock.isRow(slot) || other.homes[slot] != nil {
            missing += run
            (run, isBounded) = ([], CachedBlock.isRow(slot))
          } else if isBounded {
            run.append(slot)
          }
        }
      }
      if end == leaf.map.count { missing += run }
    }
    return missing
  }
}
