/// A growing array of plain values in chunks of fixed size: growing never copies what is there, so no turn pays for all rows.
///
/// It is a class because one owner keeps it and several structures read it; it is never copied.
final class Chunked<Element: BitwiseCopyable> {
  private static var shift: Int { 12 }
  private static var mask: Int { (1 << shift) - 1 }

  private let filler: Element
  private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
  private var chunkCount = 0
  private var chunkCapacity = 16
  /// How many elements there are.
  private(set) var count = 0

  /// No elements; new ones are `filler`.
  init(filler: Element) {
    self.filler = filler
    chunks = .allocate(capacity: chunkCapacity)
  }

  deinit {
    for chunk in 0..<chunkCount { chunks[chunk].deallocate() }
    chunks.deallocate()
  }

  /// Grows to at least `count` elements.
  ///
  /// - Complexity: O(elements added).
  func grow(to newCount: Int) {
    guard newCount > count else { return }
    count = newCount
    while chunkCount << Self.shift < newCount { addChunk() }
  }

  private func addChunk() {
    if chunkCount == chunkCapacity {
      let wider = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: chunkCapacity * 2)
      wider.update(from: chunks, count: chunkCount)
      chunks.deallocate()
      chunks = wider
      chunkCapacity *= 2
    }
    let chunk = UnsafeMutablePointer<Element>.allocate(capacity: Self.mask + 1)
    chunk.initialize(repeating: filler, count: Self.mask + 1)
    chunks[chunkCount] = chunk
    chunkCount += 1
  }

  /// The element at this index.
  subscript(_ index: UInt32) -> Element {
    @inline(__always) get {
      check(index)
      return chunks[Int(index) >> Self.shift][Int(index) & Self.mask]
    }
    @inline(__always) set {
      check(index)
      chunks[Int(index) >> Self.shift][Int(index) & Self.mask] = newValue
    }
  }

  @inline(__always) private func check(_ index: UInt32) {
    #if CHECK_INVARIANTS
      precondition(index < count, "element \(index) of \(count)")
    #endif
  }
}
