/// The claim of one part's publisher to keys of a table, as a relay knows it.
struct TableClaim: Equatable {
  var range: KeyRange
  /// The name of the publisher, for messages.
  var publisher: String
  /// The fencing number of the publisher; leases of one server have ascending numbers.
  var fence: UInt64
  /// Whether the publisher gives heartbeats now.
  var isLive = false

  /// Two live publishers with a part of their keys in common.
  struct Overlap: Equatable, CustomStringConvertible {
    var first: TableClaim
    var second: TableClaim
    var keys: KeyRange

    var description: String {
      "two publishers have the keys \(keys): \(first.publisher) (\(first.range)) and "
        + "\(second.publisher) (\(second.range)): change --publish-keys of one of them"
    }
  }

  /// Returns the owner of each key.
  ///
  /// A live publisher precedes others, and a later lease an earlier one. So new parts replace the
  /// former ones, and the rows of a part that is down stay until others have its keys.
  static func owners(of claims: [Int: TableClaim]) -> KeyOwners {
    let order = claims.sorted { left, right in
      if left.value.isLive != right.value.isLive { return left.value.isLive }
      return (left.value.fence, left.key) > (right.value.fence, right.key)
    }
    return KeyOwners(inOrder: order.map { ($0.key, $0.value.range) })
  }

  /// Returns the overlaps of live publishers, in the order of keys.
  static func overlaps(of claims: [Int: TableClaim]) -> [Overlap] {
    let live = claims.values.filter(\.isLive).sorted { ($0.range.from, $0.range.to) < ($1.range.from, $1.range.to) }
    var overlaps: [Overlap] = []
    for (number, first) in live.enumerated() {
      for second in live.dropFirst(number + 1) {
        guard second.range.from < first.range.to else { break }
        guard let keys = first.range.intersection(second.range) else { continue }
        overlaps.append(Overlap(first: first, second: second, keys: keys))
      }
    }
    return overlaps
  }
}
