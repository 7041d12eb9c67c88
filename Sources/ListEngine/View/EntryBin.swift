/// A queue of rows that are yet to be sorted, as entries of a ``Chunk``.
///
/// It is an unrolled linked list: blocks of up to 511 entries, each with the address of the next
/// one. Blocks are freed as they are read, and chunks of the order reuse their memory. It is a
/// plain pointer without reference counting, and its owner calls ``free(atMost:)``.
struct EntryBin: BitwiseCopyable {
  typealias Block = UnsafeMutablePointer<UInt64>

  private static var greatestBlock: Int { 511 }

  private var head: Block?
  private var last: Block?
  private var entries: UInt32 = 0
  /// The number of entries that fit into the last block.
  private var room: UInt16 = 0
  private let blockSize: UInt16

  /// Creates an empty bin for about `rows` rows.
  init(rows: Int) { blockSize = UInt16(min(max(1, rows), Self.greatestBlock)) }

  /// The number of rows.
  var count: Int { Int(entries) }

  /// The first entry.
  var first: UInt64? { head?[1] }

  /// Adds a row at the end.
  @inline(__always) mutating func append(_ entry: UInt64) {
    if room == 0 { addBlock() }
    last.unsafelyUnwrapped[1 + Int(blockSize - room)] = entry
    room -= 1
    entries += 1
  }

  private mutating func addBlock() {
    let block = Block.allocate(capacity: 1 + Int(blockSize))
    block[0] = 0
    if let last { last[0] = UInt64(UInt(bitPattern: block)) } else { head = block }
    (last, room) = (block, blockSize)
  }

  /// Returns the block after another one, or the first block.
  func block(after block: Block?) -> Block? {
    guard let block else { return head }
    return Block(bitPattern: UInt(block[0]))
  }

  /// Returns the entries of a block.
  func entries(of block: Block) -> UnsafeMutableBufferPointer<UInt64> {
    UnsafeMutableBufferPointer(start: block + 1, count: Int(block == last ? blockSize - room : blockSize))
  }

  /// Copies all entries.
  func copy(to memory: UnsafeMutablePointer<UInt64>) {
    var (block, start) = (head, memory)
    while let some = block {
      let entries = entries(of: some)
      start.update(from: entries.baseAddress.unsafelyUnwrapped, count: entries.count)
      start += entries.count
      block = self.block(after: some)
    }
  }

  /// Removes and frees the first block.
  mutating func dropFirst() {
    guard let block = head else { return }
    entries -= UInt32(entries(of: block).count)
    head = self.block(after: block)
    if head == nil { (last, room) = (nil, 0) }
    block.deallocate()
  }

  /// Frees up to `most` blocks, and returns how many.
  mutating func free(atMost most: Int) -> Int {
    var freed = 0
    while freed < most, head != nil {
      dropFirst()
      freed += 1
    }
    return freed
  }
}
