/// The part of a build's step that several workers do: they gather those rows that affect nothing
/// but themselves.
///
/// A block of 64 rows is such a part if the sections and the sort keys of its rows are known, and
/// none of its rows can be among the first ones. The step gathers the other blocks afterwards, in
/// order. So the result is that of one worker.
///
/// Its pointers belong to the build, which outlives it. Workers write to the places of their own
/// blocks only.
struct ParallelGather: @unchecked Sendable {
  /// The sort keys that can be read without other work.
  enum Keys {
    case label(Chunked<UInt64>)
    case number(Chunked<UInt64>, inverted: UInt64)
    case whole(Chunked<UInt64>, inverted: UInt64)
    /// The numbers of texts, and the keys by number; 0 if unknown.
    case text(Chunked<UInt32>, known: Chunked<UInt64>.Elements, inverted: UInt64)
  }

  /// A grouping column: the numbers of its texts, and the parent and the section found last for
  /// each.
  struct Level {
    var texts: Chunked<UInt32>
    var recent: Chunked<UInt64>.Elements
  }

  /// The rows that one worker has gathered.
  struct Part {
    var leastKey = UInt64.max
    var greatestKey: UInt64 = 0
    /// The numbers of rows by section; none if there are many sections.
    var rowCounts: [Int] = []
  }

  /// The greatest number of sections whose rows each part counts.
  private static var mostSections: Int { 512 }

  let keys: Keys
  /// The grouping columns; none without grouping.
  let levels: [Level]
  let changed: ChangedRows
  /// The keys above which a row is not among the first of its section.
  let bounds: [UInt64]
  let gathered: UnsafeMutablePointer<UInt64>
  let sectionOfRow: Chunked<UInt32>

  /// Gathers rows, and returns a part for each worker that has gathered some.
  ///
  /// - Parameters:
  ///   - blocks: The blocks, by the number of their first slot divided by 64.
  ///   - isDone: Whether each block is gathered, which is set.
  func run(
    _ blocks: Range<Int>, isDone: UnsafeMutablePointer<Bool>, by workers: Workers
  ) -> [Part] {
    // More parts than workers, so that none waits long for one that was interrupted.
    let count = min(blocks.count, workers.count * 4)
    let parts = UnsafeMutablePointer<Part>.allocate(capacity: count)
    parts.initialize(repeating: Part(), count: count)
    defer {
      parts.deinitialize(count: count)
      parts.deallocate()
    }
    nonisolated(unsafe) let (isDone, shared) = (isDone, parts)
    workers.run(count) { number in
      let begin = blocks.lowerBound + blocks.count * number / count
      let end = blocks.lowerBound + blocks.count * (number + 1) / count
      shared[number] = gather(begin..<end, isDone: isDone + (begin - blocks.lowerBound))
    }
    return Array(UnsafeBufferPointer(start: parts, count: count))
  }

  private func gather(_ blocks: Range<Int>, isDone: UnsafeMutablePointer<Bool>) -> Part {
    var rows = SlotBlock()
    defer { rows.deallocate() }
    let countsRows = bounds.count <= Self.mostSections
    var part = Part(rowCounts: Array(repeating: 0, count: countsRows ? bounds.count : 0))
    var (least, greatest) = (UInt64.max, UInt64(0))
    part.rowCounts.withUnsafeMutableBufferPointer { rowCounts in
      bounds.withUnsafeBufferPointer { bounds in
        guard let bounds = bounds.baseAddress else { return }
        let rowCounts = rowCounts.baseAddress
        for block in blocks {
          let base = UInt32(block) << 6
          rows.set(base: base, mask: ~changed.word(of: base))
          isDone[block - blocks.lowerBound] = false
          guard findSections(rows), read(rows) else { continue }
          var (leastOfBlock, greatestOfBlock, isAmongFirst) = (UInt64.max, UInt64(0), false)
          for place in 0..<rows.count {
            let key = rows.keys[place]
            leastOfBlock = min(leastOfBlock, key)
            greatestOfBlock = max(greatestOfBlock, key == .max ? 0 : key)
            if key <= bounds[Int(rows.sections[place])] { isAmongFirst = true }
          }
          guard !isAmongFirst else { continue }
          isDone[block - blocks.lowerBound] = true
          gathered[block] |= rows.mask
          (least, greatest) = (min(least, leastOfBlock), max(greatest, greatestOfBlock))
          guard !levels.isEmpty else {
            rowCounts?[0] += rows.count
            continue
          }
          let sections = sectionOfRow.pointer(base)
          for place in 0..<rows.count { sections[Int(rows.slots[place] - base)] = rows.sections[place] }
          guard let rowCounts else { continue }
          for place in 0..<rows.count { rowCounts[Int(rows.sections[place])] += 1 }
        }
      }
    }
    (part.leastKey, part.greatestKey) = (least, greatest)
    return part
  }

  /// Counts the gathered rows by section if the parts have not.
  func count(_ blocks: Range<Int>, where isDone: [Bool], _ rowCounts: inout [Int]) {
    guard bounds.count > Self.mostSections else { return }
    rowCounts.withUnsafeMutableBufferPointer { rowCounts in
      for block in blocks where isDone[block - blocks.lowerBound] {
        let base = UInt32(block) << 6
        var left = ~changed.word(of: base)
        let sections = sectionOfRow.pointer(base)
        while left != 0 {
          rowCounts[Int(sections[left.trailingZeroBitCount])] += 1
          left &= left - 1
        }
      }
    }
  }

  /// Finds the sections of rows; returns `false` if one is not known.
  @inline(__always) private func findSections(_ rows: SlotBlock) -> Bool {
    guard !levels.isEmpty else { return true }
    rows.sections.update(repeating: 0, count: rows.count)
    for level in levels {
      let texts = level.texts.pointer(rows.base)
      for place in 0..<rows.count {
        let text = texts[Int(rows.slots[place] - rows.base)]
        guard text < level.recent.count else { return false }
        let entry = level.recent.pointer(text).pointee
        guard entry >> 32 == rows.sections[place] else { return false }
        rows.sections[place] = UInt32(truncatingIfNeeded: entry)
      }
    }
    return true
  }

  /// Reads the sort keys of rows as ``BlockKeys`` does; returns `false` if one is not known.
  @inline(__always) private func read(_ rows: SlotBlock) -> Bool {
    switch keys {
    case .label(let labels): rows.setKeys(of: labels.pointer(rows.base)) { $0 }
    case .number(let words, let inverted):
      rows.setKeys(of: words.pointer(rows.base)) { BlockKeys.key(number: $0, inverted) }
    case .whole(let words, let inverted):
      rows.setKeys(of: words.pointer(rows.base)) { BlockKeys.key(whole: $0, inverted) }
    case .text(let numbers, let known, let inverted):
      let numbers = numbers.pointer(rows.base)
      for place in 0..<rows.count {
        let number = numbers[Int(rows.slots[place] - rows.base)]
        guard number != TextPool.none else {
          rows.keys[place] = .max
          continue
        }
        let key = number < known.count ? known.pointer(number).pointee : 0
        guard key != 0 else { return false }
        rows.keys[place] = key ^ inverted
      }
    }
    return true
  }
}
