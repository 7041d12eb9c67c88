import ListEngine
import ListTesting
import Testing

@testable import Cluster

/// Random changes of random parts; the merged table must equal the union of their rows.
@Suite struct PartRandomTests {
  private static let schema = Schema(name: "jobs", key: .integer, columns: [Column("value", .integer)])
  private static let keys: ClosedRange<Int64> = 0...60

  /// A part: its publisher, and what the relay has not read of its stream.
  private final class Part {
    var publisher: PlayedPublisher
    var stream: [SourceEvent] = []
    var fence: UInt64
    var isLive = false
    /// The keys that the current reload has named.
    var named: Set<Int64> = []

    init(_ range: KeyRange, fence: UInt64) {
      publisher = PlayedPublisher(range, PartRandomTests.schema)
      self.fence = fence
    }
  }

  private struct Run {
    var random: SeededGenerator
    var merge = PartMerge()
    let copy = MergedCopy()
    var parts: [Part] = []
    var fence: UInt64 = 0
    var value: Int64 = 0

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Adds a part with a range that may overlap others.
    mutating func addPart(_ range: KeyRange) {
      fence += 1
      let part = Part(range, fence: fence)
      let claim = TableClaim(range: range, publisher: "p\(parts.count)", fence: fence)
      parts.append(part)
      let number = merge.add(claim)
      #expect(number == parts.count - 1)
      change(part)
      read(number)
    }

    /// Reads the snapshot of a part; sometimes it ends in between.
    mutating func read(_ number: Int) {
      let part = parts[number]
      // A publisher writes no snapshot during a reload.
      while part.publisher.isReloading { end(part) }
      let events = part.publisher.snapshot
      part.stream = []
      if chance(20) {
        copy.apply(merge.begin(number, fence: part.fence, publisher: "p\(number)", at: .zero))
        for event in events.prefix(Int.random(in: 0...events.count, using: &random)) {
          guard case .changes(var changes) = event else {
            copy.apply(merge.apply(event, of: number, at: .zero))
            continue
          }
          changes.endsReload = false
          copy.apply(merge.apply(.changes(changes), of: number, at: .zero))
        }
        var abandon = Changeset()
        abandon.abandonsReload = true
        copy.apply(merge.apply(.changes(abandon), of: number, at: .zero))
      }
      copy.apply(merge.begin(number, fence: part.fence, publisher: "p\(number)", at: .zero))
      for event in events { copy.apply(merge.apply(event, of: number, at: .zero)) }
      copy.apply(merge.end(number))
    }

    private func end(_ part: Part) {
      var changes = Changeset()
      changes.endsReload = true
      if let event = part.publisher.publish(.changes(changes)) { part.stream.append(event) }
    }

    /// Changes rows at a source, which may have keys of other parts, too.
    mutating func change(_ part: Part) {
      var changes = Changeset()
      if chance(15) { changes.beginsReload = true }
      if changes.beginsReload || !part.publisher.isReloading { part.named = [] }
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let key = Int64.random(in: PartRandomTests.keys, using: &random)
        value += 1
        let isThere = part.publisher.rows[ExactKey(key: .integer(key))] != nil
        let isFree = part.named.insert(key).inserted
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: if isFree { changes.upsert(.integer(key), [.integer(value)]) }
        case 5..<7: if isThere, isFree, !part.publisher.isReloading { changes.update(.integer(key), [.integer(value)]) }
        case 7..<9: changes.delete(.integer(key))
        default: if isThere, isFree { changes.move(.integer(key), before: nil) }
        }
      }
      if chance(30) { changes.endsReload = true }
      if changes.endsReload, !changes.beginsReload, chance(20) {
        (changes.endsReload, changes.abandonsReload) = (false, true)
      }
      if let event = part.publisher.publish(.changes(changes)) { part.stream.append(event) }
    }

    /// Lets the relay read some of a part's stream.
    mutating func deliver(_ number: Int, _ count: Int) {
      for _ in 0..<min(count, parts[number].stream.count) {
        copy.apply(merge.apply(parts[number].stream.removeFirst(), of: number, at: .zero))
      }
      if merge.takeReading(number) { read(number) }
    }

    /// Another publisher takes over with rows of its own.
    mutating func takeOver(_ number: Int) {
      let part = parts[number]
      fence += 1
      part.fence = fence
      part.publisher = PlayedPublisher(part.publisher.range, PartRandomTests.schema)
      for _ in 0..<3 { change(part) }
      read(number)
    }

    mutating func step() {
      let number = Int.random(in: 0..<parts.count, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45: change(parts[number])
      case 45..<80: deliver(number, Int.random(in: 1...4, using: &random))
      case 80..<84: read(number)
      case 84..<88: takeOver(number)
      case 88..<89: if parts.count < 8 { addPart(anyRange()) }
      default:
        parts[number].isLive.toggle()
        copy.apply(merge.note(number, isLive: parts[number].isLive))
      }
    }

    mutating func anyRange() -> KeyRange {
      let ends = [0, 1].map { _ in Int64.random(in: PartRandomTests.keys, using: &random) }.sorted()
      let from = chance(30) ? KeyBound.least : .before(.integer(ends[0]))
      let to = chance(30) ? KeyBound.greatest : .before(.integer(ends[1] + 1))
      return KeyRange(from, to)
    }

    /// Reads everything, and compares the rows.
    mutating func settle() -> (expected: [ExactKey: [Cell]], found: [ExactKey: [Cell]]) {
      // A part that is read may mean that another one is read again.
      for _ in 0..<3 {
        for number in parts.indices {
          while parts[number].publisher.isReloading { end(parts[number]) }
          deliver(number, .max)
        }
      }
      var expected: [ExactKey: [Cell]] = [:]
      for (number, part) in parts.enumerated() {
        for (key, cells) in part.publisher.rows where merge.owners.owner(of: key.key) == number {
          expected[key] = cells
        }
      }
      return (expected, copy.rows)
    }
  }

  @Test(arguments: 0..<60) func `the merged rows are the union of the parts, seed`(_ seed: UInt64) {
    var run = Run(random: SeededGenerator(seed: seed))
    let cuts = (0..<3).map { _ in Int64.random(in: Self.keys, using: &run.random) }
    if seed % 2 == 1 {
      // The table was not split before.
      run.fence += 1
      let part = Part(.everything, fence: run.fence)
      run.parts.append(part)
      for _ in 0..<3 { run.change(part) }
      run.copy.apply(part.publisher.snapshot)
      _ = run.merge.add(TableClaim(range: .everything, publisher: "p0", fence: run.fence))
      run.merge.adopt(0, at: .zero)
    }
    let bounds = [.least] + Set(cuts).sorted().map { KeyBound.before(.integer($0)) } + [.greatest]
    for (from, to) in zip(bounds, bounds.dropFirst()) { run.addPart(KeyRange(from, to)) }
    for round in 0..<8 {
      for _ in 0..<40 { run.step() }
      let (expected, found) = run.settle()
      let keys = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
      let texts = keys.map { "\($0.key): \(found[$0] ?? []) instead of \(expected[$0] ?? [])" }
      #expect(texts.isEmpty, "seed \(seed), round \(round)")
      #expect(run.copy.rejections == 0, "seed \(seed), round \(round)")
      guard found == expected else { return }
    }
  }

  @Test(arguments: 0..<200) func `owners are those of the brute-force search, seed`(_ seed: UInt64) {
    var run = Run(random: SeededGenerator(seed: seed))
    var claims: [Int: TableClaim] = [:]
    for number in 0..<Int.random(in: 0...6, using: &run.random) {
      claims[number] = TableClaim(
        range: run.anyRange(), publisher: "", fence: UInt64(number), isLive: Bool.random(using: &run.random))
    }
    let owners = TableClaim.owners(of: claims)
    for key in Self.keys {
      let having = claims.filter { $0.value.range.contains(.integer(key)) }
      let live = having.filter(\.value.isLive)
      let expected = (live.isEmpty ? having : live).keys.max()
      #expect(owners.owner(of: .integer(key)) == expected, "seed \(seed), key \(key)")
      #expect(owners.gaps.contains { $0.contains(.integer(key)) } == (expected == nil), "seed \(seed), key \(key)")
    }
    for (one, other) in zip(owners.segments, owners.segments.dropFirst()) { #expect(one.range.to <= other.range.from) }
  }
}
