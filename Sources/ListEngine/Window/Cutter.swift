/// A differ that computes the patch from the window that a client holds to the current one.
///
/// Moves are minimal: items on a longest increasing subsequence keep their place.
struct Cutter {
  let folded: FoldedView
  /// The window that the client holds, or `nil` to produce a whole window.
  let base: WindowState?
  /// The positions that the client should hold.
  let range: Range<Int>
  /// The visible positions.
  let visible: Range<Int>
  /// Whether the user last scrolled towards the beginning.
  let isTravellingUp: Bool
  /// The approximate maximum size of a patch's rows in bytes.
  let budget: Int
  /// The number of waiting moves while the order is held, otherwise `nil`.
  var waitingMoves: Int?

  private var view: any QueryView { folded.view }

  /// A patch and whether it is empty or partial.
  struct Result {
    var patch: Patch
    /// Whether the client's window is already up to date.
    var isEmpty: Bool
    /// Whether the patch covers all changes, so that no other one must follow.
    var isComplete: Bool
  }

  /// An item of the new window.
  private struct Candidate {
    var identity: UInt64
    var item: WindowItem
    /// The item's index in the base, or -1 if the base does not have it.
    var origin: Int
  }

  /// Returns the patch.
  ///
  /// - Complexity: O(window log window).
  func cut() -> Result {
    if let base, let waitingMoves { return cutHeld(base, waitingMoves) }
    let origins = self.origins
    var candidates = folded.items(range).map { candidate($0, origins: origins) }
    let (included, isComplete) = fit(&candidates)
    candidates = Array(candidates[included])
    let start = range.lowerBound + included.lowerBound
    let (lead, pool) = lendHeaders(&candidates, start: start)
    let result = WindowState(
      start: start, total: folded.itemCount, rows: view.rowCount, accuracy: view.accuracy, totals: view.totals,
      items: candidates.map(\.item),
      lead: lead, pool: pool,
      commit: view.table.commit, relabelings: view.table.relabelings)
    let patch = Patch(base: base, result: result)
    guard let base else {
      patch.inserted = candidates.indices.map { ($0, .new) }
      return Result(patch: patch, isEmpty: false, isComplete: isComplete)
    }
    difference(patch, base: base, candidates: candidates)
    patch.check()
    return Result(patch: patch, isEmpty: patch.isEmpty, isComplete: isComplete)
  }

  /// Returns a patch that updates values in place, for a window whose order is held.
  private func cutHeld(_ base: WindowState, _ moves: Int) -> Result {
    var gone: [Int] = []
    var candidates = base.items.enumerated().map { index, item in
      if !isInView(item) { gone.append(index) }
      return Candidate(identity: Self.identity(item), item: current(item), origin: index)
    }
    let (_, isComplete) = fit(&candidates)
    let result = WindowState(
      start: base.start, total: base.total, rows: view.rowCount, accuracy: view.accuracy, totals: view.totals,
      items: candidates.map(\.item), lead: base.lead.map(current), pool: base.pool, commit: base.commit,
      relabelings: base.relabelings,
      held: Held(moves: moves, gone: gone), placed: base.placed)
    let patch = Patch(base: base, result: result)
    for (old, candidate) in zip(base.items, candidates) {
      update(patch, from: old, to: candidate.item, at: candidate.origin)
    }
    patch.check()
    return Result(patch: patch, isEmpty: patch.isEmpty, isComplete: isComplete)
  }

  private func isInView(_ item: WindowItem) -> Bool {
    switch item {
    case .row(let row): view.table.slot(of: row.id).map(view.contains) ?? false
    case .header(let header): view.section(numbered: header.section) != nil
    }
  }

  private func current(_ item: WindowItem) -> WindowItem {
    switch item {
    case .row(let row):
      view.table.slot(of: row.id).map { .row(view.table.snapshot($0, isRestricted: view.query.isRestricted)) } ?? item
    case .header(let header): .header(current(header))
    }
  }

  private func current(_ header: HeaderSnapshot) -> HeaderSnapshot {
    guard let section = view.section(numbered: header.section) else { return header }
    var current = self.header(section, slot: header.slot)
    // The header has not followed its section's moves yet.
    current.moves = header.moves
    return current
  }

  // MARK: Identity

  private static func identity(_ item: WindowItem) -> UInt64 {
    switch item {
    case .row(let row): row.id.rawValue
    case .header(let header): UInt64(header.section) | 1 << 63
    }
  }

  private var origins: [UInt64: Int] {
    guard let base else { return [:] }
    var origins: [UInt64: Int] = [:]
    origins.reserveCapacity(base.items.count)
    for (index, item) in base.items.enumerated() { origins[Self.identity(item)] = index }
    return origins
  }

  private func candidate(_ item: ListView.Item, origins: [UInt64: Int]) -> Candidate {
    let item: WindowItem =
      switch item {
      case .row(let slot): .row(view.table.snapshot(slot, isRestricted: view.query.isRestricted))
      case .header(let section): .header(header(section, slot: 0))
      case .absent(let absent): .row(RowSnapshot(id: absent.id, absence: absent.why))
      }
    let identity = Self.identity(item)
    return Candidate(identity: identity, item: item, origin: origins[identity] ?? -1)
  }

  // MARK: Size

  /// Selects the part of the window that fits into this patch: visible items first, then outwards,
  /// starting in the direction of travel.
  ///
  /// If a row does not fit, the client keeps its older revision. A row that the client does not
  /// have ends the window instead. Either way the window is consistent, and the next patch
  /// continues from there.
  private func fit(_ candidates: inout [Candidate]) -> (included: Range<Int>, isComplete: Bool) {
    let seen = visible.clamped(to: range)
    var low = seen.lowerBound - range.lowerBound
    var high = low
    var spent = 0
    var isComplete = true

    /// Whether the item can be in the window.
    func take(_ index: Int) -> Bool {
      let cost = cost(candidates[index])
      if cost == 0 || spent == 0 || spent + cost <= budget {
        spent += cost
        return true
      }
      isComplete = false
      guard let base, candidates[index].origin >= 0 else { return false }
      candidates[index].item = base.items[candidates[index].origin]
      return true
    }

    func extendDown(to end: Int) { while high < end && take(high) { high += 1 } }
    func extendUp() { while low > 0 && take(low - 1) { low -= 1 } }

    extendDown(to: seen.upperBound - range.lowerBound)
    if isTravellingUp { extendUp() }
    extendDown(to: candidates.count)
    if !isTravellingUp { extendUp() }
    return (low..<high, isComplete)
  }

  /// Returns the approximate size of an item on the wire, or 0 if the client has it already.
  private func cost(_ candidate: Candidate) -> Int {
    guard case .row(let row) = candidate.item else { return 0 }
    guard let base, candidate.origin >= 0, case .row(let held) = base.items[candidate.origin] else {
      return row.cells.indices.reduce(16) { $0 + Self.cost(row, $1) }
    }
    guard held.change != row.change else { return 0 }
    return row.cells.indices.reduce(16) { $0 + (row.shows($1, asIn: held) ? 0 : Self.cost(row, $1)) }
  }

  private static func cost(_ row: RowSnapshot, _ column: Int) -> Int {
    switch row.missing(column) {
    case nil: cost(row.cells[column])
    case .pending: 16
    case .failed(let reason): reason.utf8.count + 14
    }
  }

  private static func cost(_ cell: Cell) -> Int {
    switch cell {
    case .text(let text), .image(let text): text.utf8.count + 3
    case .series(let values): values.count * 12 + 3
    default: 12
    }
  }

  // MARK: Headers

  private func header(_ section: Section, slot: UInt32) -> HeaderSnapshot {
    let grouping = view.query.groupings[section.level]
    return HeaderSnapshot(
      section: section.number, revision: section.revision, slot: slot, level: section.level,
      parent: section.level == 0 ? nil : section.parent?.number, column: grouping.column,
      value: section.value, end: grouping.ranges?.end(of: section.value), count: section.count,
      aggregates: view.aggregates(of: section),
      isCollapsed: folded.isCollapsed(section.number), moves: section.moves)
  }

  /// Assigns a slot of the client's header pool to every header in and above the window.
  ///
  /// Headers that stay keep their slot; those that left return theirs first.
  private func lendHeaders(_ candidates: inout [Candidate], start: Int) -> ([HeaderSnapshot], HeaderPool) {
    var pool = base?.pool ?? HeaderPool()
    guard view.isGrouped else { return ([], pool) }
    let above = candidates.isEmpty ? [] : folded.sections(above: start)
    if let base {
      let staying = Set(candidates.map(\.identity))
      for item in base.items {
        guard case .header(let header) = item, !staying.contains(Self.identity(item)) else { continue }
        pool.enqueue(header.slot)
      }
      for header in base.lead where !above.contains(where: { $0.number == header.section }) {
        pool.enqueue(header.slot)
      }
    }
    for index in candidates.indices {
      guard case .header(var header) = candidates[index].item else { continue }
      if let base, candidates[index].origin >= 0, case .header(let held) = base.items[candidates[index].origin] {
        header.slot = held.slot
      } else {
        header.slot = pool.dequeue("inPlace", for: header.section)
      }
      candidates[index].item = .header(header)
    }
    let lead = above.map { section in
      let held = base?.lead.first { $0.section == section.number }
      return header(section, slot: held?.slot ?? pool.dequeue("lead", for: section.number))
    }
    return (lead, pool)
  }

  // MARK: Difference

  private func difference(_ patch: Patch, base: WindowState, candidates: [Candidate]) {
    var survives = [Bool](repeating: false, count: base.items.count)
    var survivors: [(origin: Int, index: Int)] = []
    for (index, candidate) in candidates.enumerated() {
      guard candidate.origin >= 0 else {
        patch.inserted.append((index, insertion(candidate.item, since: base.commit)))
        continue
      }
      survives[candidate.origin] = true
      survivors.append((candidate.origin, index))
      update(patch, from: base.items[candidate.origin], to: candidate.item, at: candidate.origin)
    }
    for (index, item) in base.items.enumerated() where !survives[index] {
      patch.removed.append((index, removal(item, since: base.commit)))
    }
    let staying = longestIncreasingRun(survivors.map(\.origin))
    for (survivor, stays) in zip(survivors, staying) where !stays {
      patch.moved.append((survivor.origin, survivor.index))
    }
  }

  private func update(_ patch: Patch, from old: WindowItem, to new: WindowItem, at index: Int) {
    switch (old, new) {
    case (.row(let old), .row(let new)):
      guard old.change != new.change else { return }
      let columns = new.cells.indices.filter { !new.shows($0, asIn: old) }
      guard !columns.isEmpty || old.revision != new.revision else { return }
      patch.updatedRows.append(Patch.RowUpdate(index: index, row: new, columns: columns))
    case (.header(let old), .header(let new)):
      if old != new { patch.updatedHeaders.append((index, new)) }
    default: preconditionFailure("item \(index) was a row and is a header, or the other way round")
    }
  }

  private func insertion(_ item: WindowItem, since commit: UInt32) -> Patch.Insertion {
    guard case .row(let row) = item, row.absence == nil else { return .scrolled }
    return view.insertion(of: row, since: commit)
  }

  private func removal(_ item: WindowItem, since commit: UInt32) -> Patch.Removal {
    switch item {
    case .header(let header): return view.section(numbered: header.section) != nil ? .scrolled : .gone
    case .row(let row): return row.absence == nil ? view.removal(of: row, since: commit) : .scrolled
    }
  }
}

extension Patch {
  /// The number of insertions, deletions and moves, excluding those caused by scrolling.
  var moves: Int {
    moved.count + removed.count { $0.why != .scrolled } + inserted.count { $0.why != .scrolled }
  }

  /// Whether the client's window is already up to date.
  var isEmpty: Bool {
    guard let base, removed.isEmpty, inserted.isEmpty, moved.isEmpty, updatedRows.isEmpty, updatedHeaders.isEmpty
    else { return false }
    return base.digest == result.digest && base.rows == result.rows && base.accuracy == result.accuracy
      && base.totals == result.totals
      && base.lead == result.lead && base.held ?? Held() == result.held ?? Held()
  }

  /// Checks the patch's arithmetic before it is sent: before + inserted − removed = after.
  func check() {
    precondition(
      before + inserted.count - removed.count == after,
      "a patch leads from \(before) items by +\(inserted.count) −\(removed.count) to \(after)")
  }
}
