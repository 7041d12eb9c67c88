/// The rows of a windowed view or section as far as they are known, and the requests for the
/// others.
///
/// ``BlockGrid`` implements it for sources with offsets, ``BlockChain`` for those with cursors.
protocol BlockMap {
  /// The number of positions to show: known rows, and rows that can be requested.
  var count: Int { get }
  /// The best known number of rows.
  var rowCount: Int { get }
  var accuracy: CountAccuracy { get }
  /// The number of rows kept in memory.
  var cachedRows: Int { get }
  /// The approximate size in bytes of the kept rows.
  var cachedBytes: Int { get }
  /// The loaded blocks, each with the time of its last use.
  var blocks: [(number: Int, used: UInt64)] { get }

  /// Calls a closure with each row in a range of positions, in order.
  func forEach(in range: Range<Int>, _ body: (_ position: Int, BlockRow) -> Void)
  /// Returns the position of the first row of a loaded block.
  func start(ofBlock number: Int) -> Int?
  /// Returns the place under which a loaded block is requested.
  func place(ofBlock number: Int) -> BlockItem.Place
  /// Returns the rows of a loaded block.
  func slots(ofBlock number: Int) -> [UInt32]
  /// Returns the request for a place, or `nil` if nothing is missing there.
  func rows(of place: BlockItem.Place) -> BlockRequest.What?

  /// Stores a received block.
  ///
  /// Returns the number of the block, or the error in the answer, in which case nothing changes.
  mutating func take(_ place: BlockItem.Place, _ block: CachedBlock, _ answer: RowBlock) -> Result<Int?, BlockFault>
  /// Sets the number of rows that a client wants to see before any is known.
  ///
  /// Rows up to there are requested at once if the source counts exactly.
  mutating func expect(_ count: Int)
  /// Records that a block failed to load.
  mutating func fail(_ place: BlockItem.Place, _ failure: BlockFailure)
  /// Removes a row from a loaded block because it is now elsewhere.
  mutating func remove(_ index: Int, ofBlock number: Int)
  /// Records a use of a block.
  mutating func noteUse(ofBlock number: Int, at tick: UInt64)
  /// Evicts the rows of a block and returns their slots.
  mutating func evict(block number: Int) -> [UInt32]
  /// Returns a map for a reload, with the same places and counts and without rows.
  ///
  /// - Parameter count: The current number of rows, if it is known.
  func renewed(count: Int?) -> any BlockMap
}

extension BlockMap {
  /// The greater of the numbers of positions and rows, which bounds the totals of all sections.
  var extent: Int { max(count, rowCount) }
}

/// A row of a ``BlockMap``.
enum BlockRow {
  case there(UInt32)
  /// Not loaded; `place` is the request for it.
  case absent(Missing, failure: Int, place: BlockItem.Place?)
}

/// An error in an answer of the source, caused by the plugin.
struct BlockFault: Error, Hashable {
  var reason: String
}

/// The failure of a block.
struct BlockFailure: Hashable {
  var reason: String
  /// A number that identifies the failure.
  var number: Int
}

/// A loaded block: adjacent rows, in the order received.
struct CachedBlock {
  /// The slot value of a row that did not match the schema or repeated a key.
  static let rejected = UInt32.max
  /// The slot value of a row that has since appeared elsewhere.
  static let elsewhere = UInt32.max - 1
  /// The slot value of a row that the source left out although more rows follow.
  static let leftOut = UInt32.max - 2

  var slots: [UInt32]
  /// The approximate size of the rows in bytes.
  var bytes: Int
  /// The time of the last use.
  var used: UInt64

  static func isRow(_ slot: UInt32) -> Bool { slot < leftOut }

  func row(_ index: Int) -> BlockRow {
    switch slots[index] {
    case Self.rejected:
      .absent(.failed("the source's row does not fit, or is named twice"), failure: 0, place: nil)
    case Self.leftOut: .absent(.failed("the source left this row out"), failure: 1, place: nil)
    case Self.elsewhere: .absent(.pending, failure: 0, place: nil)
    default: .there(slots[index])
    }
  }
}
