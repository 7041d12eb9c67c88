/// A byte count shared by several structures.
///
/// It is a plain pointer without reference counting. Its owner calls ``deallocate()`` after the
/// last use.
struct ByteCounter: BitwiseCopyable {
  private let total: UnsafeMutablePointer<Int>

  init() {
    total = .allocate(capacity: 1)
    total.initialize(to: 0)
  }

  func deallocate() { total.deallocate() }

  /// The number of bytes.
  var count: Int { total.pointee }

  @inline(__always) func add(_ bytes: Int) { total.pointee += bytes }
}
