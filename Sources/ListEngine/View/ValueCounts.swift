/// A multiset of 64-bit values with their minimum and maximum.
///
/// Removing a value only decreases its count (lazy deletion). The heaps drop such values when they
/// reach the top, and are rebuilt when most of their values are gone.
struct ValueCounts {
  private var counts: [UInt64: Int] = [:]
  private var leastFirst: WordHeap?
  /// The heap of the values' complements.
  private var greatestFirst: WordHeap?

  /// Creates an empty multiset; only the heaps that are needed are kept.
  init(findsLeast: Bool, findsGreatest: Bool) {
    if findsLeast { leastFirst = WordHeap() }
    if findsGreatest { greatestFirst = WordHeap() }
  }

  /// The number of distinct values.
  var distinct: Int { counts.count }

  /// Adds a value.
  ///
  /// - Complexity: Amortized O(log values).
  mutating func add(_ word: UInt64) {
    let distinct = counts.count
    counts[word, default: 0] += 1
    guard counts.count > distinct else { return }
    leastFirst?.push(word)
    greatestFirst?.push(~word)
  }

  /// Removes one occurrence of a value.
  ///
  /// - Precondition: The value is present.
  /// - Complexity: Amortized O(1).
  mutating func remove(_ word: UInt64) {
    guard let index = counts.index(forKey: word) else {
      preconditionFailure("value \(word) is taken away, and was never added")
    }
    counts.values[index] -= 1
    guard counts.values[index] == 0 else { return }
    counts.remove(at: index)
    let greatest = 2 * counts.count + 64
    if let heap = leastFirst, heap.count > greatest { leastFirst = WordHeap(counts.keys) }
    if let heap = greatestFirst, heap.count > greatest { greatestFirst = WordHeap(counts.keys.lazy.map { ~$0 }) }
  }

  /// Returns the minimum, or `nil` if there are no values.
  ///
  /// - Complexity: Amortized O(log values).
  mutating func least() -> UInt64? {
    while let top = leastFirst?.top {
      if counts[top] != nil { return top }
      leastFirst?.pop()
    }
    return nil
  }

  /// Returns the maximum, or `nil` if there are no values.
  ///
  /// - Complexity: Amortized O(log values).
  mutating func greatest() -> UInt64? {
    while let top = greatestFirst?.top {
      if counts[~top] != nil { return ~top }
      greatestFirst?.pop()
    }
    return nil
  }
}

/// A binary min-heap of 64-bit words.
private struct WordHeap {
  private var words: [UInt64] = []

  init() {}

  init(_ words: some Sequence<UInt64>) {
    self.words = words.sorted()  // A sorted list is a heap.
  }

  var count: Int { words.count }
  var top: UInt64? { words.first }

  mutating func push(_ word: UInt64) {
    words.append(word)
    var child = words.count - 1
    while child > 0, words[child] < words[(child - 1) / 2] {
      words.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func pop() {
    words.swapAt(0, words.count - 1)
    words.removeLast()
    var root = 0
    while true {
      var least = root
      for child in [2 * root + 1, 2 * root + 2] where child < words.count && words[child] < words[least] {
        least = child
      }
      guard least != root else { return }
      words.swapAt(root, least)
      root = least
    }
  }
}
