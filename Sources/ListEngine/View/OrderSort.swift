/// A radix sort of a view's rows in bounded steps.
///
/// It sorts by the most significant digit first (MSD) until a group of rows is small, and then by
/// the least significant digit first (LSD), as in
/// [P. M. McIlroy, K. Bostic and M. D. McIlroy, "Engineering Radix Sort", 1993](https://www.usenix.org/legacy/publications/compsystems/1993/win_mcilroy.pdf).
/// The keys are 32 bits wide. Rows that tie are sorted by their next ``TieKey``, whose range within
/// the group is compressed to 32 bits. Only groups of a few rows are compared row by row.
///
///     let sort = OrderSort(rows: count, ...)
///     sort.entries[index] = key << 32 | slot      // as in a chunk
///     sort.begin(0..<count)
///     while !sort.isDone { sort.step(...) { entries in ... } }
///
/// It allocates two buffers of eight bytes a row.
final class OrderSort {
  /// A group of rows that tie in all keys before theirs, and the work on it that comes next.
  private struct Task {
    enum Work {
      /// Sorts by the lower bits of the keys, because the upper ones are equal.
      case sort
      /// Counts the rows by digit.
      case count
      /// Distributes the rows by digit to the other buffer.
      case distribute
      /// Copies the rows back, and divides them into groups by digit.
      case copy
      /// Returns sorted rows, and divides those that tie into groups.
      case emit
      /// Returns rows that are in order.
      case emitAll
      /// Reads the next keys of rows that tie.
      case measure
      /// Compresses these keys.
      case assign
    }

    var work: Work
    var range: Range<Int>
    /// The number of rows done.
    var cursor = 0
    /// The number of lower bits by which keys differ.
    var bits = 0
    /// The bits in which entries differ from the first one.
    var differences: UInt64 = 0
    /// The key that is in the entries.
    var key: TieKey
    /// The uncompressed key that is 0 in the entries, and the bits that the compression dropped.
    var base: UInt64 = 0
    var shift: UInt64 = 0
    var summary = TieKeySummary()
    /// The compressed sort key of all rows, or `nil` if it is in the entries.
    var shown: UInt32?
  }

  /// The most rows sorted in one piece, which fit into a processor's cache twice.
  private static var greatestPiece: Int { 8192 }
  /// The most rows compared one by one.
  private static var greatestComparison: Int { 24 }
  private static var digitBits: Int { 11 }

  /// The rows, as entries of a ``Chunk``.
  let entries: UnsafeMutablePointer<UInt64>
  private var other: UnsafeMutablePointer<UInt64>?
  private let comparator: RowComparator
  private let pieceRows: Int
  private let comparedRows: Int
  private var tasks: [Task] = []
  /// The number of rows of each digit, and then the next index of each, for the topmost task.
  private let digits: UnsafeMutablePointer<Int>
  private var output: [UInt64] = []
  /// The work done so far, in rows read once.
  private(set) var spent = 0

  /// Creates a sort of at most `rows` rows, whose steps do about `stepRows` work.
  init(rows: Int, comparator: RowComparator, stepRows: Int) {
    entries = .allocate(capacity: max(1, rows))
    other = .allocate(capacity: max(1, rows))
    digits = .allocate(capacity: 1 << Self.digitBits)
    self.comparator = comparator
    pieceRows = max(1, min(Self.greatestPiece, stepRows / 8))
    comparedRows = max(2, min(Self.greatestComparison, stepRows / 8))
  }

  deinit {
    entries.deallocate()
    other?.deallocate()
    digits.deallocate()
  }

  /// Frees half of the memory once all rows have been returned.
  ///
  /// To return much memory at once to the system takes longer than a step may.
  func shrink() {
    other?.deallocate()
    other = nil
  }

  private var buffer: UnsafeMutablePointer<UInt64> { other.unsafelyUnwrapped }

  /// Whether all rows have been returned.
  var isDone: Bool { tasks.isEmpty }

  /// Begins to sort rows by their compressed sort keys, which are in the entries.
  func begin(_ range: Range<Int>) {
    tasks = [Task(work: .sort, range: range, bits: 32, key: TieKey(), shift: 32)]
  }

  /// Does about `limit` work, and passes sorted entries without changed rows to a closure.
  func step(atMost limit: Int, except changed: ChangedRows, _ emit: ([UInt64]) -> Void) {
    let end = spent + limit
    output.removeAll(keepingCapacity: true)
    while spent < end, let task = tasks.popLast() {
      switch task.work {
      case .sort: sort(task)
      case .count: count(task, until: end)
      case .distribute: distribute(task, until: end)
      case .copy: copy(task, until: end)
      case .emit: self.emit(task, until: end, changed)
      case .emitAll: emitAll(task, until: end, changed)
      case .measure: measure(task, until: end, changed)
      case .assign: assign(task, until: end)
      }
    }
    if !output.isEmpty { emit(output) }
  }

  /// Returns the rows of a task that are done next, and records their work.
  private func rows(_ task: Task, until end: Int, work: Int = 1) -> Range<Int> {
    let left = max(1, (end - spent) / work)
    let start = task.range.lowerBound + task.cursor
    let rows = start..<min(task.range.upperBound, start + left)
    spent += rows.count * work
    return rows
  }

  // MARK: Digits

  private func sort(_ task: Task) {
    var task = task
    if task.bits == 0 && task.range.count > 1 { return tie(task.range, task) }
    if task.range.count <= pieceRows {
      sortPiece(task.range, bits: task.bits)
      task.work = .emit
    } else {
      digits.update(repeating: 0, count: 1 << digitBits(task))
      (task.work, task.differences) = (.count, 0)
    }
    task.cursor = 0
    tasks.append(task)
  }

  /// Returns the width of the next digit: a piece has sixteen of its groups, if keys are spread
  /// evenly.
  private func digitBits(_ task: Task) -> Int {
    let groups = task.range.count / max(1, pieceRows / 16)
    return min(task.bits, Self.digitBits, max(1, Int.bitWidth - groups.leadingZeroBitCount))
  }

  @inline(__always) private func digit(_ entry: UInt64, _ shift: UInt64, _ mask: UInt64) -> Int {
    Int(entry >> shift & mask)
  }

  private func shiftAndMask(_ task: Task) -> (UInt64, UInt64) {
    let width = digitBits(task)
    return (UInt64(32 + task.bits - width), 1 << UInt64(width) - 1)
  }

  private func count(_ task: Task, until end: Int) {
    var task = task
    let ((shift, mask), digits, entries) = (shiftAndMask(task), digits, entries)
    let rows = rows(task, until: end)
    let first = entries[task.range.lowerBound]
    var differences = task.differences
    for index in rows {
      digits[digit(entries[index], shift, mask)] += 1
      differences |= entries[index] ^ first
    }
    task.differences = differences
    task.cursor += rows.count
    if task.cursor == task.range.count {
      task.cursor = 0
      if digits[digit(first, shift, mask)] == task.range.count {
        // All rows have the same digit, and may have the same next ones.
        (task.work, task.bits) = (.sort, 32 - UInt32(differences >> 32).leadingZeroBitCount)
      } else {
        var start = task.range.lowerBound
        for digit in 0...Int(mask) {
          let count = digits[digit]
          digits[digit] = start
          start += count
        }
        task.work = .distribute
      }
    }
    tasks.append(task)
  }

  private func distribute(_ task: Task, until end: Int) {
    var task = task
    let ((shift, mask), digits, entries, other) = (shiftAndMask(task), digits, entries, buffer)
    let rows = rows(task, until: end)
    for index in rows {
      let entry = entries[index]
      let digit = digit(entry, shift, mask)
      other[digits[digit]] = entry
      digits[digit] += 1
    }
    task.cursor += rows.count
    if task.cursor == task.range.count { (task.work, task.cursor) = (.copy, 0) }
    tasks.append(task)
  }

  private func copy(_ task: Task, until end: Int) {
    var task = task
    let rows = rows(task, until: end)
    (entries + rows.lowerBound).update(from: buffer + rows.lowerBound, count: rows.count)
    task.cursor += rows.count
    guard task.cursor == task.range.count else { return tasks.append(task) }
    divide(task)
  }

  /// Adds a task for each digit, the first one on top; digits with few rows share one.
  private func divide(_ task: Task) {
    let width = digitBits(task)
    var piece = task.range.upperBound..<task.range.upperBound
    func add(_ range: Range<Int>, bits: Int) {
      guard !range.isEmpty else { return }
      var group = task
      (group.work, group.range, group.bits, group.cursor) = (.sort, range, bits, 0)
      tasks.append(group)
    }
    for digit in (0..<1 << width).reversed() {
      // `digits` has the end of each digit now.
      let range = (digit == 0 ? task.range.lowerBound : digits[digit - 1])..<digits[digit]
      guard !range.isEmpty else { continue }
      if range.count > pieceRows {
        add(piece, bits: task.bits)
        add(range, bits: task.bits - width)
        piece = range.lowerBound..<range.lowerBound
      } else if range.count + piece.count > pieceRows {
        add(piece, bits: task.bits)
        piece = range
      } else {
        piece = range.lowerBound..<piece.upperBound
      }
    }
    add(piece, bits: task.bits)
    spent += 1 << width
  }

  /// Sorts a few rows by the lower bits of their keys; rows with equal keys keep their order.
  private func sortPiece(_ range: Range<Int>, bits: Int) {
    spent += range.count * 2
    let count = range.count
    var (from, to) = (entries + range.lowerBound, buffer + range.lowerBound)
    guard count > 48 else { return insertionSort(from, count) }
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
    if from != entries + range.lowerBound { to.update(from: from, count: count) }
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

  private func emit(_ task: Task, until end: Int, _ changed: ChangedRows) {
    var task = task
    let (entries, hasChanges, upper) = (entries, !changed.isEmpty, task.range.upperBound)
    let start = task.range.lowerBound + task.cursor
    let last = min(upper, start + max(1, (end - spent) / 4))
    var index = start
    var output: [UInt64] = []
    swap(&output, &self.output)
    defer { swap(&output, &self.output) }
    while index < last {
      let entry = entries[index]
      var after = index + 1
      if after == upper || entries[after] >> 32 != entry >> 32 {
        if !hasChanges || !changed.contains(UInt32(truncatingIfNeeded: entry)) { output.append(shown(entry, task)) }
        index = after
        continue
      }
      while after < upper, entries[after] >> 32 == entry >> 32 { after += 1 }
      guard after - index <= comparedRows else {
        spent += (index - start) * 4
        task.cursor = after - task.range.lowerBound
        if after < upper { tasks.append(task) }
        return tie(index..<after, task)
      }
      emitCompared(index..<after, task, changed, &output)
      index = after
    }
    spent += (index - start) * 4
    task.cursor = index - task.range.lowerBound
    if index < upper { tasks.append(task) }
  }

  private func emitAll(_ task: Task, until end: Int, _ changed: ChangedRows) {
    var task = task
    let rows = rows(task, until: end, work: 4)
    for index in rows where !changed.contains(UInt32(truncatingIfNeeded: entries[index])) {
      output.append(shown(entries[index], task))
    }
    task.cursor += rows.count
    if task.cursor < task.range.count { tasks.append(task) }
  }

  /// Returns an entry with the compressed sort key.
  @inline(__always) private func shown(_ entry: UInt64, _ task: Task) -> UInt64 {
    task.shown.map { UInt64($0) << 32 | entry & UInt64(UInt32.max) } ?? entry
  }

  /// Returns a few rows that tie, compared one by one.
  private func emitCompared(_ range: Range<Int>, _ task: Task, _ changed: ChangedRows, _ output: inout [UInt64]) {
    spent += range.count * 4
    let start = output.count
    for index in range where !changed.contains(UInt32(truncatingIfNeeded: entries[index])) {
      let entry = shown(entries[index], task)
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

  /// Adds a task for rows that tie by the key in their entries.
  private func tie(_ range: Range<Int>, _ task: Task) {
    let key = UInt32(truncatingIfNeeded: entries[range.lowerBound] >> 32)
    var group = task
    (group.range, group.cursor, group.work) = (range, 0, .measure)
    group.shown = task.shown ?? key
    if task.shift == 0 {
      // In the last key, only rows that changed tie.
      guard !comparator.isLast(task.key) else {
        group.work = .emitAll
        return tasks.append(group)
      }
      group.key = comparator.next(after: task.key, value: task.base + UInt64(key), task.summary)
    }
    group.summary = TieKeySummary()
    tasks.append(group)
  }

  /// Reads the keys of rows into the other buffer.
  private func measure(_ task: Task, until end: Int, _ changed: ChangedRows) {
    var task = task
    let rows = rows(task, until: end, work: 3)
    comparator.keys(
      task.key, of: entries + rows.lowerBound, count: rows.count, except: changed, into: buffer + rows.lowerBound,
      &task.summary)
    task.cursor += rows.count
    guard task.cursor == task.range.count else { return tasks.append(task) }
    task.cursor = 0
    let summary = task.summary
    if comparator.isLast(task.key), summary.isAscending {
      task.work = .emitAll
    } else if summary.least == summary.greatest {
      guard !comparator.isLast(task.key) else {
        task.work = .emitAll
        return tasks.append(task)
      }
      task.key = comparator.next(after: task.key, value: summary.least, summary)
      task.summary = TieKeySummary()
    } else {
      task.base = summary.least
      task.shift = UInt64(max(0, 32 - (summary.greatest - summary.least).leadingZeroBitCount))
      task.bits = 64 - Int(task.shift) - (summary.greatest - summary.least).leadingZeroBitCount
      task.work = .assign
    }
    tasks.append(task)
  }

  private func assign(_ task: Task, until end: Int) {
    var task = task
    let (rows, entries, other) = (rows(task, until: end), entries, buffer)
    for index in rows {
      let key = (other[index] - task.base) >> task.shift
      entries[index] = key << 32 | entries[index] & UInt64(UInt32.max)
    }
    task.cursor += rows.count
    if task.cursor == task.range.count { (task.work, task.cursor) = (.sort, 0) }
    tasks.append(task)
  }
}
