import ListEngine

/// The merging of the parts of a split table into one table.
///
/// Each part has its own stream and its own snapshots. The merge takes the events of all of them,
/// and returns the events of the table. It does no I/O.
///
///     var merge = PartMerge()
///     let first = merge.add(TableClaim(range: ..., publisher: ..., fence: 5))
///     merge.begin(first, fence: 5)                 // the part's snapshot is read
///     merge.apply(event, of: first, at: now)       // the events for the server
///     merge.end(first)
///     merge.takeReading(first)                     // whether to read its snapshot again
struct PartMerge {
  private struct Part {
    var claim: TableClaim
    var schema: Schema?
    var state = SourceState.starting
    var message = ""
    /// Whether the part was silent for too long.
    var isSilent = false
    /// Whether reading its snapshot has begun, and has ended, at least once.
    var hasBegun = false
    var isWhole = false
    var mustRead = false
    /// The reading of the clock at which the current reload has begun.
    var reload: UInt64?
  }

  /// The learning of the keys of a table that was not split before: one part is read alone.
  private struct Adoption {
    var part: Int
    /// The time at which it is given up, unless the snapshot is being read.
    var deadline: Instant
    var isReading = false
  }

  /// The time after which an adoption is not tried again.
  static let adoptionPatience = Duration.seconds(30)

  private var parts: [Int: Part] = [:]
  private var adoption: Adoption?
  /// The owners by the claims.
  private(set) var owners = KeyOwners()
  /// The owners whose rows are in the table. A new owner is added when it reads its snapshot.
  private var feeding = KeyOwners()
  private var schemas = PartSchemas()
  private var keys = PartKeys()
  private var last: PartStates.Problem?

  // MARK: Parts

  /// Adds a part and returns its number.
  mutating func add(_ claim: TableClaim) -> Int {
    let number = parts.count
    parts[number] = Part(claim: claim)
    assign()
    return number
  }

  /// Takes over the rows that the table has from a part without a merge.
  ///
  /// Their keys are not known here, so the part is read again, before all others.
  mutating func adopt(_ number: Int, at now: Instant) {
    adoption = Adoption(part: number, deadline: now.advanced(by: Self.adoptionPatience))
    parts[number]?.hasBegun = true
    parts[number]?.mustRead = true
    assign()
  }

  /// Ends an adoption that does not succeed; the rows are deleted, and the parts read.
  private mutating func giveUp() -> [SourceEvent] {
    adoption = nil
    keys.removeAll()
    assign()
    return [.changes(.reload([]))] + settle()
  }

  private mutating func giveUpIfLate(at now: Instant) -> [SourceEvent] {
    guard let adoption, !adoption.isReading, now >= adoption.deadline else { return [] }
    return giveUp()
  }

  /// Records that reading the snapshot of a part has failed.
  mutating func fail(_ number: Int, at now: Instant) -> [SourceEvent] {
    if adoption?.part == number { adoption?.isReading = false }
    return giveUpIfLate(at: now)
  }

  private var claims: [Int: TableClaim] { parts.mapValues(\.claim) }

  /// Determines the owners again.
  private mutating func assign() {
    let adopted = adoption?.part
    let owners = TableClaim.owners(of: claims.filter { adopted == nil || $0.key == adopted })
    guard owners != self.owners else { return }
    self.owners = owners
    feeding = feeding.common(with: owners)
    for number in owners.owners where feeding.segments(of: number) != owners.segments(of: number) {
      if parts[number]?.hasBegun == true { parts[number]?.mustRead = true }
    }
  }

  /// Records that the snapshot of a part is read from its beginning.
  mutating func begin(_ number: Int, fence: UInt64, publisher: String, at now: Instant) -> [SourceEvent] {
    let given = giveUpIfLate(at: now)
    if adoption?.part == number { adoption?.isReading = true }
    parts[number]?.claim.fence = fence
    parts[number]?.claim.publisher = publisher
    assign()
    parts[number]?.hasBegun = true
    parts[number]?.mustRead = false
    parts[number]?.reload = nil
    feeding = feeding.adding(number, from: owners)
    return given + settle()
  }

  /// Records that the snapshot of a part was read to its end.
  mutating func end(_ number: Int) -> [SourceEvent] {
    parts[number]?.isWhole = true
    return settle()
  }

  /// Records a heartbeat of a part, or its silence.
  mutating func note(_ number: Int, isLive: Bool) -> [SourceEvent] {
    guard let part = parts[number], part.claim.isLive != isLive || part.isSilent == isLive else { return [] }
    parts[number]?.claim.isLive = isLive
    parts[number]?.isSilent = !isLive
    assign()
    return choose(nil, hasKept: false) + settle()
  }

  /// Whether a part must read its snapshot again; asked once for each time.
  mutating func takeReading(_ number: Int) -> Bool {
    defer { parts[number]?.mustRead = false }
    return parts[number]?.mustRead ?? false
  }

  /// Whether each key has an owner whose rows were read.
  var isWhole: Bool {
    !parts.isEmpty && owners.gaps.isEmpty && owners.owners.allSatisfy { parts[$0]?.isWhole == true }
  }

  /// The parts with keys, those that are up first.
  var order: [Int] {
    let owners = owners.owners
    return owners.filter { parts[$0]?.isSilent == false } + owners.filter { parts[$0]?.isSilent == true }
  }

  /// The overlaps of live publishers.
  var overlaps: [TableClaim.Overlap] { TableClaim.overlaps(of: claims) }

  /// Returns the keys of a part that it has of its own, for messages.
  func range(of number: Int) -> KeyRange? { parts[number]?.claim.range }

  // MARK: Events

  /// Returns the events of the table for an event of a part.
  mutating func apply(_ event: SourceEvent, of number: Int, at now: Instant) -> [SourceEvent] {
    guard parts[number] != nil else { return [] }
    return giveUpIfLate(at: now) + applied(event, of: number, at: now)
  }

  private mutating func applied(_ event: SourceEvent, of number: Int, at now: Instant) -> [SourceEvent] {
    switch event {
    case .schema(let schema): return declare(schema, of: number) + settle()
    case .columnsAdded(let schema): return extend(schema, of: number) + settle()
    case .changes(let changes): return fits(number) ? merged(changes, of: number, at: now) : []
    case .state(let state, let message, _):
      parts[number]?.state = state
      parts[number]?.message = message
      return settle()
    case .loaded(let key, _, _), .forget(let key, _):
      return fits(number) && feeding.owner(of: key) == number ? [event] : []
    default: return [event]
    }
  }

  private func fits(_ number: Int) -> Bool { schemas.fits(parts[number]?.schema) }

  /// Takes the schema of a part, whose rows follow if it is another one.
  private mutating func declare(_ schema: Schema, of number: Int) -> [SourceEvent] {
    let previous = parts[number]?.schema
    guard previous != schema else { return [] }
    parts[number]?.schema = schema
    parts[number]?.reload = nil
    let change = choose(number, hasKept: false)
    guard change.isEmpty, previous != nil, fits(number) else { return change }
    let feeding = feeding
    return Self.deletions(of: keys.takeUnnamed(since: .max) { feeding.owner(of: $0) == number })
  }

  /// Takes the schema of a part that has more columns than before, and the same rows.
  private mutating func extend(_ schema: Schema, of number: Int) -> [SourceEvent] {
    let hasFitted = fits(number)
    parts[number]?.schema = schema
    let change = choose(number, hasKept: true)
    // Its rows were not merged before.
    if !hasFitted, fits(number), parts[number]?.hasBegun == true { parts[number]?.mustRead = true }
    return change
  }

  /// Chooses the table's schema again.
  ///
  /// - Parameters:
  ///   - cause: The part whose event is the cause; its rows follow.
  ///   - hasKept: Whether its rows do not follow, because it has only added columns.
  private mutating func choose(_ cause: Int?, hasKept: Bool) -> [SourceEvent] {
    let candidates = owners.owners.compactMap { parts[$0] }.map { (schema: $0.schema, isUp: !$0.isSilent) }
    guard let change = schemas.choose(among: candidates) else { return [] }
    let event: SourceEvent
    var areRowsKept = false
    switch change {
    case .replaced(let schema):
      keys.removeAll()
      keys.follow(schema.retention)
      event = .schema(schema)
    case .extended(let schema):
      areRowsKept = true
      event = .columnsAdded(schema)
    }
    for number in Array(parts.keys) where fits(number) {
      if number == cause, !hasKept || areRowsKept { continue }
      if parts[number]?.hasBegun == true { parts[number]?.mustRead = true }
    }
    return [event]
  }

  /// Returns the table's changes for those of a part.
  private mutating func merged(_ changes: Changeset, of number: Int, at now: Instant) -> [SourceEvent] {
    if changes.beginsReload || changes.abandonsReload {
      parts[number]?.reload = changes.beginsReload ? keys.clock : nil
    }
    let reload = parts[number]?.reload
    var filter = RowFilter()
    changes.forEachRow { row in filter.take(verdict(row, of: number, reload: reload, at: now)) }
    var kept = filter.apply(to: changes)
    if adoption?.part == number {
      // This reload is one of the whole table.
      guard changes.endsReload, reload != nil else { return [.changes(kept)] }
      parts[number]?.reload = nil
      adoption = nil
      assign()
      return [.changes(kept)] + settle()
    }
    (kept.beginsReload, kept.endsReload, kept.abandonsReload) = (false, false, false)
    var events: [SourceEvent] = kept.isEmpty ? [] : [.changes(kept)]
    if changes.endsReload, let reload {
      parts[number]?.reload = nil
      let feeding = feeding
      let gone = keys.takeUnnamed(since: reload) { feeding.owner(of: $0) == number }
      events += Self.deletions(of: gone)
    }
    return events
  }

  /// Returns what to do with a row, and records its key.
  private mutating func verdict(
    _ row: Changeset.RowView, of number: Int, reload: UInt64?, at now: Instant
  ) -> RowFilter.Verdict {
    guard feeding.owner(of: row.key) == number else { return .drop }
    switch row.verb {
    case .upsert:
      // As the engine does in a reload of a whole table.
      if let reload, keys.isNamed(row.key, since: reload) { return .reject("its key is named twice") }
      keys.name(row.key, at: now)
    case .delete: keys.remove(row.key)
    case .reject: keys.touch(row.key)
    case .move:
      // The other row may have another owner by now.
      if let target = row.target, feeding.owner(of: target) != number { return .drop }
    case .update: break
    }
    return .keep
  }

  private static func deletions(of keys: [RowKey]) -> [SourceEvent] {
    stride(from: 0, to: keys.count, by: SourceEvent.partRows).map { start in
      var changes = Changeset()
      for key in keys[start..<min(start + SourceEvent.partRows, keys.count)] { changes.delete(key) }
      return .changes(changes)
    }
  }

  // MARK: The state

  /// Returns the table's state if it has changed.
  private mutating func settle() -> [SourceEvent] {
    var states = PartStates()
    for overlap in overlaps { states.add(.failed, "\(overlap)") }
    for number in owners.owners {
      guard let part = parts[number] else { continue }
      if let schema = part.schema, !schemas.fits(schema) {
        let difference = schemas.difference(of: schema)
        states.add(
          .failed,
          "the columns of the keys \(part.claim.range) differ: \(difference); publish all parts with the same columns")
      }
      states.add(part.state, part.message, of: part.claim.range)
    }
    for gap in owners.gaps where !parts.isEmpty {
      states.add(.starting, "no publisher has the keys \(gap): give one of them --publish-keys \(gap)")
    }
    let state = states.combined
    guard state != last else { return [] }
    last = state
    return [.state(state.state, message: state.message)]
  }
}
