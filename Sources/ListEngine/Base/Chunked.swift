/// A growing array of trivial values in chunks of fixed size.
///
/// Growing never copies elements, so no single turn pays for all rows.
///
/// It is a plain pointer without reference counting. Its owner calls ``deallocate()``, and readers
/// must not outlive the owner.
struct Chunked<Element: BitwiseCopyable>: BitwiseCopyable {
  private struct State {
    var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    var chunkCount = 0
    var chunkCapacity = 16
    var count = 0
    var filler: Element
  }

  private static var shift: Int { 12 }
  private static var mask: Int { (1 << shift) - 1 }

  private let state: UnsafeMutablePointer<State>

  /// Creates an empty array whose new elements equal `filler`.
  init(filler: Element) {
    state = .allocate(capacity: 1)
    state.initialize(to: State(chunks: .allocate(capacity: 16), filler: filler))
  }

  /// Frees the memory.
  ///
  /// This array and all copies of it must not be used afterwards.
  func deallocate() {
    for chunk in 0..<state.pointee.chunkCount { state.pointee.chunks[chunk].deallocate() }
    state.pointee.chunks.deallocate()
    state.deallocate()
  }

  /// The number of elements.
  var count: Int { state.pointee.count }

  /// Grows to at least `newCount` elements.
  ///
  /// - Complexity: O(elements added).
  @inline(__always) func grow(to newCount: Int) {
    guard newCount > state.pointee.count else { return }
    state.pointee.count = newCount
    while state.pointee.chunkCount << Self.shift < newCount { addChunk() }
  }

  /// Grows toward `newCount` elements, by one chunk at most.
  ///
  /// A caller that can do without an element is never delayed by the size of the whole array.
  func grow(toward newCount: Int) {
    guard newCount > count else { return }
    grow(to: min(newCount, (state.pointee.chunkCount + 1) << Self.shift))
  }

  /// Frees the memory of up to `most` chunks of 4,096 elements at the end, and returns how many.
  func shrink(atMost most: Int) -> Int {
    let dropped = min(most, state.pointee.chunkCount)
    for _ in 0..<dropped {
      state.pointee.chunkCount -= 1
      state.pointee.chunks[state.pointee.chunkCount].deallocate()
    }
    state.pointee.count = min(state.pointee.count, state.pointee.chunkCount << Self.shift)
    return dropped
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

  /// Accesses the element at an index.
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

  /// Returns a pointer to the element at an index and those that follow in the same chunk.
  ///
  /// The pointer is valid at least up to the next multiple of 64.
  ///
  /// - Precondition: The index is in bounds.
  @inline(__always) func pointer(_ index: UInt32) -> UnsafeMutablePointer<Element> {
    check(index)
    return state.pointee.chunks[Int(index) >> Self.shift] + (Int(index) & Self.mask)
  }

  /// A view of the elements for a loop, which spares reading the array's state for each of them.
  ///
  /// It must not be used after the array has grown or shrunk.
  struct Elements {
    fileprivate let chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    /// The number of elements.
    let count: Int

    /// Returns a pointer to an element.
    @inline(__always) func pointer(_ index: UInt32) -> UnsafeMutablePointer<Element> {
      #if CHECK_INVARIANTS
        precondition(index < count, "element \(index) of \(count)")
      #endif
      return chunks[Int(index) >> shift] + (Int(index) & mask)
    }
  }

  /// The elements as they are now.
  @inline(__always) var elements: Elements { Elements(chunks: state.pointee.chunks, count: count) }

  @inline(__always) private func check(_ index: UInt32) {
    #if CHECK_INVARIANTS
      precondition(index < count, "element \(index) of \(count)")
    #endif
  }
}
