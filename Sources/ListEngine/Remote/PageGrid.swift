/// The rows of a source with offsets: numbered blocks of equal size.
///
/// Received rows take precedence over reported counts: a block that is not full is the last one,
/// whatever the source counts.
struct PageGrid: PageMap {
  private let size: Int
  private var kept: [Int: KeptPage] = [:]
  private var failures: [Int: PageFailure] = [:]
  /// The accuracy that the source declares.
  private let declared: CountAccuracy
  /// The accuracy of `toldCount`.
  private var told: CountAccuracy
  /// The number of rows last reported by the source.
  private var toldCount: Int?
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
  private(set) var keptRows = 0
  private(set) var keptBytes = 0

  /// Creates a grid without rows.
  ///
  /// - Parameters:
  ///   - size: The number of rows per block.
  ///   - accuracy: The accuracy of the source's counts.
  ///   - count: The number of rows, if the source has reported it.
  init(size: Int, accuracy: CountAccuracy, count: Int? = nil) {
    self.size = size
    declared = accuracy
    told = accuracy
    toldCount = count
    // A count of zero is trusted only if the source counts exactly.
    hasMore = count != 0 || accuracy != .exact
  }

  var count: Int {
    if let end { return end }
    let least = reached + (hasMore ? 1 : 0)
    switch told {
    case .unknown: return reached + (hasMore ? size : 0)
    case .exact: return max(toldCount ?? max(size, expected), least)
    case .estimated:
      let guess = toldCount ?? size
      // A wrong estimate is halved until a block has rows, so that the end is found in few steps.
      guard let emptyFrom, guess > emptyFrom / 2 else { return max(guess, least) }
      return max(emptyFrom / 2, least)
    }
  }
  var rowCount: Int { count }
  var accuracy: CountAccuracy {
    end != nil ? .exact : told == .exact && toldCount == nil ? .unknown : told
  }
  var pages: [(number: Int, used: UInt64)] { kept.map { ($0.key, $0.value.used) } }

  func forEach(in range: Range<Int>, _ body: (_ position: Int, PageRow) -> Void) {
    for position in range.clamped(to: 0..<count) {
      let number = position / size
      if let page = kept[number], position - number * size < page.slots.count {
        body(position, page.row(position - number * size))
      } else {
        let failure = failures[number]
        body(
          position,
          .absent(failure.map { .failed($0.reason) } ?? .pending, failure: failure?.number ?? 0, place: .grid(number)))
      }
    }
  }

  func start(ofPage number: Int) -> Int? { kept[number].map { _ in number * size } }
  func place(ofPage number: Int) -> PageItem.Place { .grid(number) }
  func slots(ofPage number: Int) -> [UInt32] { kept[number]?.slots ?? [] }

  func rows(of place: PageItem.Place) -> PageRequest.What? {
    guard case .grid(let number) = place, number * size < count else { return nil }
    return .rows(after: nil, upTo: nil, skip: number * size, count: size)
  }

  mutating func take(_ place: PageItem.Place, _ page: KeptPage, _ answer: RowPage) -> Result<Int?, PageFault> {
    guard case .grid(let number) = place, kept[number] == nil else { return .success(nil) }
    let start = number * size
    if let count = answer.count {
      toldCount = count
      told = answer.accuracy(of: declared)
      // Each answer carries a new count, so the end may have moved.
      if told == .exact { end = nil }
    }
    var page = page
    if answer.hasMore {
      page.slots += repeatElement(KeptPage.leftOut, count: max(0, size - page.slots.count))
    }
    let last = start + page.slots.count
    failures[number] = nil
    keep(page.slots.isEmpty ? nil : page, as: number)
    if page.slots.isEmpty && number > 0 {
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
    if told == .exact { expected = max(expected, count) }
  }

  /// Records that the end is at `start` or before it; an earlier block finds it.
  private mutating func noteEmpty(from start: Int) {
    if reached >= start { (reached, hasMore) = (start, false) }
    switch told {
    case .exact: end = min(toldCount ?? start, start)
    case .estimated: emptyFrom = min(emptyFrom ?? start, start)
    case .unknown: end = start
    }
  }

  mutating func fail(_ place: PageItem.Place, _ failure: PageFailure) {
    guard case .grid(let number) = place, kept[number] == nil else { return }
    failures[number] = failure
  }

  mutating func takeAway(_ index: Int, ofPage number: Int) { kept[number]?.slots[index] = KeptPage.elsewhere }
  mutating func touch(page number: Int, at tick: UInt64) { kept[number]?.used = tick }

  mutating func evict(page number: Int) -> [UInt32] {
    defer { keep(nil, as: number) }
    return kept[number]?.slots ?? []
  }

  private mutating func keep(_ page: KeptPage?, as number: Int) {
    let former = kept[number]
    keptRows += (page?.slots.count ?? 0) - (former?.slots.count ?? 0)
    keptBytes += (page?.bytes ?? 0) - (former?.bytes ?? 0)
    kept[number] = page
  }

  /// The blocks that are outdated, in ascending order so that the effects are deterministic.
  ///
  /// A block is outdated if it lies beyond the end, or if it is not full and rows now follow it.
  var outdated: [Int] {
    let count = count
    return kept.filter { number, page in
      let end = number * size + page.slots.count
      return number * size >= count || (page.slots.count < size && end < count)
    }.keys.sorted()
  }

  func renewed(count newCount: Int?) -> any PageMap {
    var grid = PageGrid(
      size: size, accuracy: declared, count: newCount ?? (count == 0 || toldCount == 0 ? nil : toldCount))
    if newCount == nil && grid.toldCount != nil { grid.told = told }
    // The former extent is a good estimate; it is verified before it is shown.
    if told == .unknown || toldCount == nil { (grid.reached, grid.hasMore) = (reached, reached == 0 || hasMore) }
    return grid
  }
}
