/// A radix sort of bins of rows in bounded steps.
///
/// It sorts by the most significant digit first (MSD) until a group of rows is small, and then by
/// the least significant digit first (LSD), as in
/// [P. M. McIlroy, K. Bostic and M. D. McIlroy, "Engineering Radix Sort", 1993](https://www.usenix.org/legacy/publications/compsystems/1993/win_mcilroy.pdf).
/// The keys are 32 bits wide. Rows that tie are sorted by their next ``TieKey``, whose range within
/// the group is compressed to 32 bits. Only groups of a few rows are compared row by row.
///
///     let sort = OrderSort(comparator: comparator, stepRows: 1 << 16)
///     bin.append(key << 32 | slot)      // as in a chunk
///     sort.begin(bin)
///     while !sort.isDone { sort.step(...) { entries in ... } }
///
/// Each bin is freed while it is read, so that the rows are in memory once.
final class OrderSort {
  /// A group of rows that tie in all keys before theirs, and the work on it that comes next.
  private struct Task {
    enum Work {
      /// Sorts a few rows at once, or finds out by which bits many rows differ.
      case sort
      /// Distributes the rows to smaller groups by their next digit.
      case distribute
      /// Returns rows that are in order, apart from a few that tie.
      case emit
      /// Returns rows that are in order.
      case emitAll
      /// Reads the next keys of rows that tie.
      case measure
      /// Compresses these keys.
      case assign
    }

    var work: Work
    var bin: EntryBin
    /// The last block that is done, unless blocks are freed when they are done.
    var block: EntryBin.Block?
    /// The number of rows in the blocks that are done.
    var cursor = 0
    /// The bits in which entries differ from the first one.
    var differences: UInt64 = 0
    /// The number of bits of the digit, and the number of bits below it.
    var width: UInt64 = 0
    var low: UInt64 = 0
    /// The key that is in the entries.
    var key = TieKey()
    /// The uncompressed key that is 0 in the entries, and the bits that the compression dropped.
    var base: UInt64 = 0
    var shift: UInt64 = 32
    var summary = TieKeySummary()
    /// The compressed sort key of all rows, or `nil` if it is in the entries.
    var shown: UInt32?

    /// Returns the next work on the same rows, or on others with the same key.
    func then(_ work: Work, _ bin: EntryBin? = nil) -> Task {
      var task = self
      (task.work, task.bin, task.block, task.cursor, task.differences) = (work, bin ?? self.bin, nil, 0, 0)
      return task
    }
  }

  /// The most rows sorted in one piece, which fit into a processor's cache twice.
  private static var greatestPiece: Int { 8192 }
  /// The most rows compared one by one.
  private static var greatestComparison: Int { 24 }
  private static var digitBits: Int { 11 }

  /// Returns the most rows sorted in one piece if a step does about `stepRows` work.
  static func pieceRows(stepRows: Int) -> Int { max(1, min(greatestPiece, stepRows / 8)) }

  /// The rows of a piece, and a buffer of the same size for sorting it and for keys.
  private let piece: UnsafeMutablePointer<UInt64>
  private let buffer: UnsafeMutablePointer<UInt64>
  private let comparator: RowComparator
  private let pieceRows: Int
  private let comparedRows: Int
  private var tasks: [Task] = []
  /// The number of rows of each digit in a piece, and then the next index of each.
  private let digits: UnsafeMutablePointer<Int>
  /// The groups to which the topmost task distributes its rows.
  private let groups: UnsafeMutablePointer<EntryBin>
  private var output: [UInt64] = []
  /// The work done so far, in rows read once.
  private(set) var spent = 0

  /// Creates a sort whose steps do about `stepRows` work.
  init(comparator: RowComparator, stepRows: Int) {
    self.comparator = comparator
    pieceRows = Self.pieceRows(stepRows: stepRows)
    comparedRows = max(2, min(Self.greatestComparison, stepRows / 8))
    piece = .allocate(capacity: pieceRows)
    buffer = .allocate(capacity: pieceRows)
    digits = .allocate(capacity: 1 << Self.digitBits)
    groups = .allocate(capacity: 1 << Self.digitBits)
    groups.initialize(repeating: EntryBin(rows: 0), count: 1 << Self.digitBits)
  }

  deinit {
    _ = free(atMost: .max)
    piece.deallocate()
    buffer.deallocate()
    digits.deallocate()
    groups.deallocate()
  }

  /// Frees up to `most` blocks of rows, and returns how many.
  ///
  /// The sort must not be continued afterwards.
  func free(atMost most: Int) -> Int {
    var freed = 0
    while freed < most, var task = tasks.popLast() {
      freed += task.bin.free(atMost: most - freed)
      if task.bin.count > 0 { tasks.append(task) }
    }
    for digit in 0..<1 << Self.digitBits where freed < most { freed += groups[digit].free(atMost: most - freed) }
    return freed
  }

  /// Whether all rows have been returned.
  var isDone: Bool { tasks.isEmpty }

  /// Begins to sort rows by their compressed sort keys, which are in the entries.
  ///
  /// - Precondition: The bin was created for at most `pieceRows` rows at a time.
  func begin(_ bin: EntryBin) { if bin.count > 0 { tasks = [Task(work: .sort, bin: bin)] } }

  /// Does about `limit` work, and passes sorted entries without changed rows to a closure.
  func step(atMost limit: Int, except changed: ChangedRows, _ emit: ([UInt64]) -> Void) {
    let end = spent + limit
    output.removeAll(keepingCapacity: true)
    while spent < end, let task = tasks.popLast() {
      switch task.work {
      case .sort where task.bin.count <= pieceRows: sortPiece(task, changed)
      case .sort: findDigit(task, until: end)
      case .distribute: distribute(task, until: end)
      case .emit: emitPiece(task, changed)
      case .emitAll: emitAll(task, until: end, changed)
      case .measure: measure(task, until: end, changed)
      case .assign: assign(task, until: end, changed)
      }
    }
    if !output.isEmpty { emit(output) }
  }

  /// Calls a closure with the next blocks of a task's rows, and records their work.
  ///
  /// Returns whether the rows are done. If not, it adds the task for the next step.
  private func forEachBlock(
    _ task: inout Task, until end: Int, work: Int, _ body: (UnsafeMutableBufferPointer<UInt64>, inout Task) -> Void
  ) -> Bool {
    while let block = task.bin.block(after: task.block) {
      guard spent < end else {
        tasks.append(task)
        return false
      }
      let entries = task.bin.entries(of: block)
      body(entries, &task)
      spent += entries.count * work
      task.cursor += entries.count
      if task.work == .distribute || task.work == .emitAll { task.bin.dropFirst() } else { task.block = block }
    }
    return true
  }

  // MARK: Digits

  @inline(__always) private func digit(_ entry: UInt64, _ shift: UInt64, _ mask: UInt64) -> Int {
    Int(entry >> shift & mask)
  }

  /// Finds the uppermost digit by which many rows differ.
  private func findDigit(_ task: Task, until end: Int) {
    var task = task
    guard let first = task.bin.first else { return }
    let isDone = forEachBlock(&task, until: end, work: 1) { entries, task in
      for entry in entries { task.differences |= entry ^ first }
    }
    guard isDone else { return }
    let bits = 32 - UInt32(task.differences >> 32).leadingZeroBitCount
    guard bits > 0 else { return tasks.append(tied(task, by: first)) }
    // A piece has room for two groups, if keys are spread evenly.
    let wanted = Int.bitWidth - (task.bin.count / max(1, pieceRows / 2)).leadingZeroBitCount
    let width = min(bits, Self.digitBits, wanted)
    (task.width, task.low) = (UInt64(width), UInt64(bits - width))
    let rows = max(1, min(pieceRows, task.bin.count >> width))
    groups.update(repeating: EntryBin(rows: rows), count: 1 << width)
    tasks.append(task.then(.distribute))
  }

  private func distribute(_ task: Task, until end: Int) {
    var task = task
    let (shift, mask, groups) = (32 + task.low, UInt64(1) << task.width - 1, groups)
    let isDone = forEachBlock(&task, until: end, work: 2) { entries, _ in
      for entry in entries { groups[digit(entry, shift, mask)].append(entry) }
    }
    guard isDone else { return }
    for digit in (0...Int(mask)).reversed() where groups[digit].count > 0 {
      tasks.append(task.then(.sort, groups[digit]))
      groups[digit] = EntryBin(rows: 0)
    }
    spent += Int(mask)
  }

  /// Sorts and returns a few rows.
  private func sortPiece(_ task: Task, _ changed: ChangedRows) {
    let (count, first) = (task.bin.count, task.bin.first ?? 0)
    task.bin.copy(to: piece)
    spent += count * 2
    var differences: UInt64 = 0
    for index in 0..<count { differences |= piece[index] ^ first }
    if count > comparedRows, differences >> 32 == 0 { return tasks.append(tied(task, by: first)) }
    sortPiece(count, by: 32 - UInt32(differences >> 32).leadingZeroBitCount)
    emitPiece(count, task, changed)
  }

  /// Sorts the piece by the lower bits of the keys; rows with equal keys keep their order.
  private func sortPiece(_ count: Int, by bits: Int) {
    guard count > 48 else { return insertionSort(piece, count) }
    var (from, to) = (piece, buffer)
    let width = count > 2048 ? Self.digitBits : 8
    let digits = digits
    for low in stride(from: 0, to: bits, by: width) {
      let (shift, mask) = (UInt64(32 + low), UInt64(1) << UInt64(min(width, bits - low)) - 1)
      digits.update(repeating: 0, count: Int(mask) + 1)
      for index in 0..<count { digits[digit(from[index], shift, mask)] += 1 }
      if digits[digit(from[0], shift, mask)] == count { continue }
      var start = 0
      for digit in 0...Int(mask) {
        let count = digits[digit]
        digits[digit] = start
        start += count
      }
      for index in 0..<count {
        let entry = from[index]
        let digit = digit(entry, shift, mask)
        to[digits[digit]] = entry
        digits[digit] += 1
      }
      swap(&from, &to)
    }
    if from != piece { piece.update(from: from, count: count) }
  }

  private func insertionSort(_ rows: UnsafeMutablePointer<UInt64>, _ count: Int) {
    for index in 1..<max(1, count) {
      let entry = rows[index]
      var place = index
      while place > 0, rows[place - 1] >> 32 > entry >> 32 {
        rows[place] = rows[place - 1]
        place -= 1
      }
      rows[place] = entry
    }
  }

  // MARK: Output

  private func emitPiece(_ task: Task, _ changed: ChangedRows) {
    task.bin.copy(to: piece)
    emitPiece(task.bin.count, task, changed)
  }

  /// Returns the sorted rows of the piece up to many that tie, adds tasks for these and for the
  /// rest, and frees the task's rows.
  private func emitPiece(_ count: Int, _ task: Task, _ changed: ChangedRows) {
    let (piece, hasChanges) = (piece, !changed.isEmpty)
    var later: [Task] = []
    var output: [UInt64] = []
    swap(&output, &self.output)
    var index = 0
    while index < count {
      let entry = piece[index]
      var after = index + 1
      while after < count, piece[after] >> 32 == entry >> 32 { after += 1 }
      let rows = after - index
      if rows > comparedRows {
        later.append(tied(task.then(.emit, EntryBin(rows: rows)), by: entry))
      } else if let last = later.last, last.work != .emit {
        later.append(task.then(.emit, EntryBin(rows: count - index)))
      }
      if !later.isEmpty {
        for place in index..<after { later[later.count - 1].bin.append(piece[place]) }
      } else if rows > 1 {
        emitCompared(index..<after, task, changed, &output)
      } else if !hasChanges || !changed.contains(UInt32(truncatingIfNeeded: entry)) {
        output.append(shown(entry, task))
      }
      index = after
    }
    swap(&output, &self.output)
    tasks.append(contentsOf: later.reversed())
    spent += count * 4
    var bin = task.bin
    _ = bin.free(atMost: .max)
  }

  private func emitAll(_ task: Task, until end: Int, _ changed: ChangedRows) {
    var task = task
    _ = forEachBlock(&task, until: end, work: 4) { entries, task in
      for entry in entries where !changed.contains(UInt32(truncatingIfNeeded: entry)) {
        output.append(shown(entry, task))
      }
    }
  }

  /// Returns an entry with the compressed sort key.
  @inline(__always) private func shown(_ entry: UInt64, _ task: Task) -> UInt64 {
    task.shown.map { UInt64($0) << 32 | entry & UInt64(UInt32.max) } ?? entry
  }

  /// Returns a few rows that tie, compared one by one.
  private func emitCompared(_ range: Range<Int>, _ task: Task, _ changed: ChangedRows, _ output: inout [UInt64]) {
    spent += range.count * 4
    let start = output.count
    for index in range where !changed.contains(UInt32(truncatingIfNeeded: piece[index])) {
      let entry = shown(piece[index], task)
      output.append(entry)
      var place = output.count - 1
      while place > start,
        comparator.precedes(UInt32(truncatingIfNeeded: entry), UInt32(truncatingIfNeeded: output[place - 1]))
      {
        output[place] = output[place - 1]
        place -= 1
      }
      output[place] = entry
    }
  }

  // MARK: Ties

  /// Returns the next task for rows that tie by the key in their entries.
  private func tied(_ task: Task, by entry: UInt64) -> Task {
    var task = task.then(.measure)
    task.shown = task.shown ?? UInt32(truncatingIfNeeded: entry >> 32)
    if task.shift == 0 {
      // In the last key, only rows that changed tie.
      if comparator.isLast(task.key) { return task.then(.emitAll) }
      task.key = comparator.next(after: task.key, value: task.base + entry >> 32, task.summary)
    }
    task.summary = TieKeySummary()
    return task
  }

  /// Reads the keys of rows, into the buffer if there are few.
  private func measure(_ task: Task, until end: Int, _ changed: ChangedRows) {
    var task = task
    let keeps = task.bin.count <= pieceRows
    let isDone = forEachBlock(&task, until: end, work: 3) { entries, task in
      read(entries, into: buffer + (keeps ? task.cursor : 0), task.key, &task.summary, changed)
    }
    guard isDone else { return }
    let (isLast, summary) = (comparator.isLast(task.key), task.summary)
    if isLast && (summary.isAscending || summary.least == summary.greatest) { return tasks.append(task.then(.emitAll)) }
    if summary.least == summary.greatest {
      task.key = comparator.next(after: task.key, value: summary.least, summary)
      task.summary = TieKeySummary()
      return tasks.append(task.then(.measure))
    }
    task.base = summary.least
    task.shift = UInt64(max(0, 32 - (summary.greatest - summary.least).leadingZeroBitCount))
    tasks.append(task.then(.assign))
  }

  private func assign(_ task: Task, until end: Int, _ changed: ChangedRows) {
    var task = task
    let keeps = task.bin.count <= pieceRows
    let isDone = forEachBlock(&task, until: end, work: 2) { entries, task in
      let keys = buffer + (keeps ? task.cursor : 0)
      var summary = TieKeySummary()
      if !keeps { read(entries, into: keys, task.key, &summary, changed) }
      for index in entries.indices {
        // Rows that changed since have other keys.
        let key = (max(keys[index], task.base) - task.base) >> task.shift
        entries[index] = key << 32 | entries[index] & UInt64(UInt32.max)
      }
    }
    if isDone { tasks.append(task.then(.sort)) }
  }

  private func read(
    _ entries: UnsafeMutableBufferPointer<UInt64>, into keys: UnsafeMutablePointer<UInt64>, _ key: TieKey,
    _ summary: inout TieKeySummary, _ changed: ChangedRows
  ) {
    guard let start = entries.baseAddress else { return }
    comparator.keys(key, of: start, count: entries.count, except: changed, into: keys, &summary)
  }
}
