/// The sort keys of one column's texts, each made when it is first asked for, kept once, and gone with its text.
final class CollationKeys {
  private let collator: any Collator
  private let limit: Int
  /// The number of each text's key, by the number of the text.
  private let numbers = Chunked<UInt32>(filler: TextPool.none)
  private let pool: TextPool
  private var buffer: [UInt8] = []
  /// How many were made so far.
  private(set) var made = 0

  /// Keys of at most `limit` bytes.
  init(_ collator: any Collator, hasher: BytesHash, limit: Int) {
    self.collator = collator
    self.limit = limit
    pool = TextPool(hasher: hasher, sharesRepeats: false)
  }

  deinit { numbers.deallocate() }

  /// How many are kept.
  var count: Int { pool.count }

  /// The key of a text. It stays where it is until the next one is made or forgotten.
  ///
  /// - Complexity: O(bytes) for the first to ask, O(1) for the others.
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

  /// The key of a value that need not be in the column.
  func key(of value: Cell) -> [UInt8] {
    guard case .text(var text) = value else { return [] }
    var key: [UInt8] = []
    text.withUTF8 { collator.appendKey(of: UnsafeRawBufferPointer($0), to: &key) }
    return Array(key.prefix(limit))
  }

  /// The text with this number is gone.
  func forget(_ number: UInt32) {
    guard number < numbers.count, numbers[number] != TextPool.none else { return }
    pool.release(numbers[number])
    numbers[number] = TextPool.none
  }
}
