/// The rows of sections in bins of some thousand rows, which are sorted one after another.
///
/// The bins of a section divide the range of the compressed sort keys evenly.
struct SectionBins {
  /// The bins of a section.
  private struct Spread: BitwiseCopyable {
    /// The index of the first bin.
    var first: UInt32 = 0
    /// The upper bits of the least key.
    var least: UInt32 = 0
    /// The number of bins after the first one; the last bin is for nulls if there are several.
    var last: UInt32 = 0
    /// The number of lower bits by which keys in a bin may differ.
    var bits: UInt32 = 32
  }

  /// The least and the greatest compressed key of rows with a value.
  var keys: ClosedRange<UInt32> = 0...0
  /// The number of rows that a bin should not exceed.
  private let binRows: Int
  private let bins = Chunked<EntryBin>(filler: EntryBin(rows: 0))
  private let spreads = Chunked<Spread>(filler: Spread())
  /// The number of bins that were taken or freed.
  private var taken: UInt32 = 0

  init(binRows: Int) { self.binRows = binRows }

  /// Frees the memory; see ``free(atMost:)``.
  mutating func deallocate() {
    _ = free(atMost: .max)
    bins.deallocate()
    spreads.deallocate()
  }

  /// Adds the bins of a section after those of all others.
  ///
  /// - Complexity: O(rows / `binRows`).
  func add(_ section: UInt32, rows: Int) {
    var spread = Spread(first: UInt32(bins.count))
    if rows > binRows {
      // Bins are a quarter to half full if keys are spread evenly.
      let most = UInt32(clamping: rows / binRows * 4)
      spread.bits = 0
      while keys.upperBound >> spread.bits - keys.lowerBound >> spread.bits >= most { spread.bits += 1 }
      spread.least = keys.lowerBound >> spread.bits
      spread.last = keys.upperBound >> spread.bits - spread.least + 1
    }
    spreads.grow(to: Int(section) + 1)
    spreads[section] = spread
    bins.grow(to: bins.count + Int(spread.last) + 1)
    for bin in spread.first...spread.first + spread.last { bins[bin] = EntryBin(rows: min(rows, binRows)) }
  }

  /// Appends a row to a section.
  @inline(__always) func append(_ slot: UInt32, key: UInt32, to section: UInt32) {
    let spread = spreads[section]
    let place = max(key >> spread.bits, spread.least) - spread.least
    bins.pointer(spread.first + min(place, spread.last)).pointee.append(UInt64(key) << 32 | UInt64(slot))
  }

  /// Takes the rows of the next bin of a section, or returns `nil` after the last one.
  ///
  /// Sections are taken in the order in which they were added.
  mutating func takeNext(of section: UInt32) -> EntryBin? {
    let spread = spreads[section]
    guard taken <= spread.first + spread.last else { return nil }
    defer { taken += 1 }
    return bins[taken]
  }

  /// Frees up to `most` blocks of rows, and returns how many.
  ///
  /// No rows must be appended or taken afterwards.
  mutating func free(atMost most: Int) -> Int {
    var freed = 0
    while freed < most, taken < bins.count {
      freed += bins.pointer(taken).pointee.free(atMost: most - freed)
      if bins[taken].count == 0 { taken += 1 }
    }
    return freed
  }
}
