/// A Fenwick tree: a sequence of counts with prefix sums in logarithmic time.
///
/// See [Fenwick tree](https://en.wikipedia.org/wiki/Fenwick_tree) (P. Fenwick, 1994).
struct Fenwick {
  private var tree: [Int] = [0]
  private(set) var count = 0
  private(set) var total = 0

  /// Creates a tree of these counts.
  ///
  /// - Complexity: O(counts).
  init(_ counts: some Sequence<Int> = []) {
    for value in counts {
      tree.append(value)
      total += value
    }
    count = tree.count - 1
    for place in 1..<max(1, tree.count) {
      let parent = place + (place & -place)
      if parent <= count { tree[parent] += tree[place] }
    }
  }

  /// Adds `change` to the count at `index`.
  ///
  /// - Complexity: O(log count).
  @inline(__always) mutating func add(_ change: Int, at index: Int) {
    total += change
    var place = index + 1
    while place <= count {
      tree[place] += change
      place += place & -place
    }
  }

  /// Returns the sum of the counts before `index`.
  ///
  /// - Complexity: O(log count).
  @inline(__always) func sum(before index: Int) -> Int {
    var place = index
    var sum = 0
    while place > 0 {
      sum += tree[place]
      place -= place & -place
    }
    return sum
  }

  /// Returns the index of the count that contains the element of this rank, and its offset there.
  ///
  /// - Precondition: 0 ≤ rank < total.
  /// - Complexity: O(log count).
  func find(_ rank: Int) -> (index: Int, rest: Int) {
    precondition(rank >= 0 && rank < total, "rank \(rank) of \(total)")
    var place = 0
    var rest = rank
    var step = 1
    while step * 2 <= count { step *= 2 }
    while step > 0 {
      if place + step <= count && tree[place + step] <= rest {
        place += step
        rest -= tree[place]
      }
      step /= 2
    }
    return (place, rest)
  }
}
