import Testing

@testable import ListEngine

/// The rows of a windowed view: a grid of offsets, and a chain of cursors.
@Suite struct BlockMapTests {
  /// Returns a block of rows with these slots.
  private func block(_ slots: Range<UInt32>) -> CachedBlock {
    CachedBlock(slots: Array(slots), bytes: slots.count * 100, used: 0)
  }

  private func answer(
    _ count: Int? = nil, isEstimated: Bool = false, hasMore: Bool = false, begin: String? = nil, end: String? = nil
  ) -> RowBlock {
    RowBlock(
      [], hasMore: hasMore, count: count, isCountEstimated: isEstimated, begin: begin.map { BlockCursor($0) },
      end: end.map { BlockCursor($0) })
  }

  /// Returns one character per row: a digit for a loaded row, `.` for one to load, `!` for a failed
  /// one.
  private func picture(_ map: any BlockMap) -> String {
    var picture = ""
    map.forEach(in: 0..<map.count) { _, row in
      switch row {
      case .there(let slot): picture += "\(slot % 10)"
      case .absent(.pending, _, _): picture += "."
      case .absent(.failed, _, _): picture += "!"
      }
    }
    return picture
  }

  // MARK: Grid

  private func take(_ grid: inout BlockGrid, _ number: Int, _ slots: Range<UInt32>, _ answer: RowBlock) {
    guard case .success = grid.take(.grid(number), block(slots), answer) else {
      Issue.record("page \(number) is refused")
      return
    }
  }

  @Test func `a new grid has one block, or no rows if the count is 0`() {
    #expect(picture(BlockGrid(size: 4, accuracy: .exact)) == "....")
    #expect(BlockGrid(size: 4, accuracy: .exact).accuracy == .unknown)
    #expect(picture(BlockGrid(size: 4, accuracy: .unknown)) == "....")
    #expect(picture(BlockGrid(size: 4, accuracy: .exact, count: 0)) == "")
  }

  @Test func `a grid is as long as the exact count`() {
    var grid = BlockGrid(size: 4, accuracy: .exact)
    take(&grid, 0, 0..<4, answer(10, hasMore: true))
    #expect(picture(grid) == "0123......")
    #expect(grid.accuracy == .exact)
    take(&grid, 2, 8..<10, answer(10))
    #expect(picture(grid) == "0123....89")
  }

  @Test func `an estimate stays an estimate until the exact count arrives`() throws {
    var grid = BlockGrid(size: 4, accuracy: .exact)
    take(&grid, 0, 0..<4, answer(100, isEstimated: true, hasMore: true))
    #expect(grid.count == 100)
    #expect(grid.accuracy == .estimated)
    // Nothing at the place that the estimate promised: the end is looked for.
    take(&grid, 20, 0..<0, answer(100, isEstimated: true))
    #expect(grid.count == 40)
    #expect((grid.renewed(count: nil) as? BlockGrid)?.accuracy == .estimated)
    #expect((grid.renewed(count: 9) as? BlockGrid)?.accuracy == .exact)
    take(&grid, 1, 4..<8, answer(9, hasMore: true))
    #expect(grid.count == 9)
    #expect(grid.accuracy == .exact)

    var chain = BlockChain(size: 4, canSkip: true, accuracy: .exact)
    take(&chain, 0, 0..<4, answer(100, isEstimated: true, hasMore: true, end: "d"))
    #expect(chain.rowCount == 100)
    #expect(chain.accuracy == .estimated)
    #expect((chain.renewed(count: nil) as? BlockChain)?.accuracy == .estimated)
    let rest = try segment(places(chain).first)
    take(&chain, rest, 4..<8, answer(9, hasMore: true, end: "h"))
    #expect(chain.rowCount == 9)
    #expect(chain.accuracy == .exact)
    #expect(picture(chain) == "01234567.")
  }

  @Test func `received rows take precedence over the reported count`() {
    var grid = BlockGrid(size: 4, accuracy: .exact)
    take(&grid, 1, 4..<6, answer(10))
    #expect(grid.count == 6)
    var long = BlockGrid(size: 4, accuracy: .exact)
    take(&long, 1, 4..<8, answer(5, hasMore: true))
    #expect(long.count == 9)
  }

  @Test func `a grid of unknown count adds one block until the end`() {
    var grid = BlockGrid(size: 4, accuracy: .unknown)
    take(&grid, 0, 0..<4, answer(hasMore: true))
    #expect(picture(grid) == "0123....")
    #expect(grid.accuracy == .unknown)
    take(&grid, 1, 4..<8, answer())
    #expect(picture(grid) == "01234567")
    #expect(grid.accuracy == .exact)
  }

  @Test func `an empty block bounds the count and halves an estimate`() {
    var grid = BlockGrid(size: 4, accuracy: .exact, count: 100)
    take(&grid, 20, 0..<0, answer(6))
    #expect(grid.count == 6)
    var guess = BlockGrid(size: 4, accuracy: .estimated, count: 100)
    take(&guess, 20, 0..<0, answer(100))
    #expect(guess.count == 40)
    take(&guess, 5, 20..<24, answer(100, hasMore: true))
    #expect(guess.count == 40)
    take(&guess, 9, 0..<0, answer(100))
    #expect(guess.count == 25)
  }

  @Test func `a grid requests a block by its offset, none past the end`() {
    let grid = BlockGrid(size: 4, accuracy: .exact, count: 9)
    #expect(grid.rows(of: .grid(2)) == .rows(after: nil, upTo: nil, skip: 8, count: 4))
    #expect(grid.rows(of: .grid(3)) == nil)
  }

  @Test func `a short last block is outdated when more rows follow`() {
    var grid = BlockGrid(size: 4, accuracy: .exact)
    take(&grid, 0, 0..<4, answer(6, hasMore: true))
    take(&grid, 1, 4..<6, answer(6))
    #expect(grid.outdated == [])
    // The source has one row more than when it returned the last block.
    _ = grid.evict(block: 0)
    take(&grid, 0, 0..<4, answer(7, hasMore: true))
    #expect(grid.outdated == [1])
    _ = grid.evict(block: 1)
    #expect(picture(grid) == "0123...")
    take(&grid, 1, 4..<7, answer(7))
    #expect(grid.outdated == [])
  }

  @Test func `blocks beyond a new end are outdated`() {
    var grid = BlockGrid(size: 4, accuracy: .exact)
    for number in 0..<3 {
      take(&grid, number, UInt32(number) * 4..<UInt32(number) * 4 + 4, answer(20, hasMore: true))
    }
    _ = grid.evict(block: 0)
    take(&grid, 0, 0..<4, answer(4))
    #expect(grid.outdated == [1, 2])
  }

  @Test func `a grid evicts blocks, and a renewed grid has none`() {
    var grid = BlockGrid(size: 4, accuracy: .exact)
    take(&grid, 0, 0..<4, answer(10, hasMore: true))
    take(&grid, 1, 4..<8, answer(10, hasMore: true))
    #expect((grid.cachedRows, grid.cachedBytes) == (8, 800))
    #expect(grid.evict(block: 0) == [0, 1, 2, 3])
    #expect((grid.cachedRows, grid.cachedBytes) == (4, 400))
    #expect(picture(grid) == "....4567..")
    #expect(picture(grid.renewed(count: nil)) == "..........")
    #expect(picture(grid.renewed(count: 3)) == "...")
    #expect(grid.renewed(count: nil).cachedRows == 0)
  }

  @Test func `a failure occupies only a block that is not loaded`() {
    var grid = BlockGrid(size: 4, accuracy: .exact, count: 10)
    grid.fail(.grid(1), BlockFailure(reason: "gone", number: 7))
    #expect(picture(grid) == "....!!!!..")
    take(&grid, 1, 4..<8, answer(10, hasMore: true))
    grid.fail(.grid(1), BlockFailure(reason: "gone", number: 8))
    #expect(picture(grid) == "....4567..")
  }

  // MARK: Chain

  private func take(_ chain: inout BlockChain, _ number: Int, part: Int = 0, _ slots: Range<UInt32>, _ answer: RowBlock)
  {
    guard case .success = chain.take(.segment(number, part: part), block(slots), answer) else {
      Issue.record("segment \(number) is refused")
      return
    }
  }

  /// Returns the segments that would be requested, from the first to the last.
  private func places(_ chain: BlockChain) -> [BlockItem.Place] {
    var places: [BlockItem.Place] = []
    chain.forEach(in: 0..<chain.count) { _, row in
      if case .absent(_, _, let place?) = row, places.last != place { places.append(place) }
    }
    return places
  }

  private func segment(_ place: BlockItem.Place?) throws -> Int {
    let number: Int? = if case .segment(let number, _)? = place { number } else { nil }
    return try #require(number, "\(String(describing: place)) is no segment")
  }

  @Test func `a chain grows by a segment from each end cursor`() throws {
    var chain = BlockChain(size: 4, canSkip: false, accuracy: .unknown)
    #expect(picture(chain) == "....")
    #expect(chain.rows(of: .segment(0, part: 0)) == .rows(after: nil, upTo: nil, skip: 0, count: 4))
    take(&chain, 0, 0..<4, answer(hasMore: true, end: "d"))
    #expect(picture(chain) == "0123....")
    #expect(chain.accuracy == .unknown)
    let next = places(chain)
    #expect(next.count == 1)
    #expect(chain.rows(of: next[0]) == .rows(after: BlockCursor("d"), upTo: nil, skip: 0, count: 4))
    let number = try segment(next[0])
    take(&chain, number, 4..<6, answer())
    #expect(picture(chain) == "012345")
    #expect(chain.accuracy == .exact)
  }

  @Test func `an evicted segment keeps its cursors and its count`() throws {
    var chain = BlockChain(size: 4, canSkip: false, accuracy: .unknown)
    take(&chain, 0, 0..<4, answer(hasMore: true, end: "d"))
    let second = try segment(places(chain).first)
    take(&chain, second, 4..<8, answer(hasMore: true, end: "h"))
    let first = chain.blocks.map(\.number).min() ?? -1
    #expect(chain.evict(block: first) == [0, 1, 2, 3])
    #expect(picture(chain) == "....4567....")
    #expect(chain.rows(of: .segment(first, part: 0)) == .rows(after: nil, upTo: BlockCursor("d"), skip: 0, count: 4))
    // Two more rows between its cursors: the rows below shift, and no request is needed there.
    take(&chain, first, 0..<4, answer(hasMore: true, end: "c"))
    #expect(picture(chain) == "0123.4567....")
    let rest = try segment(places(chain).first)
    #expect(
      chain.rows(of: .segment(rest, part: 0))
        == .rows(after: BlockCursor("c"), upTo: BlockCursor("d"), skip: 0, count: 4)
    )
    take(&chain, rest, 0..<0, answer())
    #expect(picture(chain) == "01234567....")
  }

  @Test func `a chain that can skip loads any part of a segment`() throws {
    var chain = BlockChain(size: 4, canSkip: true, accuracy: .exact)
    take(&chain, 0, 0..<4, answer(20, hasMore: true, end: "d"))
    #expect(picture(chain) == "0123" + String(repeating: ".", count: 16))
    let rest = try segment(places(chain).first)
    #expect(chain.rows(of: .segment(rest, part: 2)) == .rows(after: BlockCursor("d"), upTo: nil, skip: 8, count: 4))
    take(&chain, rest, part: 2, 2..<6, answer(20, hasMore: true, begin: "l", end: "p"))
    #expect(picture(chain) == "0123........2345....")
    // Other requests for the former segment answer nothing now.
    #expect(chain.rows(of: .segment(rest, part: 1)) == nil)
    let middle = try segment(places(chain).first)
    #expect(
      chain.rows(of: .segment(middle, part: 1))
        == .rows(after: BlockCursor("d"), upTo: BlockCursor("l"), skip: 4, count: 4))
  }

  @Test func `a changed count adjusts only segments not yet reloaded`() throws {
    for (canSkip, count) in [(true, 15), (true, 17), (true, 5), (false, 15)] {
      var chain = BlockChain(size: 4, canSkip: canSkip, accuracy: .exact)
      take(&chain, 0, 0..<4, answer(16, hasMore: true, end: "4"))
      // To the end at once, or block after block.
      for block in canSkip ? 3...3 : 1...3 as ClosedRange<UInt32> {
        let rest = try segment(places(chain).first)
        let (begin, end) = ("\(block * 4)", "\(block * 4 + 4)")
        take(
          &chain, rest, part: canSkip ? 2 : 0, block * 4..<block * 4 + 4,
          answer(16, hasMore: block < 3, begin: begin, end: end))
      }
      #expect(chain.count == 16)
      guard var renewed = chain.renewed(count: nil) as? BlockChain, case .segment(let last, _)? = places(renewed).last
      else {
        Issue.record("no chain")
        continue
      }
      take(&renewed, last, 12..<16, answer(count))
      #expect(renewed.count == max(count, 6), "of \(count)")
      #expect(picture(renewed).hasSuffix("2345"))
    }
  }

  @Test func `a renewed chain keeps its count but not its accuracy`() {
    var chain = BlockChain(size: 4, canSkip: false, accuracy: .unknown)
    take(&chain, 0, 0..<3, answer())
    #expect(chain.accuracy == .exact)
    let renewed = chain.renewed(count: nil)
    #expect(renewed.accuracy == .unknown)
    #expect(renewed.count == 3)
  }

  @Test func `evicted segments over the maximum are merged`() throws {
    var chain = BlockChain(size: 1, canSkip: false, accuracy: .unknown)
    for row in 0..<BlockChain.greatestSegmentCount + 10 {
      let number = try segment(places(chain).last)
      take(&chain, number, UInt32(row)..<UInt32(row + 1), answer(hasMore: true, end: "\(row)"))
      for block in chain.blocks.map(\.number) { _ = chain.evict(block: block) }
    }
    #expect(chain.count == BlockChain.greatestSegmentCount + 11)
    // One segment represents everything that was joined, from the beginning on.
    let place = places(chain)[0]
    guard case .rows(nil, let upTo?, 0, 1)? = chain.rows(of: place) else {
      Issue.record("\(String(describing: chain.rows(of: place)))")
      return
    }
    #expect(upTo != BlockCursor("0"))
  }
}
