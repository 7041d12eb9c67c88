/// The rows of a source with offsets: numbered blocks of equal size.
///
/// Received rows take precedence over reported counts: a block that is not full is the last one,
/// whatever the source counts.
struct BlockGrid: BlockMap {
  private let size: Int
  private var cached: [Int: CachedBlock] = [:]
  private var failures: [Int: BlockFailure] = [:]
  /// The accuracy that the source declares.
  private let declared: CountAccuracy
  /// The accuracy of `reportedCount`.
  private var accuracyOfCount: CountAccuracy
  /// The number of rows last reported by the source.
  private var reportedCount: Int?
  /// The assumed number of rows before any is known.
  private var expected = 0
  /// The number of rows known to exist.
  private var reached = 0
  /// Whether more rows are known to follow.
  private var hasMore = true
  /// The number of rows, if their end was reached.
  private var end: Int?
  /// The offset at which a block was unexpectedly empty, according to an estimated count.
  private var emptyFrom: Int?
  private(set) var cachedRows = 0
  private(set) var cachedBytes = 0

  /// Creates a grid without rows.
  ///
  /// - Parameters:
  ///   - size: The number of rows per block.
  ///   - accuracy: The accuracy of the source's counts.
  ///   - count: The number of rows, if the source has reported it.
  init(size: Int, accuracy: CountAccuracy, count: Int? = nil) {
    self.size = size
    declared = accuracy
    accuracyOfCount = accuracy
    reportedCount = count
    // A count of zero is trusted only if the source counts exactly.
    hasMore = count != 0 || accuracy != .exact
  }

  var count: Int {
    if let end { return end }
    let least = reached + (hasMore ? 1 : 0)
    switch accuracyOfCount {
    case .unknown: return reached + (hasMore ? size : 0)
    case .exact: return max(reportedCount ?? max(size, expected), least)
    case .estimated:
      let guess = reportedCount ?? size
      // A wrong estimate is halved until a block has rows, so that the end is found in few steps.
      guard let emptyFrom, guess > emptyFrom / 2 else { return max(guess, least) }
      return max(emptyFrom / 2, least)
    }
  }
  var rowCount: Int { count }
  var accuracy: CountAccuracy {
    end != nil ? .exact : accuracyOfCount == .exact && reportedCount == nil ? .unknown : accuracyOfCount
  }
  var blocks: [(number: Int, used: UInt64)] { cached.map { ($0.key, $0.value.used) } }

  func forEach(in range: Range<Int>, _ body: (_ position: Int, BlockRow) -> Void) {
    for position in range.clamped(to: 0..<count) {
      let number = position / size
      if let block = cached[number], position - number * size < block.slots.count {
        body(position, block.row(position - number * size))
      } else {
        let failure = failures[number]
        body(
          position,
          .absent(failure.map { .failed($0.reason) } ?? .pending, failure: failure?.number ?? 0, place: .grid(number)))
      }
    }
  }

  func start(ofBlock number: Int) -> Int? { cached[number].map { _ in number * size } }
  func place(ofBlock number: Int) -> BlockItem.Place { .grid(number) }
  func slots(ofBlock number: Int) -> [UInt32] { cached[number]?.slots ?? [] }

  func rows(of place: BlockItem.Place) -> BlockRequest.What? {
    guard case .grid(let number) = place, number * size < count else { return nil }
    return .rows(after: nil, upTo: nil, skip: number * size, count: size)
  }

  mutating func take(_ place: BlockItem.Place, _ block: CachedBlock, _ answer: RowBlock) -> Result<Int?, BlockFault> {
    guard case .grid(let number) = place, cached[number] == nil else { return .success(nil) }
    let start = number * size
    if let count = answer.count {
      reportedCount = count
      accuracyOfCount = answer.accuracy(of: declared)
      // Each answer carries a new count, so the end may have moved.
      if accuracyOfCount == .exact { end = nil }
    }
    var block = block
    if answer.hasMore {
      block.slots += repeatElement(CachedBlock.leftOut, count: max(0, size - block.slots.count))
    }
    let last = start + block.slots.count
    failures[number] = nil
    keep(block.slots.isEmpty ? nil : block, as: number)
    if block.slots.isEmpty && number > 0 {
      noteEmpty(from: start)
    } else if !answer.hasMore {
      (end, reached, hasMore) = (last, last, false)
    } else {
      if let end, last >= end { self.end = nil }
      if last >= reached { (reached, hasMore) = (last, true) }
    }
    return .success(number)
  }

  mutating func expect(_ count: Int) {
    // A source with exact counts reports the end even if the request lies beyond it.
    if accuracyOfCount == .exact { expected = max(expected, count) }
  }

  /// Records that the end is at `start` or before it; an earlier block finds it.
  private mutating func noteEmpty(from start: Int) {
    if reached >= start { (reached, hasMore) = (start, false) }
    switch accuracyOfCount {
    case .exact: end = min(reportedCount ?? start, start)
    case .estimated: emptyFrom = min(emptyFrom ?? start, start)
    case .unknown: end = start
    }
  }

  mutating func fail(_ place: BlockItem.Place, _ failure: BlockFailure) {
    guard case .grid(let number) = place, cached[number] == nil else { return }
    failures[number] = failure
  }

  mutating func remove(_ index: Int, ofBlock number: Int) { cached[number]?.slots[index] = CachedBlock.elsewhere }
  mutating func noteUse(ofBlock number: Int, at tick: UInt64) { cached[number]?.used = tick }

  mutating func evict(block number: Int) -> [UInt32] {
    defer { keep(nil, as: number) }
    return cached[number]?.slots ?? []
  }

  private mutating func keep(_ block: CachedBlock?, as number: Int) {
    let previous = cached[number]
    cachedRows += (block?.slots.count ?? 0) - (previous?.slots.count ?? 0)
    cachedBytes += (block?.bytes ?? 0) - (previous?.bytes ?? 0)
    cached[number] = block
  }

  /// The blocks that are outdated, in ascending order so that the effects are deterministic.
  ///
  /// A block is outdated if it lies beyond the end, or if it is not full and rows now follow it.
  var outdated: [Int] {
    let count = count
    return cached.filter { number, block in
      let end = number * size + block.slots.count
      return number * size >= count || (block.slots.count < size && end < count)
    }.keys.sorted()
  }

  func renewed(count newCount: Int?) -> any BlockMap {
    var grid = BlockGrid(
      size: size, accuracy: declared, count: newCount ?? (count == 0 || reportedCount == 0 ? nil : reportedCount))
    if newCount == nil && grid.reportedCount != nil { grid.accuracyOfCount = accuracyOfCount }
    // The former extent is a good estimate; it is verified before it is shown.
    if accuracyOfCount == .unknown || reportedCount == nil {
      (grid.reached, grid.hasMore) = (reached, reached == 0 || hasMore)
    }
    return grid
  }
}
