import ListEngine

/// Deferred columns in the simulation: a source with slow, failing and late loads of values that
/// change meanwhile.
///
/// Every cell has a true value, with a version number. The source always sends the true value of
/// the moment, and a change of the value is sent or invalidated at once. So a cell always shows its
/// true value or none, and at the end all of a client's cells are loaded.
extension Simulation {
  /// Returns the schema, in some runs with two deferred columns.
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

  var isDeferred: Bool { schema.columns.contains(where: \.isDeferred) }

  private func truth(_ cell: DeferredCell) -> Cell {
    let version = truths[cell] ?? 0
    if version % 5 == 4 { return .null }
    guard case .integer(let key) = cell.key else { return .null }
    return cell.column == 7 ? .text("deferred \(key % 4) \(version)") : .number(Double(key) + Double(version) / 8)
  }

  // MARK: Changes by the source

  /// Returns the deferred cells of a whole row, sometimes with values.
  mutating func deferredCells(_ key: RowKey) -> [Cell] {
    guard isDeferred else { return [] }
    return [7, 8].map { random.oneIn(6) ? truth(DeferredCell(key, column: $0)) : .null }
  }

  /// Returns the deferred cells of an update, sometimes with values.
  mutating func deferredUpdate(_ key: RowKey) -> [Cell?] {
    guard isDeferred else { return [] }
    return [7, 8].map { random.oneIn(6) ? truth(DeferredCell(key, column: $0)) : nil }
  }

  /// Removes most deferred values from a reload, because a source that lists its rows does not know
  /// them.
  mutating func forgetDeferred(_ list: inout [(RowKey, [Cell])]) {
    guard isDeferred else { return }
    for index in list.indices where list[index].1.count > 8 && !random.oneIn(5) {
      for column in [7, 8] { list[index].1[column] = .null }
    }
  }

  /// Changes the true values of cells. The source sends the value or invalidates it.
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

  // MARK: Requests to the source

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
    // Answers without a request, or with invalid keys and columns.
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

  // MARK: Checks

  /// Checks that a cell without a value has the right reason.
  func judgeMissing(_ row: RowSnapshot) throws {
    guard isDeferred, case .integer(let key) = row.cells[6] else { return }
    let missing = plain.missing[.integer(key)] ?? [:]
    for column in [7, 8] {
      let (shown, isTrue) = (row.missing(column), missing[column])
      // The plain table does not know the engine's timeout.
      if case .failed(let reason) = shown, reason.hasPrefix("no answer"), isTrue != nil { continue }
      guard shown == isTrue else {
        throw failure("row \(key) shows \(shown as Any) in column \(column), not \(isTrue as Any)")
      }
    }
  }

  /// Checks that all cells of a client are loaded at the end.
  func judgeDeferred(_ client: SimulatedClient) throws {
    guard isDeferred, client.isCurrent else { return }
    if let (row, missing) = client.replica.missing.first {
      throw failure("row \(row.rawValue) still misses \(missing)")
    }
    guard loader.inFlight.isEmpty else { throw failure("\(loader.inFlight.count) loads are still in flight") }
    for case .row(_, _, let cells) in client.replica.items {
      guard case .integer(let key) = cells[6] else { continue }
      for column in [7, 8] {
        let wanted = truth(DeferredCell(.integer(key), column: column))
        guard cells[column] == wanted else { throw failure("row \(key) shows \(cells[column]), not \(wanted)") }
      }
    }
  }
}
