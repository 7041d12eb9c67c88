/// A cache of the collation keys of one column's texts.
///
/// A key is computed on first use and freed together with its text.
final class CollationKeys {
  private let collator: any Collator
  private let limit: Int
  /// The key number of each text, indexed by text number.
  private let numbers = Chunked<UInt32>(filler: TextPool.none)
  private let pool: TextPool
  private var buffer: [UInt8] = []
  /// The number of keys computed so far.
  private(set) var made = 0

  /// Creates a cache of keys with at most `limit` bytes each.
  init(_ collator: any Collator, hasher: BytesHash, limit: Int) {
    self.collator = collator
    self.limit = limit
    pool = TextPool(hasher: hasher, sharesRepeats: false)
  }

  deinit { numbers.deallocate() }

  /// The number of cached keys.
  var count: Int { pool.count }

  /// Returns the key of a text.
  ///
  /// The buffer is valid until another key is computed or forgotten.
  ///
  /// - Complexity: O(bytes) on first use of a text, O(1) afterwards.
  func key(of number: UInt32, _ text: @autoclosure () -> UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if number < numbers.count, numbers[number] != TextPool.none { return pool[numbers[number]] }
    numbers.grow(to: Int(number) + 1)
    buffer.removeAll(keepingCapacity: true)
    collator.appendKey(of: text(), to: &buffer)
    made += 1
    let key = buffer.withUnsafeBytes { pool.take(UnsafeRawBufferPointer(rebasing: $0.prefix(limit))) }
    numbers[number] = key
    return pool[key]
  }

  /// Returns the key of a value that need not occur in the column.
  func key(of value: Cell) -> [UInt8] {
    guard case .text(var text) = value else { return [] }
    var key: [UInt8] = []
    text.withUTF8 { collator.appendKey(of: UnsafeRawBufferPointer($0), to: &key) }
    return Array(key.prefix(limit))
  }

  /// Frees the key of a deleted text.
  func forget(_ number: UInt32) {
    guard number < numbers.count, numbers[number] != TextPool.none else { return }
    pool.release(numbers[number])
    numbers[number] = TextPool.none
  }
}
