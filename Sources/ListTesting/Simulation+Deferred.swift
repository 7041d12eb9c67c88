import ListEngine

/// Deferred columns in the simulation: a source that loads them slowly, wrongly and too late, and a truth that changes meanwhile.
///
/// The truth of a cell is a number of its own; whatever tells a value tells the truth of that moment, and a truth that changes is
/// told or taken back at once. So a cell shows the truth or nothing, at any time; and in the end all that a page holds is there.
extension Simulation {
  /// The columns of every run; and in some two deferred columns.
  static func schema(isDeferred: Bool, _ random: inout SeededGenerator) -> Schema {
    var schema = Schema(
      name: "numbers", key: .integer,
      columns: [
        Column("a", .integer), Column("b", .number), Column("c", .text), Column("d", .text), Column("e", .boolean),
        Column("f", .timestamp), Column("key", .integer),
      ])
    guard isDeferred else { return schema }
    schema.columns += [
      Column("g", .text, isDeferred: true), Column("h", .number, isDeferred: true),
    ]
    schema.prefetch = PrefetchPolicy(
      inFlight: random.pick([1, 3, 8, 50]), prefersToFinish: random.oneIn(3), patience: .seconds(random.pick([10, 60])))
    return schema
  }

  var isDeferred: Bool { schema.columns.count > 7 }

  private func truth(_ cell: DeferredCell) -> Cell {
    let version = truths[cell] ?? 0
    if version % 5 == 4 { return .null }
    guard case .integer(let key) = cell.key else { return .null }
    return cell.column == 7 ? .text("deferred \(key % 4) \(version)") : .number(Double(key) + Double(version) / 8)
  }

  // MARK: What the source says by itself

  /// The deferred cells of a whole row: sometimes with their values.
  mutating func deferredCells(_ key: RowKey) -> [Cell] {
    guard isDeferred else { return [] }
    return [7, 8].map { random.oneIn(6) ? truth(DeferredCell(key, column: $0)) : .null }
  }

  /// The same for some cells.
  mutating func deferredUpdate(_ key: RowKey) -> [Cell?] {
    guard isDeferred else { return [] }
    return [7, 8].map { random.oneIn(6) ? truth(DeferredCell(key, column: $0)) : nil }
  }

  /// A source that lists its rows again does not know the deferred cells of most.
  mutating func forgetDeferred(_ list: inout [(RowKey, [Cell])]) {
    guard isDeferred else { return }
    for index in list.indices where list[index].1.count > 8 && !random.oneIn(5) {
      for column in [7, 8] { list[index].1[column] = .null }
    }
  }

  /// Something else is true of a cell, and the source says so, with the value or without.
  mutating func changeTruth(_ engine: inout Engine, _ table: TableID) {
    for _ in 1...random.pick([1, 1, 10]) {
      let cell = DeferredCell(key(), column: random.number(7...8))
      truths[cell, default: 0] += 1
      if random.oneIn(3) {
        var cells = [Cell?](repeating: nil, count: schema.columns.count)
        cells[cell.column] = truth(cell)
        var changes = Changeset()
        changes.update(cell.key, cells)
        plain.follow(clock.now)
        plain.update(cell.key, cells)
        engine.handle(.changes(table, changes), at: clock.now)
      } else {
        plain.forget(cell)
        engine.handle(.forget(table, cell.key, column: cell.column), at: clock.now)
      }
    }
  }

  // MARK: What the source is asked

  mutating func takeLoads(_ output: Output) throws {
    var random = random
    loader.take(output, at: clock.now) { _ in
      let end: ScriptedLoader.End =
        random.oneIn(7) ? .fails("failure \(random.number(0...2))") : random.oneIn(12) ? .isForgotten : .loads
      return ScriptedLoader.Plan(
        after: .milliseconds(random.pick([0, 1, 5, 50, 400, 3000, 30_000])), end, answersAfterCancel: random.oneIn(2))
    }
    self.random = random
    if let mistake = loader.mistakes.first { throw failure(mistake) }
  }

  mutating func answer(_ engine: inout Engine, _ table: TableID) {
    guard isDeferred else { return }
    var loader = loader
    for answer in loader.answers(until: clock.now, value: truth) {
      switch answer {
      case .loaded(let cell, let value): plain.load(cell, value)
      case .failed(let cell, let reason, let isAwaited): if isAwaited { plain.fail(cell, reason) }
      }
      engine.handle(answer.input(table), at: clock.now)
    }
    self.loader = loader
    guard random.oneIn(40) else { return }
    // Answers to what nobody asked for, or what cannot be.
    let cell = DeferredCell(key(), column: random.number(7...8))
    engine.handle(.failed(table, cell.key, column: random.pick([-1, 0, 9]), reason: "out of the blue"), at: clock.now)
    engine.handle(.loaded(table, .text("no such key"), column: 7, .null), at: clock.now)
    engine.handle(.loaded(table, cell.key, column: random.pick([-1, 0, 9]), .null), at: clock.now)
    guard !loader.inFlight.contains(cell) else { return }
    plain.load(cell, truth(cell))
    engine.handle(.loaded(table, cell.key, column: cell.column, truth(cell)), at: clock.now)
  }

  mutating func count(_ counters: PrefetchCounters) {
    coverage.loads += counters.loads
    coverage.cancels += counters.cancels
    coverage.failures += counters.failures
    coverage.hits += counters.hits
  }

  // MARK: The judge

  /// A cell without a value says why.
  func judgeMissing(_ row: RowSnapshot) throws {
    guard isDeferred, case .integer(let key) = row.cells[6] else { return }
    let missing = plain.missing[.integer(key)] ?? [:]
    for column in [7, 8] {
      let (shown, isTrue) = (row.missing(column), missing[column])
      // The plain table does not know how long the engine waits for an answer.
      if case .failed(let reason) = shown, reason.hasPrefix("no answer"), isTrue != nil { continue }
      guard shown == isTrue else {
        throw failure("row \(key) shows \(shown as Any) in column \(column), not \(isTrue as Any)")
      }
    }
  }

  /// In the end all that a page holds was loaded.
  func judgeDeferred(_ page: Page) throws {
    guard isDeferred, page.isCurrent else { return }
    if let (row, missing) = page.replica.missing.first { throw failure("row \(row.rawValue) still misses \(missing)") }
    guard loader.inFlight.isEmpty else { throw failure("\(loader.inFlight.count) loads are still in flight") }
    for case .row(_, _, let cells) in page.replica.items {
      guard case .integer(let key) = cells[6] else { continue }
      for column in [7, 8] {
        let wanted = truth(DeferredCell(.integer(key), column: column))
        guard cells[column] == wanted else { throw failure("row \(key) shows \(cells[column]), not \(wanted)") }
      }
    }
  }
}
