/// The rows of a source with cursors: a chain of segments, each from one cursor to the next.
///
/// A segment keeps its bounds and its count when its rows are evicted. A row inserted or deleted in
/// one segment therefore moves nothing within the others. The rows after the last cursor form a
/// segment, too. Its count is one block, or all remaining rows if the source can skip rows.
struct BlockChain: BlockMap {
  private struct Segment {
    var number: Int
    var begin: BlockCursor?
    var end: BlockCursor?
    /// The number of rows, or an estimate of it.
    var count: Int
    /// Whether the count was determined from received rows.
    var isCounted = false
    /// Whether the count was determined since the last reload.
    var isFresh = false
    /// An upper bound of the count, found by requesting the rows that would follow it.
    var mostCount = Int.max
    var block: CachedBlock?
    /// The place under which `page` was requested.
    var origin: BlockItem.Place?
    var failure: BlockFailure?
  }

  /// The number of segments above which segments without loaded rows are merged.
  static let greatestSegmentCount = 4096

  private let size: Int
  private let canSkip: Bool
  /// The accuracy that the source declares.
  private let declared: CountAccuracy
  /// The accuracy of `reportedCount`.
  private var accuracyOfCount: CountAccuracy
  private var reportedCount: Int?
  /// The assumed number of rows before any is known.
  private var expected = 0
  private var segments: [Segment]
  private var nextNumber = 1
  private(set) var cachedRows = 0
  private(set) var cachedBytes = 0

  /// Creates a chain without rows.
  ///
  /// - Parameters:
  ///   - size: The number of rows per block.
  ///   - canSkip: Whether the source can skip rows after a cursor.
  ///   - accuracy: The accuracy of the source's counts.
  ///   - count: The number of rows, if the source has reported it.
  init(size: Int, canSkip: Bool, accuracy: CountAccuracy, count: Int? = nil) {
    self.size = size
    self.canSkip = canSkip
    declared = accuracy
    accuracyOfCount = accuracy
    reportedCount = count
    segments = [Segment(number: 0, count: size)]
    // A count of zero is trusted only if the source counts exactly.
    segments[0].count = count == 0 && accuracy == .exact ? 0 : restCount(beside: 0)
  }

  var count: Int { segments.reduce(0) { $0 + $1.count } }
  private var isCounted: Bool { segments.allSatisfy(\.isFresh) }
  var rowCount: Int {
    isCounted || accuracyOfCount == .unknown ? count : max(reportedCount ?? count, counted)
  }
  private var counted: Int { segments.reduce(0) { $0 + ($1.isFresh ? $1.count : 0) } }
  var accuracy: CountAccuracy {
    isCounted ? .exact : accuracyOfCount == .exact && reportedCount == nil ? .unknown : accuracyOfCount
  }
  var blocks: [(number: Int, used: UInt64)] {
    segments.compactMap { segment in segment.block.map { (segment.number, $0.used) } }
  }

  func forEach(in range: Range<Int>, _ body: (_ position: Int, BlockRow) -> Void) {
    var start = 0
    for segment in segments {
      guard start < range.upperBound else { return }
      for position in (start..<start + segment.count).clamped(to: range) {
        if let block = segment.block {
          body(position, block.row(position - start))
        } else {
          // Without skipping, a segment is loaded from its beginning.
          let place = BlockItem.Place.segment(segment.number, part: canSkip ? (position - start) / size : 0)
          body(
            position,
            .absent(
              segment.failure.map { .failed($0.reason) } ?? .pending, failure: segment.failure?.number ?? 0,
              place: place))
        }
      }
      start += segment.count
    }
  }

  func start(ofBlock number: Int) -> Int? {
    var start = 0
    for segment in segments {
      if segment.number == number { return segment.block == nil ? nil : start }
      start += segment.count
    }
    return nil
  }

  func place(ofBlock number: Int) -> BlockItem.Place {
    segments.first { $0.number == number }?.origin ?? .segment(number, part: 0)
  }
  func slots(ofBlock number: Int) -> [UInt32] { segments.first { $0.number == number }?.block?.slots ?? [] }

  func rows(of place: BlockItem.Place) -> BlockRequest.What? {
    guard case .segment(let number, let part) = place,
      let segment = segments.first(where: { $0.number == number }), segment.block == nil
    else { return nil }
    return .rows(after: segment.begin, upTo: segment.end, skip: part * size, count: size)
  }

  // MARK: Loading

  mutating func take(_ place: BlockItem.Place, _ block: CachedBlock, _ answer: RowBlock) -> Result<Int?, BlockFault> {
    guard case .segment(let number, let part) = place, let index = segments.firstIndex(where: { $0.number == number }),
      segments[index].block == nil
    else { return .success(nil) }
    if answer.hasMore && answer.end == nil {
      return .failure(BlockFault(reason: "the source says that more rows follow, and not where"))
    }
    if answer.hasMore && block.slots.isEmpty {
      return .failure(BlockFault(reason: "the source says that rows follow, and gave none"))
    }
    if part > 0 && answer.begin == nil && !block.slots.isEmpty {
      return .failure(BlockFault(reason: "the source skipped rows, and does not say where the next begins"))
    }
    if let count = answer.count { (reportedCount, accuracyOfCount) = (count, answer.accuracy(of: declared)) }
    let stored = part == 0 ? takeBeginning(index, block, answer) : takePart(index, part, block, answer)
    if let stored, let index = segments.firstIndex(where: { $0.number == stored }) { segments[index].origin = place }
    cachedRows += block.slots.count
    cachedBytes += block.slots.isEmpty ? 0 : block.bytes
    guessRest()
    settle()
    mergeEvicted()
    return .success(stored)
  }

  /// Stores the first rows of a segment, or all of them.
  private mutating func takeBeginning(_ index: Int, _ block: CachedBlock, _ answer: RowBlock) -> Int? {
    let old = segments[index]
    var reached = old
    (reached.count, reached.isCounted, reached.isFresh) = (block.slots.count, true, true)
    (reached.block, reached.failure) = (block, nil)
    guard answer.hasMore else {
      segments[index] = reached
      if block.slots.isEmpty { removeEmpty(index) }
      return block.slots.isEmpty ? nil : old.number
    }
    // Both parts get new numbers because other answers for the whole segment fit neither.
    reached.end = answer.end
    reached.number = takeNumber()
    segments[index] = reached
    let rest = Segment(
      number: takeNumber(), begin: answer.end, end: old.end, count: max(1, old.count - block.slots.count))
    segments.insert(rest, at: index + 1)
    return reached.number
  }

  /// Stores rows from the middle of a segment; the rows before and after them remain to be loaded.
  private mutating func takePart(_ index: Int, _ part: Int, _ block: CachedBlock, _ answer: RowBlock) -> Int? {
    let old = segments[index]
    let before = part * size
    guard !block.slots.isEmpty else {
      // The segment is shorter than estimated. Each empty answer at least halves the estimate.
      segments[index].mostCount = max(1, min(old.count - 1, before / 2))
      segments[index].count = segments[index].mostCount
      segments[index].number = takeNumber()
      return nil
    }
    var parts = [Segment(number: takeNumber(), begin: old.begin, end: answer.begin, count: before)]
    let number = takeNumber()
    parts.append(
      Segment(
        number: number, begin: answer.begin, end: answer.hasMore ? answer.end : old.end, count: block.slots.count,
        isCounted: true, isFresh: true, block: block))
    if answer.hasMore {
      let rest = max(1, old.count - before - block.slots.count)
      parts.append(Segment(number: takeNumber(), begin: answer.end, end: old.end, count: rest))
    }
    segments.replaceSubrange(index...index, with: parts)
    return number
  }

  /// Removes an empty segment and extends its neighbor, so that rows inserted between its ends are
  /// found.
  private mutating func removeEmpty(_ index: Int) {
    if index + 1 < segments.count {
      segments[index + 1].begin = segments[index].begin
    } else if index > 0 {
      segments[index - 1].end = segments[index].end
    } else {
      // The source has no rows.
      segments[0].block = nil
      return
    }
    segments.remove(at: index)
  }

  private mutating func takeNumber() -> Int {
    nextNumber += 1
    return nextNumber - 1
  }

  /// Updates the estimated count of the last segment.
  ///
  /// It is the rest of the source's count, or one block if the source cannot skip rows.
  private mutating func guessRest() {
    let last = segments.count - 1
    guard !segments[last].isCounted, segments[last].end == nil else { return }
    let guess = restCount(beside: segments.dropLast().reduce(0) { $0 + $1.count })
    segments[last].count = min(guess, segments[last].mostCount)
  }

  /// Adjusts segments that are not fresh to the source's exact count.
  ///
  /// The difference is attributed to the longest of these segments, where it most likely belongs.
  /// Fresh counts do not change.
  ///
  /// - Complexity: O(segments) for each segment that reaches its bound.
  private mutating func settle() {
    guard accuracyOfCount == .exact, let reportedCount, canSkip || segments[segments.count - 1].isCounted else {
      return
    }
    var missing = reportedCount - count  // bounded: both are within 2^54.
    while missing != 0 {
      let open = segments.indices.filter {
        !segments[$0].isFresh && (missing > 0 ? segments[$0].count < segments[$0].mostCount : segments[$0].count > 1)
      }
      guard let longest = open.max(by: { segments[$0].count < segments[$1].count }) else { return }
      let settled = min(max(1, segments[longest].count + missing), segments[longest].mostCount)
      missing -= settled - segments[longest].count
      segments[longest].count = settled
    }
  }

  private func restCount(beside others: Int) -> Int {
    guard let reportedCount, accuracyOfCount != .unknown else {
      return reportedCount == nil && canSkip ? max(size, expected) : size
    }
    let rest = max(1, reportedCount - others)  // bounded: both are within 2^54.
    return canSkip ? rest : min(size, accuracyOfCount == .exact ? rest : size)
  }

  mutating func expect(_ count: Int) {
    guard canSkip, accuracyOfCount == .exact, reportedCount == nil else { return }
    expected = max(expected, count)
    guessRest()
  }

  mutating func fail(_ place: BlockItem.Place, _ failure: BlockFailure) {
    guard case .segment(let number, _) = place, let index = segments.firstIndex(where: { $0.number == number }),
      segments[index].block == nil
    else { return }
    segments[index].failure = failure
  }

  mutating func remove(_ index: Int, ofBlock number: Int) {
    guard let segment = segments.firstIndex(where: { $0.number == number }) else { return }
    segments[segment].block?.slots[index] = CachedBlock.elsewhere
  }

  mutating func noteUse(ofBlock number: Int, at tick: UInt64) {
    guard let segment = segments.firstIndex(where: { $0.number == number }) else { return }
    segments[segment].block?.used = tick
  }

  // MARK: Forgetting

  mutating func evict(block number: Int) -> [UInt32] {
    guard let segment = segments.firstIndex(where: { $0.number == number }), let block = segments[segment].block else {
      return []
    }
    segments[segment].block = nil
    cachedRows -= block.slots.count
    cachedBytes -= block.bytes
    return block.slots
  }

  /// Merges segments without loaded rows, to bound the number of cursors of a long table.
  private mutating func mergeEvicted() {
    guard segments.count > Self.greatestSegmentCount else { return }
    var joined: [Segment] = []
    for segment in segments {
      guard let last = joined.last, last.block == nil, segment.block == nil, last.isCounted, segment.isCounted else {
        joined.append(segment)
        continue
      }
      joined[joined.count - 1].end = segment.end
      joined[joined.count - 1].count += segment.count
    }
    segments = joined
  }

  func renewed(count newCount: Int?) -> any BlockMap {
    guard count > 0, newCount != 0 else {
      return BlockChain(size: size, canSkip: canSkip, accuracy: declared, count: newCount)
    }
    var chain = self
    if let newCount { (chain.reportedCount, chain.accuracyOfCount) = (newCount, declared) }
    (chain.cachedRows, chain.cachedBytes) = (0, 0)
    for index in chain.segments.indices {
      (chain.segments[index].block, chain.segments[index].failure) = (nil, nil)
      (chain.segments[index].isFresh, chain.segments[index].mostCount) = (false, .max)
    }
    if newCount != nil {
      chain.guessRest()
      chain.settle()
    }
    return chain
  }
}
