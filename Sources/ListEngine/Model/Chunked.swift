/// A growing array of plain values in chunks of fixed size: growing never copies what is there, so no turn pays for all rows.
///
/// It is a bare reference, so that reading it counts no references: one structure owns it and calls ``deallocate()`` at its end;
/// those that read it must not live longer.
struct Chunked<Element: BitwiseCopyable>: BitwiseCopyable {
  private struct State {
    var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    var chunkCount = 0
    var chunkCapacity = 16
    var count = 0
    var filler: Element
  }

  /// How many elements a chunk has.
  static var chunkSize: Int { 1 << shift }

  private static var shift: Int { 12 }
  private static var mask: Int { (1 << shift) - 1 }

  private let state: UnsafeMutablePointer<State>

  /// No elements; new ones are `filler`.
  init(filler: Element) {
    state = .allocate(capacity: 1)
    state.initialize(to: State(chunks: .allocate(capacity: 16), filler: filler))
  }

  /// Gives the memory back. Nobody may use it, or a copy of it, afterwards.
  func deallocate() {
    for chunk in 0..<state.pointee.chunkCount { state.pointee.chunks[chunk].deallocate() }
    state.pointee.chunks.deallocate()
    state.deallocate()
  }

  /// How many elements there are.
  var count: Int { state.pointee.count }

  /// Grows to at least `count` elements.
  ///
  /// - Complexity: O(elements added).
  @inline(__always) func grow(to newCount: Int) {
    guard newCount > state.pointee.count else { return }
    state.pointee.count = newCount
    while state.pointee.chunkCount << Self.shift < newCount { addChunk() }
  }

  private func addChunk() {
    let count = state.pointee.chunkCount
    if count == state.pointee.chunkCapacity {
      let wider = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: count * 2)
      wider.update(from: state.pointee.chunks, count: count)
      state.pointee.chunks.deallocate()
      state.pointee.chunks = wider
      state.pointee.chunkCapacity = count * 2
    }
    let chunk = UnsafeMutablePointer<Element>.allocate(capacity: Self.mask + 1)
    chunk.initialize(repeating: state.pointee.filler, count: Self.mask + 1)
    state.pointee.chunks[count] = chunk
    state.pointee.chunkCount = count + 1
  }

  /// The element at this index.
  subscript(_ index: UInt32) -> Element {
    @inline(__always) get {
      check(index)
      return state.pointee.chunks[Int(index) >> Self.shift][Int(index) & Self.mask]
    }
    @inline(__always) nonmutating set {
      check(index)
      state.pointee.chunks[Int(index) >> Self.shift][Int(index) & Self.mask] = newValue
    }
  }

  /// The element at this index, and those behind it up to the end of its chunk: at least up to the next multiple of 64.
  ///
  /// - Precondition: There is one at this index.
  @inline(__always) func pointer(_ index: UInt32) -> UnsafeMutablePointer<Element> {
    check(index)
    return state.pointee.chunks[Int(index) >> Self.shift] + (Int(index) & Self.mask)
  }

  @inline(__always) private func check(_ index: UInt32) {
    #if CHECK_INVARIANTS
      precondition(index < count, "element \(index) of \(count)")
    #endif
  }
}
