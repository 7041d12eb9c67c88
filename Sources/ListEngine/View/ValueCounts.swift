/// How often each value occurs, and which are the least and the greatest: values that are words, ordered as numbers.
///
/// A value that goes is only counted out; the heaps drop it when it comes to their top, and are made anew when most of what they
/// hold has gone.
struct ValueCounts {
  private var counts: [UInt64: Int] = [:]
  private var leastFirst: WordHeap?
  /// Holds the words' complements.
  private var greatestFirst: WordHeap?

  /// Only what is asked for is kept.
  init(findsLeast: Bool, findsGreatest: Bool) {
    if findsLeast { leastFirst = WordHeap() }
    if findsGreatest { greatestFirst = WordHeap() }
  }

  /// How many different values there are.
  var distinct: Int { counts.count }

  /// - Complexity: O(log values), amortized.
  mutating func add(_ word: UInt64) {
    let count = counts[word, default: 0]
    counts[word] = count + 1
    guard count == 0 else { return }
    leastFirst?.push(word)
    greatestFirst?.push(~word)
  }

  /// - Precondition: The value is there.
  /// - Complexity: O(1), amortized.
  mutating func remove(_ word: UInt64) {
    guard let count = counts[word] else { preconditionFailure("value \(word) is taken away, and was never added") }
    counts[word] = count == 1 ? nil : count - 1
    let greatest = 2 * counts.count + 64
    if let heap = leastFirst, heap.count > greatest { leastFirst = WordHeap(counts.keys) }
    if let heap = greatestFirst, heap.count > greatest { greatestFirst = WordHeap(counts.keys.lazy.map { ~$0 }) }
  }

  /// The least value.
  ///
  /// - Complexity: O(log values), amortized.
  mutating func least() -> UInt64? {
    while let top = leastFirst?.top {
      if counts[top] != nil { return top }
      leastFirst?.pop()
    }
    return nil
  }

  /// The greatest value.
  ///
  /// - Complexity: O(log values), amortized.
  mutating func greatest() -> UInt64? {
    while let top = greatestFirst?.top {
      if counts[~top] != nil { return ~top }
      greatestFirst?.pop()
    }
    return nil
  }
}

/// Words of which the least is at hand.
private struct WordHeap {
  private var words: [UInt64] = []

  init() {}

  init(_ words: some Sequence<UInt64>) {
    self.words = words.sorted()  // a sorted list is a heap
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
