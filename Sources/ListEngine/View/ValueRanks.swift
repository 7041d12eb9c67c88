/// A sorted multiset of 64-bit values that finds the value of any rank.
///
/// It is a sorted list in chunks, as ``RowOrder`` is: a ``Fenwick`` tree has the sizes of the
/// chunks. An insertion or removal moves at most the values of one chunk (4 KiB). The directory
/// changes only when a chunk is split or dropped.
struct ValueRanks {
  private static let capacity = 512

  private var chunks: [[UInt64]] = []
  /// The first value of each chunk, stored contiguously for binary search.
  private var firsts: [UInt64] = []
  private var sizes = Fenwick()

  /// The number of values.
  var count: Int { sizes.total }

  /// Returns the value of a rank.
  ///
  /// - Precondition: 0 ≤ rank < count.
  /// - Complexity: O(log values).
  subscript(rank: Int) -> UInt64 {
    let (place, index) = sizes.find(rank)
    return chunks[place][index]
  }

  /// Returns the value that at least `percent` of a hundred values do not exceed, or `nil` if there
  /// are none.
  ///
  /// - Precondition: 0 < percent ≤ 100.
  /// - Complexity: O(log values).
  func percentile(_ percent: Int) -> UInt64? {
    // The rank is ⌈count · percent / 100⌉, counted from 1.
    count == 0 ? nil : self[(count * percent + 99) / 100 - 1]
  }

  /// Adds values in any order.
  ///
  /// - Complexity: O(log values) for each, and O(values / 512) when a chunk is split; many at a
  ///   time are merged instead.
  mutating func add(_ words: [UInt64]) {
    guard words.count < 64 || words.count * 4 < count else { return merge(words.sorted()) }
    for word in words { add(word) }
  }

  /// Adds a value.
  ///
  /// - Complexity: O(log values), and O(values / 512) when a chunk is split.
  mutating func add(_ word: UInt64) {
    guard !chunks.isEmpty else { return merge([word]) }
    let place = chunk(of: word)
    let index = Self.partition(chunks[place].count) { chunks[place][$0] < word }
    chunks[place].insert(word, at: index)
    if index == 0 { firsts[place] = word }
    guard chunks[place].count > Self.capacity else { return sizes.add(1, at: place) }
    let half = Array(chunks[place][(Self.capacity / 2)...])
    chunks[place].removeSubrange((Self.capacity / 2)...)
    chunks.insert(half, at: place + 1)
    rebuildDirectory()
  }

  /// Removes one occurrence of a value.
  ///
  /// - Precondition: The value is present.
  /// - Complexity: O(log values), and O(values / 512) when a chunk is dropped or joined.
  mutating func remove(_ word: UInt64) {
    precondition(!chunks.isEmpty, "value \(word) is taken away from nothing")
    let place = chunk(of: word)
    let index = Self.partition(chunks[place].count) { chunks[place][$0] < word }
    precondition(
      index < chunks[place].count && chunks[place][index] == word, "value \(word) is taken away, and was never added")
    chunks[place].remove(at: index)
    guard !chunks[place].isEmpty else {
      chunks.remove(at: place)
      return rebuildDirectory()
    }
    if index == 0 { firsts[place] = chunks[place][0] }
    sizes.add(-1, at: place)
    guard chunks[place].count < Self.capacity / 4 else { return }
    if place + 1 < chunks.count { join(place) } else if place > 0 { join(place - 1) }
  }

  /// Appends a chunk's successor to it if the result has room.
  private mutating func join(_ place: Int) {
    guard chunks[place].count + chunks[place + 1].count <= Self.capacity * 3 / 4 else { return }
    chunks[place] += chunks.remove(at: place + 1)
    rebuildDirectory()
  }

  /// Adds sorted values by writing all chunks again.
  private mutating func merge(_ words: [UInt64]) {
    guard !words.isEmpty else { return }
    var merged: [UInt64] = []
    merged.reserveCapacity(count + words.count)
    var next = 0
    for chunk in chunks {
      for value in chunk {
        while next < words.count, words[next] < value {
          merged.append(words[next])
          next += 1
        }
        merged.append(value)
      }
    }
    merged += words[next...]
    // Chunks are not filled completely, so that the first insertions do not split them.
    let size = Self.capacity * 7 / 8
    chunks = stride(from: 0, to: merged.count, by: size).map { Array(merged[$0..<min(merged.count, $0 + size)]) }
    rebuildDirectory()
  }

  /// Returns the index of the last chunk whose first value is at most this one, or the first chunk.
  private func chunk(of word: UInt64) -> Int { max(0, Self.partition(firsts.count) { firsts[$0] <= word } - 1) }

  private mutating func rebuildDirectory() {
    firsts = chunks.map { $0[0] }
    sizes = Fenwick(chunks.lazy.map(\.count))
  }

  private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Checks the order of the values and the directory.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      let all = chunks.flatMap(\.self)
      precondition(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 }, "values are out of order")
      precondition(firsts == chunks.map { $0[0] }, "the directory has other first values")
      precondition(count == all.count, "\(all.count) values are counted as \(count)")
      precondition(chunks.allSatisfy { $0.count <= Self.capacity }, "a chunk is too large")
    #endif
  }
}
