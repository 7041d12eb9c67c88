import ListTesting
import Testing

@testable import ListEngine

@Suite struct SectionBinsTests {
  /// Returns the entries of a bin in order, and frees it.
  private func entries(_ bin: EntryBin) -> [UInt64] {
    var bin = bin
    var entries: [UInt64] = []
    while let block = bin.block(after: nil) {
      entries += bin.entries(of: block)
      bin.dropFirst()
    }
    #expect(bin.count == 0 && bin.first == nil)
    return entries
  }

  /// Returns the entries of a section by bin.
  private func takeAll(_ bins: inout SectionBins, of section: UInt32) -> [[UInt64]] {
    var all: [[UInt64]] = []
    while let bin = bins.takeNext(of: section) { all.append(entries(bin)) }
    return all
  }

  @Test func `a bin keeps rows in order of insertion over many blocks`() {
    for rows in [1, 2, 3, 510, 511, 512, 5_000] {
      var bin = EntryBin(rows: rows / 2)
      for entry in 0..<UInt64(rows) { bin.append(entry) }
      #expect(bin.count == rows && bin.first == 0)
      var copied = [UInt64](repeating: 0, count: rows)
      copied.withUnsafeMutableBufferPointer { bin.copy(to: $0.baseAddress!) }
      #expect(copied == Array(0..<UInt64(rows)))
      #expect(entries(bin) == copied)
    }
  }

  @Test func `rows can be appended to a bin that was emptied`() {
    var bin = EntryBin(rows: 3)
    for entry: UInt64 in 0..<7 { bin.append(entry) }
    let freed = bin.free(atMost: 2)
    #expect(freed == 2 && bin.count == 1 && bin.first == 6)
    let rest = [bin.free(atMost: 9), bin.free(atMost: 9)]
    #expect(rest == [1, 0] && bin.first == nil)
    bin.append(42)
    #expect(entries(bin) == [42])
  }

  @Test func `bins of a section divide its keys in order`() {
    for seed: UInt64 in 1...30 {
      var random = SeededGenerator(seed: seed)
      let (low, high) = (UInt32(random.number(0...1 << 31)), UInt32(random.number(0...1 << 31)))
      var bins = SectionBins(binRows: 50)
      defer { bins.deallocate() }
      bins.keys = min(low, high)...max(low, high)
      var sections: [[UInt64]] = []
      for section in 0..<3 {
        // Some sections have few rows, or rows with equal keys and without.
        let rows = random.pick([0, 1, 49, 50, 51, 2_000])
        bins.add(UInt32(section), rows: rows)
        sections.append([])
        for slot in 0..<UInt32(rows) {
          let key =
            random.oneIn(9)
            ? .max
            : random.pick([
              bins.keys.lowerBound, bins.keys.upperBound,
              UInt32(random.number(Int(min(low, high))...Int(max(low, high)))),
            ])
          bins.append(slot, key: key, to: UInt32(section))
          sections[section].append(UInt64(key) << 32 | UInt64(slot))
        }
      }
      for (section, rows) in sections.enumerated() {
        let all = takeAll(&bins, of: UInt32(section))
        #expect(all.joined().sorted() == rows.sorted(), "seed \(seed)")
        var last: UInt64 = 0
        for bin in all where !bin.isEmpty {
          #expect(bin.min()! >> 32 >= last >> 32, "seed \(seed)")
          last = bin.max()!
          // Rows with equal keys are in order of insertion.
          for key in Set(bin.map { $0 >> 32 }) {
            let slots = bin.filter { $0 >> 32 == key }
            #expect(slots == slots.sorted(), "seed \(seed)")
          }
        }
      }
    }
  }

  @Test func `evenly spread keys exceed no bin, and few rows have one`() {
    var bins = SectionBins(binRows: 100)
    defer { bins.deallocate() }
    bins.keys = 1_000...1_000_000
    bins.add(7, rows: 10_000)
    bins.add(3, rows: 100)
    for row in 0..<UInt32(10_000) { bins.append(row, key: 1_000 + row * 99, to: 7) }
    for row in 0..<UInt32(100) { bins.append(row, key: 1_000 + row * 9_000, to: 3) }
    let all = takeAll(&bins, of: 7)
    #expect(all.count > 100 && all.count < 500)
    #expect(all.map(\.count).max()! <= 100)
    #expect(takeAll(&bins, of: 3).map(\.count) == [100])
  }

  @Test func `abandoned bins are freed a bounded number of blocks at a time`() {
    var bins = SectionBins(binRows: 10)
    defer { bins.deallocate() }
    bins.keys = 0...1_000
    bins.add(0, rows: 1_000)
    for row in 0..<UInt32(1_000) { bins.append(row, key: row, to: 0) }
    _ = bins.takeNext(of: 0).map(entries)
    var freed = 0
    while case let count = bins.free(atMost: 7), count > 0 {
      #expect(count <= 7)
      freed += count
    }
    #expect(freed > 100)
  }
}
