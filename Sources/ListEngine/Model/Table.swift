/// The rows of a list, stored by column, indexed by key and ordered as in the source.
///
/// Each row occupies a slot. A slot is reused after all views have processed the row's deletion.
/// Row identifiers are never reused, unless they follow from keys.
final class Table {
  let schema: Schema
  let limits: Limits
  /// The number of changes of which sessions were notified.
  var noticedChanges: UInt64 = 0
  /// The column stores, in schema order.
  let columns: UnsafeMutableBufferPointer<ColumnStore>
  let keys: KeyIndex
  /// The columns that the source does not give; `nil` for none.
  let derived: DerivedColumns?
  /// The number of columns that the source gives.
  let givenColumns: Int
  /// The load state of deferred cells, or `nil` if the table has no deferred columns.
  let deferred: DeferredCells?
  /// The rows in order of arrival, or `nil` if the table keeps all rows.
  let arrivals: Arrivals?
  /// The maximum number of rows.
  let rowLimit: Int
  /// The maximum weight of all rows, in bytes as defined by ``TableLimits``.
  let byteLimit: Int
  /// The weight of a row without texts, in bytes.
  let rowWeight: Int
  /// The byte counter of texts and text keys.
  let texts = ByteCounter()
  /// The byte counter of derived columns, which do not count against the limits of rows.
  private let derivedTexts = ByteCounter()
  /// The number of reuses of each slot, up to the last reused one.
  let generations = Chunked<UInt32>(filler: 0)
  /// The commit that last changed each row.
  private let revisions = Chunked<UInt32>(filler: 0)
  /// The commit that inserted each row.
  let creationCommits = Chunked<UInt32>(filler: 0)
  /// The position of each row in the source's order, as a sparse increasing label.
  ///
  /// The label of an empty slot is 0. Sparse labels are a simple solution of the
  /// [order-maintenance problem](https://en.wikipedia.org/wiki/Order-maintenance_problem).
  let labels = Chunked<UInt64>(filler: 0)
  private var slotCount: UInt32 = 0
  /// Slots available for reuse.
  private var free: [UInt32] = []
  /// Tombstones of deleted rows that a view may still show.
  private var tombstones = Tombstones()
  /// The rows in source order, as a linked list that moves need.
  ///
  /// `nil` before the first move and after a reload changes the order.
  var neighbours: SlotList?
  /// An upper bound of the labels in use.
  var lastLabel: UInt64 = 0

  /// The number of rows.
  private(set) var count = 0
  /// A counter of commits that stamps the rows changed by each; it wraps around at 2^32.
  private(set) var commit: UInt32 = 0
  /// The number of times all labels were reassigned, which invalidates data derived from them.
  var relabelings = 0
  var log = ChangeLog()
  /// The progress of the current reload, or `nil` between reloads.
  var reload: Reload?
  /// The pace of ``checkInvariantsWhenDue()``.
  var checkPace = CheckPace()

  /// The rejected rows by reason.
  private(set) var rejections = Rejections()
  /// The answers of a windowed source that contradict the request, by kind.
  private(set) var contradictions = Rejections()
  /// The number of rejected rows.
  var rejected: UInt64 { rejections.total }
  /// The last rejected row and the reason.
  var lastRejection: String { rejections.last }

  private var snapshots = SnapshotCache()
  /// The snapshots without the columns for operators.
  private var restrictedSnapshots = SnapshotCache()
  /// The batch size of ``takeNewRows(_:)``: twice the number of rows last taken, to avoid wasted
  /// checks.
  var newRowsAtOnce = 2

  /// The distance between labels of appended rows, which leaves room for rows that move in between.
  static let labelGap: UInt64 = 1 << 24
  /// The last generation of a slot.
  ///
  /// It keeps row identifiers below 2^53; a slot is not reused beyond it.
  static let lastGeneration: UInt32 = (1 << 21) - 2
  /// The generation reserved for rows that are not loaded; see ``AbsentRow``.
  static let generationOfAbsent: UInt32 = (1 << 21) - 1

  /// The hash function for keys and texts; see ``BytesHash``.
  let hasher: BytesHash
  let seed: UInt64
  /// The time of day, which all tables of an engine share.
  let wall: WallTime
  /// The collators of columns that do not order by code unit, by column number.
  let collators: [Int: any Collator]

  /// Whether row identifiers follow from keys, and revisions from what rows show.
  let sharesIDs: Bool
  /// The start of this table's row identifiers, above those of replaced tables.
  let ids: RowIDOrigin
  /// The largest generation used in a row identifier.
  private(set) var newestGeneration: UInt32

  /// Creates an empty table.
  ///
  /// `collators` holds the collators of columns that do not order by code unit, by column number.
  init(
    _ schema: Schema, limits: Limits, seed: UInt64, collators: [Int: any Collator] = [:], ids: RowIDOrigin = .zero,
    sharesIDs: Bool = false, wall: WallTime = WallTime()
  ) {
    let hasher = BytesHash(seed: seed)
    self.hasher = hasher
    self.seed = seed
    self.collators = collators
    self.ids = ids
    self.sharesIDs = sharesIDs
    self.wall = wall
    newestGeneration = ids.generation
    self.schema = schema
    self.limits = limits
    columns = .allocate(capacity: schema.columns.count)
    givenColumns = schema.givenColumnCount
    for (number, column) in schema.columns.enumerated() {
      let counter = number < givenColumns ? texts : derivedTexts
      let keys = collators[number].map { CollationKeys($0, hasher: hasher, limit: limits.collationKeyBytes) }
      columns.initializeElement(
        at: number, to: ColumnStore(column.type, hasher: hasher, counter: counter, collation: keys))
    }
    keys = KeyIndex(schema.key, hasher: hasher, counter: texts, numberBits: sharesIDs ? KeyIndex.numberBits : nil)
    derived = DerivedColumns(
      schema, columns: columns, bytes: derivedTexts, byteLimit: min(limits.tableBytes, DerivedColumns.greatestSize),
      wall: wall)
    deferred = DeferredCells(schema)
    arrivals = schema.retention == .everything ? nil : Arrivals()
    rowLimit = min(schema.limits.rows ?? .max, limits.rows)
    byteLimit = min(schema.limits.bytes ?? .max, limits.tableBytes)
    rowWeight = Self.fixedWeight(schema)
  }

  deinit {
    for column in columns { column.deallocate() }
    columns.deallocate()
    generations.deallocate()
    revisions.deallocate()
    creationCommits.deallocate()
    labels.deallocate()
    texts.deallocate()
    derivedTexts.deallocate()
  }

  // MARK: Reading

  /// Whether the slot contains a row.
  @inline(__always) func isAlive(_ slot: UInt32) -> Bool { labels[slot] != 0 }

  /// Returns the identifier of the row in this slot.
  @inline(__always) func id(of slot: UInt32) -> RowID {
    if sharesIDs, let number = keys.number(of: slot) { return RowID(rawValue: number) }
    return RowID(rawValue: UInt64(generation(of: slot)) << 32 | UInt64(slot &+ ids.number))
  }

  /// Returns the slot of a row, or `nil` if the row is gone.
  func slot(of row: RowID) -> UInt32? {
    if sharesIDs { return keys.slot(numbered: row.rawValue) }
    // An identifier below the first number wraps around to a value above all slots.
    let slot = UInt32(truncatingIfNeeded: row.rawValue) &- ids.number
    guard slot < slotCount, isAlive(slot), id(of: slot) == row else { return nil }
    return slot
  }

  /// The number of slots in use or used before, greater than every slot.
  var slots: UInt32 { slotCount }

  /// Whether the row has changed after this commit.
  func hasChanged(_ slot: UInt32, since commit: UInt32) -> Bool { Int32(bitPattern: revisions[slot] &- commit) > 0 }

  /// Whether the row was inserted after this commit.
  func isNew(_ slot: UInt32, since commit: UInt32) -> Bool { Int32(bitPattern: creationCommits[slot] &- commit) > 0 }

  /// Returns the current state of a row, of all columns or of those that restricted sessions see.
  ///
  /// All callers share one object per revision while it is referenced.
  ///
  /// - Complexity: O(columns) on first use after a change, O(1) afterwards.
  func snapshot(_ slot: UInt32, isRestricted: Bool = false) -> RowSnapshot {
    let id = id(of: slot)
    let revision = revisions[slot]
    let label = labels[slot]
    let known =
      isRestricted
      ? restrictedSnapshots.snapshot(slot, of: id, revision: revision, label: label)
      : snapshots.snapshot(slot, of: id, revision: revision, label: label)
    if let known { return known }
    let shown = isRestricted ? schema.publicColumnCount : columns.count
    let (cells, missing) = (columns.prefix(shown).map { $0.cell(slot) }, deferred?.missing(slot) ?? [])
    let made = RowSnapshot(
      id: id, revision: sharesIDs ? contentRevision(cells, missing) : revision, change: revision, cells: cells,
      label: label, missing: missing)
    if isRestricted { restrictedSnapshots.insert(made, at: slot) } else { snapshots.insert(made, at: slot) }
    return made
  }

  // MARK: Changing

  /// Applies a changeset row by row, counting and skipping invalid rows.
  ///
  /// - Complexity: Amortized O(cells). The end of a reload costs O(rows).
  func apply(_ changes: Changeset) {
    beginCommit()
    if changes.beginsReload || changes.abandonsReload {
      // Bound the memory of a source that starts reloads without ever finishing one.
      if count > rowLimit || self.bytes > byteLimit { endReload() }
      reload = changes.beginsReload ? Reload(slots: slotCount, before: commit &- 1) : nil
    }
    if changes.unnamedRejections > 0 {
      rejections.note("", changes.unnamedRejection, count: UInt64(changes.unnamedRejections))
    }
    changes.bytes.withUnsafeBytes { bytes in
      changes.cells.withUnsafeBufferPointer { cells in
        changes.records.withUnsafeBufferPointer { apply(RecordRun(records: $0, cells: cells, bytes: bytes)) }
      }
    }
    if changes.endsReload { endReload() }
    checkInvariantsWhenDue()
  }

  private func apply(_ records: RecordRun) {
    var place = 0
    while place < records.count {
      let rest = records[place..<records.count]
      let same = takeSameRows(rest)
      place += same > 0 ? same : applyFirst(rest)
    }
  }

  /// Applies the first record, and the new rows that follow if it is a new row.
  ///
  /// Returns the number of records applied.
  private func applyFirst(_ records: RecordRun) -> Int {
    let record = records[0]
    guard let key = keys.probe(record.key, bytes: records.bytes, limit: limits.cellBytes) else {
      let isTooLong = schema.key == .text && record.key.kind == .text && record.key.length > limits.cellBytes
      reject(
        record, records.bytes,
        isTooLong
          ? "its key has \(record.key.length) bytes, more than \(limits.cellBytes)"
          : "its key is not of type \(schema.key)")
      return 1
    }
    let slot = keys.nextSlot(of: key)
    if slot == nil, record.verb == .upsert {
      let taken = takeNewRows(records)
      if taken > 0 { return taken }
    }
    apply(record, key, slot, cells: records.cells(of: 0), bytes: records.bytes)
    return 1
  }

  private func apply(
    _ record: Changeset.Record, _ key: KeyIndex.Probe, _ slot: UInt32?,
    cells: UnsafeBufferPointer<Changeset.PackedCell>, bytes: UnsafeRawBufferPointer
  ) {
    var textBytes = 0
    switch record.verb {
    case .upsert:
      if let slot { return replace(record, slot, cells: cells, bytes: bytes) }
      if let reason = objection(to: cells, bytes: bytes, isUpdate: false, textBytes: &textBytes) {
        return reject(record, bytes, reason)
      }
      let weight = rowWeight + (schema.key == .text ? Int(record.key.length) : 0) + textBytes
      insert(record, key, cells: cells, bytes: bytes, weight: weight)
    case .update:
      guard let slot else { return reject(record, bytes, "no row has its key") }
      if let reason = objection(to: cells, bytes: bytes, isUpdate: true, textBytes: &textBytes) {
        return reject(record, bytes, reason)
      }
      if let reason = objection(toGrowthOf: slot, taking: cells, textBytes: textBytes, isWhole: false) {
        return reject(record, bytes, reason)
      }
      let before = texts.count
      update(slot, cells: cells, bytes: bytes, isWhole: false)
      if reload?.isFirst(slot) == false { reload?.bytes += texts.count - before }
    case .delete:
      // Not an error: a source may delete a row to be sure.
      if let slot { remove(slot) }
    case .move:
      guard let slot else { return reject(record, bytes, "no row has its key") }
      guard let target = cells.first, cells.count == 1 else { return reject(record, bytes, "a move needs one target") }
      move(record, slot, before: target, bytes: bytes)
    case .reject:
      guard let reason = cells.first, reason.kind == .text, cells.count == 1 else {
        return reject(record, bytes, "it was rejected without a reason", keeping: slot)
      }
      let text = bytes[Int(reason.payload)..<Int(reason.payload) + Int(reason.length)]
      reject(record, bytes, String(decoding: text, as: UTF8.self), keeping: slot)
    }
  }

  /// Counts a rejected row.
  ///
  /// An existing row stays as it was, even during a reload.
  private func reject(
    _ record: Changeset.Record, _ bytes: UnsafeRawBufferPointer, _ reason: String, keeping slot: UInt32? = nil
  ) {
    if let slot, let list = reload, list.isFirst(slot) {
      let weight = weight(of: slot)
      // Without room for its old value, the row is deleted like rows that the reload does not name.
      if objection(toWeight: weight, besides: list.rows, list.bytes) == nil {
        list.name(slot, label: labels[slot], isNew: false, weight: weight)
      }
    }
    let key =
      record.key.kind == .integer
      ? "\(Int64(bitPattern: record.key.payload))"
      : String(decoding: bytes[Int(record.key.payload)...].prefix(Int(min(record.key.length, 80))), as: UTF8.self)
    rejections.note("row \(key)", reason)
  }

  /// Counts an answer of a windowed source that contradicts the request.
  func noteContradiction(_ text: String) { contradictions.note("", text) }

  /// Returns and clears the occurrences of rejections and contradictions to log.
  func takeNotes() -> (rejections: [RejectionReason], contradictions: [RejectionReason]) {
    (rejections.takeNotes(), contradictions.takeNotes())
  }

  /// Inserts a row with a new key.
  private func insert(
    _ record: Changeset.Record, _ key: KeyIndex.Probe, cells: UnsafeBufferPointer<Changeset.PackedCell>,
    bytes: UnsafeRawBufferPointer, weight: Int
  ) {
    if let reload {
      // Rows not named by the reload are about to be deleted and do not count against the limits.
      if let reason = objection(toWeight: weight, besides: reload.rows, reload.bytes) {
        return reject(record, bytes, reason)
      }
      let slot = insert(key, cells: cells, bytes: bytes)
      return reload.name(slot, label: labels[slot], isNew: isNew(slot, since: reload.before), weight: weight)
    }
    let leaving = leaving
    let (rows, others) = leaving.map { (count - 1, self.bytes - self.weight(of: $0)) } ?? (count, self.bytes)
    if let reason = objection(toWeight: weight, besides: rows, others) { return reject(record, bytes, reason) }
    if let leaving { remove(leaving) }
    _ = insert(key, cells: cells, bytes: bytes)
  }

  /// Replaces all cells of an existing row.
  func replace(
    _ record: Changeset.Record, _ slot: UInt32, cells: UnsafeBufferPointer<Changeset.PackedCell>,
    bytes: UnsafeRawBufferPointer
  ) {
    var textBytes = 0
    if let reason = objection(to: cells, bytes: bytes, isUpdate: false, textBytes: &textBytes) {
      return reject(record, bytes, reason, keeping: slot)
    }
    guard let list = reload else {
      if let reason = objection(toGrowthOf: slot, taking: cells, textBytes: textBytes, isWhole: true) {
        return reject(record, bytes, reason)
      }
      return update(slot, cells: cells, bytes: bytes, isWhole: true)
    }
    guard list.isFirst(slot) else { return reject(record, bytes, "its key is named twice") }
    let weight =
      deferred == nil
      ? rowWeight + keys.textBytes(slot) + textBytes : weight(of: slot, taking: cells, isWhole: true)
    if let reason = objection(toWeight: weight, besides: list.rows, list.bytes) {
      return reject(record, bytes, reason, keeping: slot)
    }
    update(slot, cells: cells, bytes: bytes, isWhole: true)
    list.name(slot, label: labels[slot], isNew: false, weight: weight)
  }

  private func insert(
    _ key: KeyIndex.Probe, cells: UnsafeBufferPointer<Changeset.PackedCell>, bytes: UnsafeRawBufferPointer
  ) -> UInt32 {
    // A row inserted again before all views have seen its deletion has only changed: it keeps its
    // identifier.
    let old = keys.reopen(key)
    let slot = old ?? freeSlot()
    if old == nil { keys.insert(key, slot: slot) } else { tombstones.open(slot) }
    for (column, cell) in zip(columns, cells) { _ = column.store(cell, bytes: bytes, at: slot) }
    if let deferred {
      for column in deferred.columns where cells[column].kind != .null { _ = deferred.provide(slot, column) }
    }
    let creation = creationCommits[slot]
    withUnsafePointer(to: slot) { appendRows(1, at: $0) }
    if old != nil { creationCommits[slot] = creation }
    return slot
  }

  /// Appends rows whose keys and cells are stored, at these places of `slots`.
  func appendRows(_ places: UInt64, at slots: UnsafePointer<UInt32>) {
    var label = lastLabel
    let commit = commit
    forEachBit(of: places) { place in
      label += Self.labelGap
      labels[slots[place]] = label
      revisions[slots[place]] = commit
      creationCommits[slots[place]] = commit
    }
    lastLabel = label
    count += places.nonzeroBitCount
    log.note(places, at: slots)
    guard derived != nil || arrivals != nil || neighbours != nil else { return }
    forEachBit(of: places) { place in
      derived?.noteInsertion(slots[place]..<slots[place] + 1)
      arrivals?.append(slots[place])
      neighbours?.append(slots[place])
    }
  }

  /// Whether a new row may reuse a slot.
  var mayReuseSlots: Bool { !free.isEmpty || keys.hasDeleted }

  /// Appends whole rows in slots that were never used.
  ///
  /// Their keys are in the index already.
  ///
  /// - Precondition: The rows are valid, there is room for them, and all slots are below the next
  ///   multiple of 64.
  func append(_ records: RecordRun) {
    let (first, number) = (slotCount, records.count)
    slotCount += UInt32(number)
    for column in 0..<givenColumns { columns[column].fill(records.column(column, of: givenColumns), from: first) }
    derived?.noteInsertion(first..<slotCount)
    let (labels, revisions, creationCommits) = (
      labels.pointer(first), revisions.pointer(first), creationCommits.pointer(first)
    )
    for place in 0..<number {
      lastLabel += Self.labelGap
      labels[place] = lastLabel
      revisions[place] = commit
      creationCommits[place] = commit
    }
    if let neighbours { for slot in first..<slotCount { neighbours.append(slot) } }
    log.note(first..<slotCount)
    count += number
    reload?.name(first..<slotCount, labels: labels, areNew: true, weight: weight(of: records))
  }

  private func update(
    _ slot: UInt32, cells: UnsafeBufferPointer<Changeset.PackedCell>, bytes: UnsafeRawBufferPointer, isWhole: Bool
  ) {
    var changed: UInt64 = 0
    let deferred = deferred
    let due = derived?.due(slot, taking: cells) ?? 0
    for number in 0..<cells.count where takes(cells[number], number, isWhole: isWhole) {
      if let deferred, deferred.isDeferred(number), deferred.provide(slot, number) {
        changed |= 1 << UInt64(number & 63)
      }
      if columns[number].store(cells[number], bytes: bytes, at: slot) { changed |= 1 << UInt64(number & 63) }
    }
    guard changed != 0 else { return }
    if let derived { changed |= derived.follow(slot, due) }
    revisions[slot] = commit
    log.note(slot, columns: changed)
  }

  /// Whether the cell replaces the existing one.
  @inline(__always) func takes(_ cell: Changeset.PackedCell, _ column: Int, isWhole: Bool) -> Bool {
    switch cell.kind {
    case .unchanged: false
    // A whole row without deferred values leaves the loaded ones in place.
    case .null: !isWhole || !(deferred?.isDeferred(column) ?? false)
    default: true
    }
  }

  /// Starts a new commit.
  func beginCommit() { commit = commit == .max ? 1 : commit + 1 }

  /// Marks a row as changed, for ``fail(_:_:_:)`` and ``forget(_:_:)``.
  func noteChange(_ slot: UInt32, columns: UInt64) {
    beginCommit()
    revisions[slot] = commit
    log.note(slot, columns: columns)
    checkInvariantsWhenDue()
  }

  func remove(_ slot: UInt32) {
    if let list = reload, !list.isFirst(slot) { reload?.forget(slot, weight: weight(of: slot)) }
    for column in columns { column.clear(slot) }
    forgetRow(slot)
  }

  /// Deletes rows at the end of a reload.
  ///
  /// `rows` has a bit for each slot from `first` on, a multiple of 64.
  func remove(_ first: UInt32, _ rows: UInt64) {
    for column in columns { column.clear(first, rows) }
    guard arrivals == nil, neighbours == nil, deferred == nil else {
      return forEachBit(of: rows) { forgetRow(first + UInt32($0)) }
    }
    tombstones.add(first, rows, position: log.end + 1)
    keys.markDeleted(first, rows)
    forEachBit(of: rows) { labels[first + UInt32($0)] = 0 }
    snapshots.remove(first, rows)
    restrictedSnapshots.remove(first, rows)
    count -= rows.nonzeroBitCount
    log.note(first, rows)
  }

  /// Deletes a row whose cells are cleared.
  private func forgetRow(_ slot: UInt32) {
    arrivals?.remove(slot)
    neighbours?.remove(slot)
    tombstones.add(slot, position: log.end + 1)
    keys.markDeleted(slot)
    deferred?.clear(slot)
    labels[slot] = 0
    snapshots.remove(slot)
    restrictedSnapshots.remove(slot)
    count -= 1
    log.note(slot, columns: ChangeLog.everything)
  }

  /// Drops log entries before this position, which all views have processed, and frees the slots of
  /// rows deleted before it.
  func forgetChanges(before position: Int) {
    log.trim(to: position)
    var released: [UInt32] = []
    tombstones.close(before: position) { released.append($0) }
    keys.remove(released)
    free += released.lazy.filter { generation(of: $0) < Self.lastGeneration }
  }

  private func move(
    _ record: Changeset.Record, _ slot: UInt32, before target: Changeset.PackedCell, bytes: UnsafeRawBufferPointer
  ) {
    if target.kind == .null {
      moveToEnd(slot)
    } else if let key = keys.probe(target, bytes: bytes, limit: limits.cellBytes), let other = keys.slot(of: key) {
      guard other != slot else { return }
      move(slot, before: other)
    } else {
      return reject(record, bytes, "the row to go before is missing")
    }
    reload?.noteMove()
    log.note(slot, columns: ChangeLog.everything)
  }

  /// Whether a row that is inserted takes the slot of a former one.
  var hasFreeSlots: Bool { !free.isEmpty }

  /// Takes the slots below `end`, for which there is room, into use.
  func useSlots(below end: UInt32) { slotCount = end }

  /// Returns a free slot with a new identifier, or a new slot.
  func freeSlot() -> UInt32 {
    if let slot = free.popLast() {
      generations.grow(to: Int(slot) + 1)
      generations[slot] += 1
      newestGeneration = max(newestGeneration, generation(of: slot))
      return slot
    }
    makeRoom()
    slotCount += 1
    return slotCount - 1
  }

  /// A sum without a meaning, for which ``findOthers(_:_:_:)`` reads cells.
  var fetched: UInt64 = 0

  /// The number of slots for which memory is allocated.
  private var roomySlots: UInt32 = 0

  /// Ensures room for the next slot and those up to the next multiple of 64.
  ///
  /// It allocates many at once, so that the cost per row is negligible.
  func makeRoom() {
    guard slotCount == roomySlots else { return }
    precondition(slotCount < .max - 1 << 12 - ids.number, "no slot is left after \(slotCount) rows")
    roomySlots += 1 << 12
    let count = Int(roomySlots)
    for column in columns { column.grow(to: count) }
    keys.grow(to: count)
    deferred?.grow(to: count)
    arrivals?.grow(to: count)
    neighbours?.grow(to: count)
    revisions.grow(to: count)
    creationCommits.grow(to: count)
    labels.grow(to: count)
  }

  @inline(__always) private func generation(of slot: UInt32) -> UInt32 {
    ids.generation &+ (slot < generations.count ? generations[slot] : 0)
  }
}
