/// The truth about one list: its rows by column, found by key, in the source's own order.
///
/// A row lives in a slot; slots are used again when every view has let go of the row that was there, row ids never are.
final class Table {
  let schema: Schema
  let limits: Limits
  /// One per column of the schema.
  let columns: UnsafeMutableBufferPointer<ColumnStore>
  let keys: KeyIndex
  /// Which cells of deferred columns have a value; `nil` without such columns.
  let deferred: DeferredCells?
  /// The rows in the order in which they came; `nil` when the table keeps all.
  let arrivals: Arrivals?
  /// How many rows it may have.
  let rowLimit: Int
  /// How many bytes its rows may weigh.
  let byteLimit: Int
  /// What a row weighs without its texts.
  let rowWeight: Int
  /// Counts the bytes of texts that rows hold.
  let texts = ByteCounter()
  /// How often the row's slot had been used before; there is nothing here for slots beyond the last one that was used twice.
  let generations = Chunked<UInt32>(filler: 0)
  /// The commit that last changed the row.
  private let revisions = Chunked<UInt32>(filler: 0)
  /// The commit that brought the row.
  let births = Chunked<UInt32>(filler: 0)
  /// The row's place in the source's order: greater is later; 0 when the slot holds no row.
  let labels = Chunked<UInt64>(filler: 0)
  private var slotCount: UInt32 = 0
  /// Slots that may be used again.
  private var free: [UInt32] = []
  /// Removed rows that some view may still show, in the order in which they went.
  private var tombstones = Tombstones()
  /// The rows in the source's order, from the first move on: a move names one neighbour only, and needs the other one. `nil` again when a
  /// list that is loaded again has put them in another order.
  var neighbours: SlotList?
  /// The greatest label in use, or one that was.
  var lastLabel: UInt64 = 0

  /// How many rows there are.
  private(set) var count = 0
  /// Counts the changesets that were applied; stamps what they touched. Wraps after 2^32.
  private(set) var commit: UInt32 = 0
  /// Counts how often all labels were given anew, which makes what was derived from them worthless.
  var relabelings = 0
  var log = ChangeLog()
  /// Which rows the list being loaded again has named so far; `nil` between reloads.
  var reload: Reload?

  /// Rows that were rejected.
  private(set) var rejections = Rejections()
  /// Answers of a windowed source that contradict what it was asked.
  private(set) var contradictions = Rejections()
  /// How many rows were rejected.
  var rejected: UInt64 { rejections.total }
  /// Which row was rejected last, and why.
  var lastRejection: String { rejections.last }

  private var snapshots: [UInt32: RowSnapshot] = [:]
  /// How many new rows ``takeNewRows(_:)`` looks at together: twice as many as it last took, so that looking is never for nothing.
  var newRowsAtOnce = 2

  /// The distance of labels at the end: room for many rows to come between two others.
  static let labelGap: UInt64 = 1 << 24
  /// Row ids stay below 2^53: a slot that was used so often is not used again.
  static let lastGeneration: UInt32 = (1 << 21) - 2
  /// No slot is used for the so manieth time: ids of this generation are free for rows that are not there; see ``AbsentRow``.
  static let generationOfAbsent: UInt32 = (1 << 21) - 1

  /// What texts are found by; see ``BytesHash``.
  let hasher: BytesHash
  let seed: UInt64
  /// What orders the columns that do not order by code unit, by their number.
  let collators: [Int: any Collator]

  /// What row ids are counted from: less is left to tables whose place this one has taken.
  let ids: RowIDOrigin
  /// The greatest generation of an id that was given.
  private(set) var newestGeneration: UInt32

  /// A table without rows. `collators` are those of the columns that do not order by code unit, by their number.
  init(
    _ schema: Schema, limits: Limits, seed: UInt64, collators: [Int: any Collator] = [:], ids: RowIDOrigin = .zero
  ) {
    let hasher = BytesHash(seed: seed)
    self.hasher = hasher
    self.seed = seed
    self.collators = collators
    self.ids = ids
    newestGeneration = ids.generation
    self.schema = schema
    self.limits = limits
    columns = .allocate(capacity: schema.columns.count)
    for (number, column) in schema.columns.enumerated() {
      let keys = collators[number].map { CollationKeys($0, hasher: hasher, limit: limits.collationKeyBytes) }
      columns.initializeElement(
        at: number, to: ColumnStore(column.type, hasher: hasher, counter: texts, collation: keys))
    }
    keys = KeyIndex(schema.key, hasher: hasher, counter: texts)
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
    births.deallocate()
    labels.deallocate()
    texts.deallocate()
  }

  // MARK: Reading

  /// Whether there is a row in this slot.
  @inline(__always) func isAlive(_ slot: UInt32) -> Bool { labels[slot] != 0 }

  /// The id of the row in this slot.
  @inline(__always) func id(of slot: UInt32) -> RowID {
    RowID(rawValue: UInt64(generation(of: slot)) << 32 | UInt64(slot &+ ids.number))
  }

  /// The slot of this row; `nil` when it is gone.
  func slot(of row: RowID) -> UInt32? {
    // What is less than the first number becomes more than any slot.
    let slot = UInt32(truncatingIfNeeded: row.rawValue) &- ids.number
    guard slot < slotCount, isAlive(slot), id(of: slot) == row else { return nil }
    return slot
  }

  /// How many slots there are; every slot is less.
  var slots: UInt32 { slotCount }

  /// Whether the row has changed since that commit.
  func hasChanged(_ slot: UInt32, since commit: UInt32) -> Bool { Int32(bitPattern: revisions[slot] &- commit) > 0 }

  /// Whether the row came after that commit.
  func isNew(_ slot: UInt32, since commit: UInt32) -> Bool { Int32(bitPattern: births[slot] &- commit) > 0 }

  /// The row as it is now. Equal revisions of a row are one object, as long as someone holds it.
  ///
  /// - Complexity: O(columns) for the first to ask after a change, O(1) for the others.
  func snapshot(_ slot: UInt32) -> RowSnapshot {
    let id = id(of: slot)
    let revision = revisions[slot]
    let label = labels[slot]
    if let known = snapshots[slot], known.id == id, known.revision == revision, known.label == label { return known }
    let made = RowSnapshot(
      id: id, revision: revision, cells: columns.map { $0.cell(slot) }, label: label,
      missing: deferred?.missing(slot) ?? [])
    if snapshots.count >= snapshotLimit { dropUnusedSnapshots() }
    snapshots[slot] = made
    return made
  }

  /// Beyond it, snapshots that no session holds are dropped; grows with what sessions hold.
  private var snapshotLimit = Table.fewSnapshots
  private static let fewSnapshots = 256

  private func dropUnusedSnapshots() {
    for slot in Array(snapshots.keys) where isKnownUniquelyReferenced(&snapshots[slot]!) { snapshots[slot] = nil }
    snapshotLimit = max(Self.fewSnapshots, snapshots.count * 2)
  }

  // MARK: Changing

  /// Applies everything a source said, row by row; what does not fit is counted and left out, the rest is applied.
  ///
  /// - Complexity: O(cells), amortized; the end of a reload costs O(rows).
  func apply(_ changes: Changeset) {
    beginCommit()
    if changes.beginsReload || changes.abandonsReload {
      // A list that begins again and again without an end would pile up what it names.
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
    checkInvariants()
  }

  private func apply(_ records: RecordRun) {
    var place = 0
    while place < records.count {
      let rest = records[place..<records.count]
      let same = takeSameRows(rest)
      place += same > 0 ? same : applyFirst(rest)
    }
  }

  /// Applies the first of these records, and the new rows that follow a new row. The result is how many they were.
  private func applyFirst(_ records: RecordRun) -> Int {
    let record = records[0]
    guard let key = keys.probe(record.key, bytes: records.bytes, limit: limits.cellBytes) else {
      let isTooLong = schema.key == .text && record.key.kind == .text && record.key.length > limits.cellBytes
      reject(
        record, records.bytes,
        isTooLong
          ? "its key has \(record.key.length) bytes, more than \(limits.cellBytes)" : "its key is no \(schema.key)")
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
      guard let slot else { return reject(record, bytes, "there is no row with its key") }
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
      // Not an error: a source may say so to be sure.
      if let slot { remove(slot) }
    case .move:
      guard let slot else { return reject(record, bytes, "there is no row with its key") }
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

  /// Why these cells cannot be a row's, or `nil`. Looked at before anything is touched, so that no row is half changed. `textBytes` grows
  /// by what they weigh.
  @inline(__always) private func objection(
    to cells: UnsafeBufferPointer<Changeset.PackedCell>, bytes: UnsafeRawBufferPointer, isUpdate: Bool,
    textBytes: inout Int
  ) -> String? {
    guard cells.count == columns.count else { return "it has \(cells.count) cells for \(columns.count) columns" }
    for (number, cell) in cells.enumerated() {
      if cell.kind == .unchanged {
        if isUpdate { continue }
        return "its cell “\(schema.columns[number].name)” is left out"
      }
      guard columns[number].accepts(cell.kind) else {
        return "its cell “\(schema.columns[number].name)” is \(cell.kind), not \(columns[number].type)"
      }
      guard cell.kind == .text || cell.kind == .image || cell.kind == .series else { continue }
      guard cell.length <= limits.cellBytes else {
        return "its cell “\(schema.columns[number].name)” has \(cell.length) bytes, more than \(limits.cellBytes)"
      }
      let text = UnsafeRawBufferPointer(rebasing: bytes[Int(cell.payload)..<Int(cell.payload) + Int(cell.length)])
      guard cell.kind == .series || isUTF8(text) else {
        return "its cell “\(schema.columns[number].name)” is not UTF-8"
      }
      textBytes += text.count
    }
    return nil
  }

  /// Counts a row that is left out. One that is there already stays as it was, also when the list is being loaded again.
  private func reject(
    _ record: Changeset.Record, _ bytes: UnsafeRawBufferPointer, _ reason: String, keeping slot: UInt32? = nil
  ) {
    if let slot, let list = reload, list.isFirst(slot) {
      let weight = weight(of: slot)
      // When there is no room for what it was either, it goes with all that the list does not name.
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

  /// A windowed source's answer contradicts what it was asked.
  func noteContradiction(_ text: String) { contradictions.note("", text) }

  /// What the log is to get of rejected rows and of contradictions.
  func takeNotes() -> (rejections: [RejectionReason], contradictions: [RejectionReason]) {
    (rejections.takeNotes(), contradictions.takeNotes())
  }

  /// Takes a whole row whose key is new.
  private func insert(
    _ record: Changeset.Record, _ key: KeyIndex.Probe, cells: UnsafeBufferPointer<Changeset.PackedCell>,
    bytes: UnsafeRawBufferPointer, weight: Int
  ) {
    if let reload {
      // What the list has not named is about to go: it takes no room.
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

  /// Takes a whole row whose key is there.
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
    // A row that went and comes back before everyone has looked has only changed: it keeps its id.
    let old = keys.reopen(key)
    let slot = old ?? freeSlot()
    if old == nil { keys.insert(key, slot: slot) } else { tombstones.open(slot) }
    lastLabel += Self.labelGap
    labels[slot] = lastLabel
    revisions[slot] = commit
    if old == nil { births[slot] = commit }
    for (column, cell) in zip(columns, cells) { _ = column.store(cell, bytes: bytes, at: slot) }
    if let deferred {
      for column in deferred.columns where cells[column].kind != .null { _ = deferred.provide(slot, column) }
    }
    count += 1
    arrivals?.append(slot)
    neighbours?.append(slot)
    log.note(slot, columns: ChangeLog.everything)
    return slot
  }

  /// Whether a new row may take the place of one that went.
  var mayReuseSlots: Bool { !free.isEmpty || keys.hasBuried }

  /// Puts whole rows behind all others, into slots that were never used. Their keys are entered.
  ///
  /// - Precondition: The rows fit, and there is room for them; the slots are all below the next multiple of 64.
  func append(_ records: RecordRun) {
    let (first, number) = (slotCount, records.count)
    slotCount += UInt32(number)
    for column in 0..<columns.count { columns[column].fill(records.column(column, of: columns.count), from: first) }
    let (labels, revisions, births) = (labels.pointer(first), revisions.pointer(first), births.pointer(first))
    for place in 0..<number {
      lastLabel += Self.labelGap
      labels[place] = lastLabel
      revisions[place] = commit
      births[place] = commit
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
    for number in 0..<cells.count where takes(cells[number], number, isWhole: isWhole) {
      if let deferred, deferred.isDeferred(number), deferred.provide(slot, number) {
        changed |= 1 << UInt64(number & 63)
      }
      if columns[number].store(cells[number], bytes: bytes, at: slot) { changed |= 1 << UInt64(number & 63) }
    }
    guard changed != 0 else { return }
    revisions[slot] = commit
    log.note(slot, columns: changed)
  }

  /// Whether a row that is there takes this cell, rather than keeping its own.
  @inline(__always) func takes(_ cell: Changeset.PackedCell, _ column: Int, isWhole: Bool) -> Bool {
    switch cell.kind {
    case .unchanged: false
    // A source that gives a whole row does not know what costs time to get: an empty deferred cell says nothing.
    case .null: !isWhole || !(deferred?.isDeferred(column) ?? false)
    default: true
    }
  }

  /// What follows is stamped with another number.
  func beginCommit() { commit = commit == .max ? 1 : commit + 1 }

  /// Notes that a row shows something else, for ``fail(_:_:_:)`` and ``forget(_:_:)``.
  func touch(_ slot: UInt32, columns: UInt64) {
    beginCommit()
    revisions[slot] = commit
    log.note(slot, columns: columns)
    checkInvariants()
  }

  func remove(_ slot: UInt32) {
    if let list = reload, !list.isFirst(slot) { reload?.forget(slot, weight: weight(of: slot)) }
    arrivals?.remove(slot)
    neighbours?.remove(slot)
    tombstones.dig(slot, position: log.end + 1)
    keys.bury(slot)
    for column in columns { column.clear(slot) }
    deferred?.clear(slot)
    labels[slot] = 0
    if !snapshots.isEmpty { snapshots[slot] = nil }
    count -= 1
    log.note(slot, columns: ChangeLog.everything)
  }

  /// Forgets the changes up to this position of the log: every view has seen them. Slots of rows that went are free then.
  func forgetChanges(before position: Int) {
    log.trim(to: position)
    tombstones.close(before: position) { slot in
      keys.remove(slot)
      guard generation(of: slot) < Self.lastGeneration else { return }
      free.append(slot)
    }
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
      return reject(record, bytes, "there is no row to go before")
    }
    reload?.noteMove()
    log.note(slot, columns: ChangeLog.everything)
  }

  /// A slot that no view remembers, with a new id; or a new slot.
  private func freeSlot() -> UInt32 {
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

  /// How many slots there is room for.
  private var roomySlots: UInt32 = 0

  /// Sees to it that there is room for one more slot, and for those up to the next multiple of 64: for many at a time, so that
  /// hardly any row has to do anything for it.
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
    births.grow(to: count)
    labels.grow(to: count)
  }

  @inline(__always) private func generation(of slot: UInt32) -> UInt32 {
    ids.generation &+ (slot < generations.count ? generations[slot] : 0)
  }

  /// Every row is found by its key, and the counts are right.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var alive = 0
      for slot in 0..<slotCount where isAlive(slot) { alive += 1 }
      precondition(alive == count, "\(alive) rows, counted as \(count)")
      precondition(keys.count == count, "\(keys.count) keys for \(count) rows")
      keys.checkInvariants()
      for column in columns { column.pool?.checkInvariants() }
      arrivals?.checkInvariants(isAlive: isAlive, rows: count)
      checkNeighbours()
      var (weight, named) = (0, 0)
      for slot in 0..<slotCount where isAlive(slot) {
        weight += self.weight(of: slot)
        if let reload, !reload.isFirst(slot) { named += self.weight(of: slot) }
      }
      precondition(weight == bytes, "the rows weigh \(weight) bytes, counted as \(bytes)")
      precondition(named == reload?.bytes ?? 0, "the named rows weigh \(named) bytes, counted as \(reload?.bytes ?? 0)")
      precondition(reload != nil || count <= rowLimit && bytes <= byteLimit, "\(count) rows, \(bytes) bytes: too many")
    #endif
  }
}
