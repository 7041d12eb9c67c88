/// The rows of a source that gives cursors: a chain of segments, each from one cursor to the next.
///
/// A segment keeps its ends and its count when its rows are forgotten. So a row that comes or goes in one of them moves nothing in the
/// others, whether their rows are there or not. What lies beyond the last cursor is a segment too: of one page, unless the source can be
/// told to skip rows; then of all that it says there are.
struct PageChain: PageMap {
  private struct Segment {
    var number: Int
    var begin: PageCursor?
    var end: PageCursor?
    /// How many rows it has, or is guessed to have.
    var count: Int
    /// Whether that was seen.
    var isCounted = false
    /// Whether that was since everything was asked for anew.
    var isFresh = false
    /// More it cannot be, whatever the source guesses: it was asked for what would follow.
    var mostCount = Int.max
    var page: KeptPage?
    /// What `page` was asked for as.
    var origin: PageItem.Place?
    var failure: PageFailure?
  }

  /// Beyond so many segments those are joined that have no rows here.
  static let greatestSegmentCount = 4096

  private let size: Int
  private let canSkip: Bool
  private let told: CountAccuracy
  private var toldCount: Int?
  /// How many rows are thought to be there before anything is known.
  private var expected = 0
  private var segments: [Segment]
  private var nextNumber = 1
  private(set) var keptRows = 0
  private(set) var keptBytes = 0

  /// Nothing is known but how well the source counts, and perhaps how many rows it has.
  init(size: Int, canSkip: Bool, accuracy: CountAccuracy, count: Int? = nil) {
    self.size = size
    self.canSkip = canSkip
    told = accuracy
    toldCount = count
    segments = [Segment(number: 0, count: size)]
    // Only a source that counts is believed that there is nothing.
    segments[0].count = count == 0 && accuracy == .exact ? 0 : restCount(beside: 0)
  }

  var count: Int { segments.reduce(0) { $0 + $1.count } }
  private var isCounted: Bool { segments.allSatisfy(\.isFresh) }
  var rowCount: Int {
    isCounted || told == .unknown ? count : max(toldCount ?? count, counted)
  }
  private var counted: Int { segments.reduce(0) { $0 + ($1.isFresh ? $1.count : 0) } }
  var accuracy: CountAccuracy {
    isCounted ? .exact : told == .exact && toldCount == nil ? .unknown : told
  }
  var pages: [(number: Int, used: UInt64)] {
    segments.compactMap { segment in segment.page.map { (segment.number, $0.used) } }
  }

  func forEach(in range: Range<Int>, _ body: (_ position: Int, PageRow) -> Void) {
    var start = 0
    for segment in segments {
      guard start < range.upperBound else { return }
      for position in (start..<start + segment.count).clamped(to: range) {
        if let page = segment.page {
          body(position, page.row(position - start))
        } else {
          // Without skipping it is reached from its beginning only.
          let place = PageItem.Place.segment(segment.number, part: canSkip ? (position - start) / size : 0)
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

  func start(ofPage number: Int) -> Int? {
    var start = 0
    for segment in segments {
      if segment.number == number { return segment.page == nil ? nil : start }
      start += segment.count
    }
    return nil
  }

  func place(ofPage number: Int) -> PageItem.Place {
    segments.first { $0.number == number }?.origin ?? .segment(number, part: 0)
  }
  func slots(ofPage number: Int) -> [UInt32] { segments.first { $0.number == number }?.page?.slots ?? [] }

  func rows(of place: PageItem.Place) -> PageRequest.What? {
    guard case .segment(let number, let part) = place,
      let segment = segments.first(where: { $0.number == number }), segment.page == nil
    else { return nil }
    return .rows(after: segment.begin, upTo: segment.end, skip: part * size, count: size)
  }

  // MARK: What comes

  mutating func take(_ place: PageItem.Place, _ page: KeptPage, _ answer: RowPage) -> Result<Int?, PageFault> {
    guard case .segment(let number, let part) = place, let index = segments.firstIndex(where: { $0.number == number }),
      segments[index].page == nil
    else { return .success(nil) }
    if answer.hasMore && answer.end == nil {
      return .failure(PageFault(reason: "the source says that more rows follow, and not where"))
    }
    if answer.hasMore && page.slots.isEmpty {
      return .failure(PageFault(reason: "the source says that rows follow, and gave none"))
    }
    if part > 0 && answer.begin == nil && !page.slots.isEmpty {
      return .failure(PageFault(reason: "the source skipped rows, and does not say where the next begins"))
    }
    if let count = answer.count { toldCount = count }
    let kept = part == 0 ? takeBeginning(index, page, answer) : takePart(index, part, page, answer)
    if let kept, let index = segments.firstIndex(where: { $0.number == kept }) { segments[index].origin = place }
    keptRows += page.slots.count
    keptBytes += page.slots.isEmpty ? 0 : page.bytes
    guessRest()
    settle()
    joinForgotten()
    return .success(kept)
  }

  /// The first rows of a segment, or all of them.
  private mutating func takeBeginning(_ index: Int, _ page: KeptPage, _ answer: RowPage) -> Int? {
    let old = segments[index]
    var reached = old
    (reached.count, reached.isCounted, reached.isFresh) = (page.slots.count, true, true)
    (reached.page, reached.failure) = (page, nil)
    guard answer.hasMore else {
      segments[index] = reached
      if page.slots.isEmpty { removeEmpty(index) }
      return page.slots.isEmpty ? nil : old.number
    }
    // Both parts get numbers of their own: what else was asked of the whole is an answer to neither.
    reached.end = answer.end
    reached.number = takeNumber()
    segments[index] = reached
    let rest = Segment(
      number: takeNumber(), begin: answer.end, end: old.end, count: max(1, old.count - page.slots.count))
    segments.insert(rest, at: index + 1)
    return reached.number
  }

  /// Rows from within a segment: what comes before and after them stays to be asked for.
  private mutating func takePart(_ index: Int, _ part: Int, _ page: KeptPage, _ answer: RowPage) -> Int? {
    let old = segments[index]
    let before = part * size
    guard !page.slots.isEmpty else {
      // The segment is shorter than was thought. Each empty answer halves the guess at least.
      segments[index].mostCount = max(1, min(old.count - 1, before / 2))
      segments[index].count = segments[index].mostCount
      segments[index].number = takeNumber()
      return nil
    }
    var parts = [Segment(number: takeNumber(), begin: old.begin, end: answer.begin, count: before)]
    let number = takeNumber()
    parts.append(
      Segment(
        number: number, begin: answer.begin, end: answer.hasMore ? answer.end : old.end, count: page.slots.count,
        isCounted: true, isFresh: true, page: page))
    if answer.hasMore {
      let rest = max(1, old.count - before - page.slots.count)
      parts.append(Segment(number: takeNumber(), begin: answer.end, end: old.end, count: rest))
    }
    segments.replaceSubrange(index...index, with: parts)
    return number
  }

  /// What is left of a segment without rows goes to its neighbour, so that rows to come between its ends are found.
  private mutating func removeEmpty(_ index: Int) {
    if index + 1 < segments.count {
      segments[index + 1].begin = segments[index].begin
    } else if index > 0 {
      segments[index - 1].end = segments[index].end
    } else {
      // There are no rows at all.
      segments[0].page = nil
      return
    }
    segments.remove(at: index)
  }

  private mutating func takeNumber() -> Int {
    nextNumber += 1
    return nextNumber - 1
  }

  /// What lies beyond the last cursor is as long as the source says, or one page as long as nobody can go there anyway.
  private mutating func guessRest() {
    let last = segments.count - 1
    guard !segments[last].isCounted, segments[last].end == nil else { return }
    let guess = restCount(beside: segments.dropLast().reduce(0) { $0 + $1.count })
    segments[last].count = min(guess, segments[last].mostCount)
  }

  /// Where the source counts, what it counts more or fewer has come or gone where nobody has looked since: as likely as not in the longest of
  /// those segments. What was seen stays as it is.
  ///
  /// - Complexity: O(segments), for each one that has no room.
  private mutating func settle() {
    guard told == .exact, let toldCount, canSkip || segments[segments.count - 1].isCounted else { return }
    var missing = toldCount - count  // bounded: both are within 2^54
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
    guard let toldCount, told != .unknown else { return toldCount == nil && canSkip ? max(size, expected) : size }
    let rest = max(1, toldCount - others)  // bounded: both are within 2^54
    return canSkip ? rest : min(size, told == .exact ? rest : size)
  }

  mutating func expect(_ count: Int) {
    guard canSkip, told == .exact, toldCount == nil else { return }
    expected = max(expected, count)
    guessRest()
  }

  mutating func fail(_ place: PageItem.Place, _ failure: PageFailure) {
    guard case .segment(let number, _) = place, let index = segments.firstIndex(where: { $0.number == number }),
      segments[index].page == nil
    else { return }
    segments[index].failure = failure
  }

  mutating func takeAway(_ index: Int, ofPage number: Int) {
    guard let segment = segments.firstIndex(where: { $0.number == number }) else { return }
    segments[segment].page?.slots[index] = KeptPage.elsewhere
  }

  mutating func touch(page number: Int, at tick: UInt64) {
    guard let segment = segments.firstIndex(where: { $0.number == number }) else { return }
    segments[segment].page?.used = tick
  }

  // MARK: Forgetting

  mutating func evict(page number: Int) -> [UInt32] {
    guard let segment = segments.firstIndex(where: { $0.number == number }), let page = segments[segment].page else {
      return []
    }
    segments[segment].page = nil
    keptRows -= page.slots.count
    keptBytes -= page.bytes
    return page.slots
  }

  /// Cursors are few enough to keep; but not all of a table that was read from end to end.
  private mutating func joinForgotten() {
    guard segments.count > Self.greatestSegmentCount else { return }
    var joined: [Segment] = []
    for segment in segments {
      guard let last = joined.last, last.page == nil, segment.page == nil, last.isCounted, segment.isCounted else {
        joined.append(segment)
        continue
      }
      joined[joined.count - 1].end = segment.end
      joined[joined.count - 1].count += segment.count
    }
    segments = joined
  }

  func renewed(count newCount: Int?) -> any PageMap {
    guard count > 0, newCount != 0 else {
      return PageChain(size: size, canSkip: canSkip, accuracy: told, count: newCount)
    }
    var chain = self
    if let newCount { chain.toldCount = newCount }
    (chain.keptRows, chain.keptBytes) = (0, 0)
    for index in chain.segments.indices {
      (chain.segments[index].page, chain.segments[index].failure) = (nil, nil)
      (chain.segments[index].isFresh, chain.segments[index].mostCount) = (false, .max)
    }
    if newCount != nil {
      chain.guessRest()
      chain.settle()
    }
    return chain
  }
}
