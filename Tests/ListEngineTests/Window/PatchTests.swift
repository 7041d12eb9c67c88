import ListTesting
import Testing

@testable import ListEngine

/// The rules of design.md 4.5.
@Suite struct PatchTests {
  // MARK: Positions

  @Test func `removals and updates use old positions, insertions new ones`() throws {
    let harness = try Harness(rows: 8)
    harness.open(query: QueryRequest(sort: [("value", false)]), stick: .top)
    try harness.settle()
    harness.change { changes in
      changes.delete(1)
      changes.delete(2)
      changes.update(5, name: "changed")
      changes.upsert(100, value: 35)
    }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.removed.map(\.index) == [1, 2])
    #expect(patch.updatedRows.map(\.index) == [5])
    #expect(patch.inserted.map(\.index) == [2])
    #expect(patch.moved.isEmpty)
    #expect(harness.values() == [0, 30, 35, 40, 50, 60, 70])
  }

  @Test func `a move has both positions, and no other row moves`() throws {
    let harness = try Harness(rows: 8)
    harness.open(query: QueryRequest(sort: [("value", false)]), stick: .top)
    try harness.settle()
    harness.change { $0.update(6, value: 5) }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.moved.map(\.from) == [6])
    #expect(patch.moved.map(\.to) == [1])
    // The item is updated as well, by its position before the patch.
    #expect(patch.updatedRows.map(\.index) == [6])
    #expect(patch.removed.isEmpty && patch.inserted.isEmpty)
  }

  @Test func `the order of a patch's entries does not change its result`() throws {
    let harness = try Harness(rows: 12)
    harness.open(query: QueryRequest(sort: [("value", false)]), stick: .top)
    try harness.settle()
    let before = harness.replica()
    harness.change { changes in
      for key in [0, 3, 9] { changes.delete(key) }
      for key in [20, 21, 22] { changes.upsert(key, value: key * 3) }
      for key in [1, 5, 7] { changes.update(key, value: 200 - key) }
    }
    let delivery = try #require(try harness.advance(by: .seconds(1)).first)
    for _ in 0..<20 {
      delivery.patch.removed.shuffle()
      delivery.patch.inserted.shuffle()
      delivery.patch.moved.shuffle()
      delivery.patch.updatedRows.shuffle()
      var replica = before
      try replica.apply(delivery)
      #expect(replica.items == harness.replica().items)
    }
  }

  // MARK: Verification

  @Test func `check traps if the counts of a patch contradict each other`() async throws {
    await #expect(processExitsWith: .failure) {
      let pool = HeaderPool()
      let row = WindowItem.row(RowSnapshot(id: RowID(rawValue: 1), revision: 1, cells: [], label: 1))
      let base = WindowState(start: 0, total: 1, rows: 1, items: [row], lead: [], pool: pool, commit: 1)
      let result = WindowState(start: 0, total: 0, rows: 0, items: [], lead: [], pool: pool, commit: 2)
      Patch(base: base, result: result).check()
    }
  }

  @Test func `a patch has the correct item, total and row counts`() throws {
    let harness = try Harness(rows: 30)
    harness.open()
    try harness.settle()
    harness.change { changes in
      for key in 3..<9 { changes.delete(key) }
    }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.before == 15)
    #expect(patch.after == 15)
    #expect(patch.before + patch.inserted.count - patch.removed.count == patch.after)
    #expect(patch.result.total == 24 && patch.result.rows == 24)
  }

  @Test func `a client rejects a patch with wrong counts and keeps its items`() throws {
    let harness = try Harness(rows: 30)
    harness.open()
    try harness.settle()
    var replica = harness.replica()
    harness.change { $0.delete(3) }
    let delivery = try #require(try harness.advance(by: .seconds(1)).first)
    delivery.patch.removed.removeLast()
    let held = replica.items
    #expect(throws: Replica.Mismatch.count) { try replica.apply(delivery) }
    #expect(replica.items == held)
  }

  @Test func `a client rejects a patch with a wrong base, digest or index`() throws {
    let harness = try Harness(rows: 30)
    harness.open()
    try harness.settle()
    let before = harness.replica()
    func refusal(_ delivery: Delivery) -> Replica.Mismatch? {
      var replica = before
      do throws(Replica.Mismatch) { try replica.apply(delivery) } catch {
        #expect(replica.items == before.items && replica.sequence == before.sequence)
        return error
      }
      return nil
    }
    harness.change { changes in
      changes.update(5, name: "changed")
      for key in 3..<5 { changes.delete(key) }
    }
    var delivery = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(refusal(delivery) == nil)
    delivery.base += 1
    #expect(refusal(delivery) == .base(held: before.sequence, wanted: delivery.base))
    delivery.base -= 1
    let (updated, inserted) = (delivery.patch.updatedRows, delivery.patch.inserted)
    delivery.patch.updatedRows = []
    #expect(refusal(delivery) == .digest)
    delivery.patch.updatedRows = updated
    delivery.patch.inserted[1].index = inserted[0].index
    #expect(refusal(delivery) == .index(inserted[0].index))
    delivery.patch.inserted = inserted
    #expect(refusal(delivery) == nil)
  }

  @Test func `digests differ by row, revision, position, count and header`() throws {
    func row(_ id: UInt64, _ revision: UInt32) -> WindowItem {
      .row(RowSnapshot(id: RowID(rawValue: id), revision: revision, cells: [], label: 1))
    }
    func digest(_ items: [WindowItem], start: Int = 0, total: Int = 9) -> UInt32 {
      Digest.of(start: start, total: total, lead: [], items: items)
    }
    let digests = [
      digest([row(1, 1), row(2, 1)]), digest([row(2, 1), row(1, 1)]), digest([row(1, 2), row(2, 1)]),
      digest([row(1, 1), row(2, 2)]), digest([row(1, 1)]), digest([row(1, 1), row(2, 1)], start: 1),
      digest([row(1, 1), row(2, 1)], total: 10), digest([row(1 << 32 | 1, 1), row(2, 1)]), digest([]),
    ]
    #expect(Set(digests).count == digests.count)
    func header(_ section: UInt32, _ revision: UInt32) -> HeaderSnapshot {
      HeaderSnapshot(section: section, revision: revision, slot: 0, column: 0, value: .null, count: 1)
    }
    func digest(lead: HeaderSnapshot..., items: [WindowItem]) -> UInt32 {
      Digest.of(start: 0, total: 9, lead: lead, items: items)
    }
    let collapsed = HeaderSnapshot(
      section: 1, revision: 1, slot: 0, column: 0, value: .null, count: 1, isCollapsed: true)
    let headers = [
      digest(items: [row(1, 1)]), digest(lead: header(1, 1), items: [row(1, 1)]),
      digest(lead: header(2, 1), items: [row(1, 1)]), digest(lead: header(1, 2), items: [row(1, 1)]),
      digest(lead: header(1, 1), header(2, 1), items: [row(1, 1)]),
      digest(lead: header(2, 1), header(1, 1), items: [row(1, 1)]), digest(items: [.header(header(1, 1)), row(1, 1)]),
      digest(items: [.header(header(2, 1)), row(1, 1)]), digest(items: [.header(header(1, 2)), row(1, 1)]),
      digest(items: [.header(collapsed), row(1, 1)]),
    ]
    #expect(Set(headers).count == headers.count)
    // The number stated in docs/protocol.md.
    #expect(digest([], start: 0, total: 0) == 1_691_955_498)
  }

  @Test func `a resync for a rejected patch sends one window and is counted`() throws {
    let harness = try Harness(rows: 30)
    let id = harness.open()
    try harness.settle()
    harness.change { $0.delete(3) }
    let refused = try #require(try harness.advance(by: .seconds(1)).first)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    harness.engine.handle(.resync(id, sequence: refused.sequence), at: harness.clock.now)
    let window = try #require(try harness.advance().first)
    #expect(window.patch.base == nil)
    #expect(window.sequence == refused.sequence + 1)
    #expect(harness.engine.resyncs == 1)
    #expect(harness.replica().total == 29)
    // A late resync for a window that was replaced already changes nothing.
    harness.engine.handle(.resync(id, sequence: refused.sequence), at: harness.clock.now)
    #expect(harness.engine.resyncs == 1)
  }

  @Test func `a resync for the acknowledged sequence sends a new window`() throws {
    let harness = try Harness(rows: 30)
    let id = harness.open()
    try harness.settle()
    let sequence = harness.replica().sequence
    for other in [sequence - 1, sequence + 1] {
      harness.engine.handle(.resync(id, sequence: other), at: harness.clock.now)
      #expect(try harness.advance(by: .seconds(1)).isEmpty, "\(other) for \(sequence)")
    }
    harness.engine.handle(.resync(id, sequence: sequence), at: harness.clock.now)
    let window = try #require(try harness.advance().first)
    #expect(window.patch.base == nil && window.sequence == sequence + 1)
    #expect(harness.engine.resyncs == 1)
  }

  @Test func `a viewport beyond the last row shows the end`() throws {
    let harness = try Harness(rows: 30)
    func isAtTheEnd() -> Bool {
      let client = harness.replica()
      return client.items.count >= 10 && client.start + client.items.count == 30 && client.total == 30
    }
    harness.open(first: 1_000)
    try harness.settle()
    #expect(isAtTheEnd())
    harness.scroll(first: 0)
    try harness.settle()
    #expect(!isAtTheEnd())
    harness.scroll(first: 1 << 53 - 1)
    try harness.settle()
    #expect(isAtTheEnd())
  }

  // MARK: Contents

  @Test func `an update contains only the changed cells`() throws {
    let harness = try Harness(rows: 5)
    harness.open()
    try harness.settle()
    harness.change { changes in
      changes.update(2, name: "other")
      changes.upsert(3, value: 30)  // unchanged values
    }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.updatedRows.count == 1)
    #expect(patch.updatedRows.first?.columns == [1])
  }

  @Test func `sends nothing unless the window or the row count changes`() throws {
    let harness = try Harness(rows: 100)
    harness.open()
    try harness.settle()
    harness.change { $0.update(80, value: 1) }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    harness.change { $0.upsert(2, value: 20) }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    // The number of rows is visible.
    harness.change { $0.delete(80) }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.removed.isEmpty && patch.inserted.isEmpty && patch.updatedRows.isEmpty)
    #expect(patch.result.total == 99)
  }

  @Test func `patch reasons distinguish scrolled, new, moved and gone rows`() throws {
    let harness = try Harness(rows: 100)
    harness.open(query: QueryRequest(sort: [("value", false)]), first: 20)
    try harness.settle()
    harness.scroll(first: 22)
    let scrolled = try #require(try harness.advance().first).patch
    #expect(scrolled.inserted.map(\.why) == [.scrolled, .scrolled])
    #expect(scrolled.removed.map(\.why) == [.scrolled, .scrolled])
    harness.acknowledge()
    harness.change { changes in
      changes.upsert(500, value: 255)  // new
      changes.update(90, value: 265)  // moved into the window by its own change
      changes.update(24, value: 5000)  // moved out of the window by its own change
      changes.delete(26)
    }
    let changed = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(changed.inserted.map(\.why).filter { $0 != .scrolled } == [.new, .moved])
    #expect(Set(changed.removed.map(\.why)).isSuperset(of: [.moved, .gone]))
  }

  @Test func `a row that stops matching the search is removed as gone`() throws {
    let harness = try Harness(rows: 10)
    harness.open(query: QueryRequest(search: "row"))
    try harness.settle()
    harness.change { $0.update(3, name: "another") }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.removed.map(\.index) == [3])
    #expect(patch.removed.map(\.why) == [.gone])
  }

  @Test func `removes a deleted section as gone, a scrolled one as scrolled`() throws {
    let harness = try Harness()
    harness.change { changes in for key in 0..<40 { changes.upsert(key, value: key, group: "\(10 + key / 4)") } }
    harness.open(query: QueryRequest(group: ["group"]), count: 5, buffer: 0)
    try harness.settle()
    harness.scroll(first: 5, count: 5, buffer: 0)
    let scrolled = try #require(try harness.advance().first).patch
    #expect(scrolled.removed.map(\.why).allSatisfy { $0 == .scrolled })
    harness.acknowledge()
    harness.change { changes in for key in 4..<8 { changes.delete(key) } }
    let gone = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(gone.removed.map(\.why).allSatisfy { $0 == .gone })
    #expect(gone.removed.count == 5)
  }

  @Test func `a row deleted and inserted in one changeset is updated`() throws {
    let harness = try Harness(rows: 5)
    harness.open(query: QueryRequest(sort: [("value", false)]), stick: .top)
    try harness.settle()
    harness.change { changes in
      changes.delete(2)
      changes.upsert(2, value: 21)
    }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.removed.isEmpty && patch.inserted.isEmpty)
    #expect(patch.updatedRows.map(\.index) == [2])
    #expect(patch.updatedRows.first?.columns == [0])
  }

  @Test func `a row inserted again before the next flush is updated`() throws {
    let harness = try Harness(rows: 5)
    harness.open(query: QueryRequest(sort: [("value", false)]), stick: .top)
    try harness.settle()
    harness.change { $0.update(1, value: 11) }
    try harness.settle(by: .seconds(1))
    harness.change { $0.delete(2) }
    #expect(try harness.advance(by: .milliseconds(100)).isEmpty)
    harness.change { $0.upsert(2, value: 21) }
    let patch = try #require(try harness.advance(by: .milliseconds(200)).first).patch
    #expect(patch.removed.isEmpty && patch.inserted.isEmpty)
    #expect(patch.updatedRows.map(\.index) == [2])
  }

  @Test func `a row inserted and deleted before a flush sends nothing`() throws {
    let harness = try Harness(rows: 5)
    harness.open()
    try harness.settle()
    harness.change { changes in
      changes.upsert(9, value: 1)
      changes.delete(9)
    }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
  }

  @Test func `several changes of a row are sent as one update with the last`() throws {
    let harness = try Harness(rows: 5)
    harness.open()
    try harness.settle()
    harness.change { $0.update(2, name: "a") }
    harness.change { $0.update(2, name: "b") }
    harness.change { $0.update(2, name: "c") }
    let patch = try #require(try harness.advance(by: .seconds(1)).first).patch
    #expect(patch.updatedRows.map { $0.row.cells[1] } == [.text("c")])
  }

  // MARK: Size

  @Test func `splits a large change into several consistent patches`() throws {
    var limits = Limits()
    limits.patchBytes = 200
    let harness = try Harness(limits: limits, rows: 40)
    harness.open(count: 20, stick: .top)
    var lengths: [Int] = []
    try harness.advance()
    for _ in 0..<50 {
      lengths.append(harness.replica().items.count)
      harness.acknowledge()
      if try harness.advance().isEmpty { break }
    }
    #expect(lengths.count > 3)
    #expect(lengths == lengths.sorted())
    #expect(lengths.last == 25)
    harness.change { changes in
      for key in 0..<40 { changes.update(key, name: "another name for row \(key)") }
    }
    var patches = 0
    for _ in 0..<50 {
      let sent = try harness.advance(by: .seconds(1))
      if sent.isEmpty { break }
      patches += 1
      #expect(harness.replica().items.count == 25)
      #expect(sent[0].patch.updatedRows.count < 25)
      harness.acknowledge()
    }
    #expect(patches > 3)
    #expect(harness.replica().cells.map { $0[1] } == (0..<25).map { .text("another name for row \($0)") })
  }

  @Test func `a bounded first window starts with the visible rows`() throws {
    var limits = Limits()
    limits.patchBytes = 400
    let harness = try Harness(limits: limits, rows: 200)
    harness.open(first: 100, count: 5, buffer: 50)
    let window = try #require(try harness.advance().first).patch.result
    #expect(window.start == 100)
    #expect(window.items.count >= 5 && window.items.count < 50)
  }

  @Test func `a bounded window after a scroll up covers the viewport`() throws {
    var limits = Limits()
    limits.patchBytes = 400
    let harness = try Harness(limits: limits, rows: 200)
    harness.open(first: 150, count: 5, buffer: 20)
    try harness.settle()
    harness.scroll(first: 100, count: 5, buffer: 20)
    let patch = try #require(try harness.advance().first).patch.result
    #expect(patch.start <= 100 && patch.start + patch.items.count >= 105)
    #expect(patch.items.count < 45)
  }

  @Test func `the window keeps its buffer above after a scroll up`() throws {
    let harness = try Harness(rows: 200)
    harness.open(first: 150)
    try harness.settle()
    harness.scroll(first: 100)
    try harness.settle()
    #expect(harness.replica().start == 95)
    #expect(harness.replica().items.count == 20)
  }

  @Test func `delivers a row that is larger than the patch limit`() throws {
    var limits = Limits()
    limits.patchBytes = 200
    let harness = try Harness(limits: limits, rows: 10)
    harness.change { $0.update(4, name: String(repeating: "x", count: 5000)) }
    harness.open(count: 10)
    try harness.settle()
    #expect(harness.values() == (0..<10).map { $0 * 10 })
  }

  // MARK: Sharing

  @Test func `clients share the snapshot of a row that both show`() throws {
    let harness = try Harness(rows: 20)
    harness.open(1, first: 0)
    harness.open(2, first: 3)
    let sent = try harness.advance()
    #expect(sent.count == 2)
    func object(_ number: Int, _ index: Int) -> RowSnapshot? {
      if case .row(let row) = sent[number].patch.result.items[index] { row } else { nil }
    }
    #expect(object(0, 4) === object(1, 4))
    #expect(object(0, 4) != nil)
  }

  @Test func `a slow client gets one patch with all updates it missed`() throws {
    let harness = try Harness(rows: 20)
    let quick = harness.open(1)
    let slow = harness.open(2)
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    try harness.advance(by: .seconds(1))
    harness.acknowledge(quick)
    harness.change { $0.update(2, value: 2) }
    try harness.advance(by: .seconds(1))
    harness.acknowledge(quick)
    harness.acknowledge(slow)
    harness.change { $0.update(3, value: 3) }
    let patches = try harness.advance(by: .seconds(1))
    // The slow client has been waiting for longer.
    #expect(patches.map(\.patch.updatedRows.count) == [2, 1])
    #expect(harness.values(1) == harness.values(2))
  }

  @Test func `equal viewports with different buffers get separate windows`() throws {
    let harness = try Harness(rows: 100)
    harness.open(1, first: 50, buffer: 5)
    harness.open(2, first: 50, buffer: 20)
    #expect(try harness.advance().map(\.patch.result.items.count) == [20, 50])
  }

  @Test func `clients with equal windows get their own viewport first`() throws {
    var limits = Limits()
    limits.patchBytes = 400
    let harness = try Harness(limits: limits, rows: 200)
    for (number, first) in [(1, 100), (2, 120)] as [(UInt64, Int)] {
      let viewport = Viewport(first: first, count: 5, ahead: 125 - first, behind: first - 100, stick: nil)
      harness.engine.handle(
        .open(
          SessionID(rawValue: number), table: "numbers", request: 1, query: QueryRequest(), viewport: viewport,
          interval: nil), at: harness.clock.now)
    }
    #expect(try harness.advance().map(\.patch.result.start) == [100, 120])
  }

  @Test func `clients with the same view, window and base share one patch`() throws {
    let harness = try Harness(rows: 20)
    for number in 1...3 { harness.open(UInt64(number), query: QueryRequest(sort: [("value", true)])) }
    harness.open(4, query: QueryRequest(sort: [("value", true)]), first: 5)
    let windows = try harness.advance()
    #expect(windows[0].patch === windows[1].patch && windows[1].patch === windows[2].patch)
    #expect(windows[3].patch !== windows[0].patch)
    for number in 1...4 { harness.acknowledge(SessionID(rawValue: UInt64(number))) }
    harness.change { $0.update(19, name: "x") }
    let patches = try harness.advance(by: .seconds(1))
    #expect(patches.count == 4)
    #expect(patches[0].patch === patches[1].patch && patches[1].patch === patches[2].patch)
    #expect(patches[0].patch.updatedRows.count == 1)
  }
}
