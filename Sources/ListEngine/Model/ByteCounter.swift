/// Counts bytes of several structures together. A bare reference: its owner calls ``deallocate()`` when nobody counts any more.
struct ByteCounter: BitwiseCopyable {
  private let total: UnsafeMutablePointer<Int>

  init() {
    total = .allocate(capacity: 1)
    total.initialize(to: 0)
  }

  func deallocate() { total.deallocate() }

  /// How many there are.
  var count: Int { total.pointee }

  @inline(__always) func add(_ bytes: Int) { total.pointee += bytes }
}
