import ListEngine

/// The part that owns each key of a split table: disjoint ranges in the order of keys.
struct KeyOwners: Equatable {
  /// Keys of one owner.
  struct Segment: Equatable {
    var range: KeyRange
    var owner: Int
  }

  private(set) var segments: [Segment] = []

  init() {}

  /// Creates the owners from disjoint segments in any order; neighbors of one owner are joined.
  init(_ disjoint: [Segment]) {
    for segment in disjoint.sorted(by: { $0.range.from < $1.range.from }) {
      if let last = segments.last, last.owner == segment.owner, last.range.to == segment.range.from {
        segments[segments.count - 1].range.to = segment.range.to
      } else {
        segments.append(segment)
      }
    }
  }

  /// Creates the owners of ranges that may overlap: the first of them that has a key owns it.
  init(inOrder claims: [(owner: Int, range: KeyRange)]) {
    var bounds: [KeyBound] = []
    for bound in claims.flatMap({ [$0.range.from, $0.range.to] }).sorted() where bounds.last != bound {
      bounds.append(bound)
    }
    self.init(
      zip(bounds, bounds.dropFirst()).compactMap { from, to in
        let range = KeyRange(from, to)
        return claims.first { $0.range.contains(range) }.map { Segment(range: range, owner: $0.owner) }
      })
  }

  /// Returns the owner of a key; `nil` if it has none.
  ///
  /// - Complexity: O(log *n*) for *n* segments.
  func owner(of key: RowKey) -> Int? {
    var (low, high) = (0, segments.count)
    while low < high {
      let middle = (low + high) / 2
      if case .before(let first) = segments[middle].range.from, key.precedes(first) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    guard low > 0, segments[low - 1].range.contains(key) else { return nil }
    return segments[low - 1].owner
  }

  /// The owners in the order of their first keys.
  var owners: [Int] {
    var known: Set<Int> = []
    return segments.map(\.owner).filter { known.insert($0).inserted }
  }

  /// Returns the segments of an owner.
  func segments(of owner: Int) -> [Segment] { segments.filter { $0.owner == owner } }

  /// Returns the keys that have the same owner in both.
  func common(with other: KeyOwners) -> KeyOwners {
    KeyOwners(
      segments.flatMap { segment in
        other.segments(of: segment.owner).compactMap { match in
          segment.range.intersection(match.range).map { Segment(range: $0, owner: segment.owner) }
        }
      })
  }

  /// Returns these owners, except that an owner also has its segments of `other`.
  ///
  /// - Precondition: These keys have no other owner here.
  func adding(_ owner: Int, from other: KeyOwners) -> KeyOwners {
    KeyOwners(segments.filter { $0.owner != owner } + other.segments(of: owner))
  }

  /// The ranges without an owner.
  var gaps: [KeyRange] {
    var gaps: [KeyRange] = []
    var end = KeyBound.least
    for segment in segments {
      if end < segment.range.from { gaps.append(KeyRange(end, segment.range.from)) }
      end = segment.range.to
    }
    if end < .greatest { gaps.append(KeyRange(end, .greatest)) }
    return gaps
  }
}
