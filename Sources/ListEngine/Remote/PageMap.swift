/// The rows of a windowed view, or of one of its sections, as far as they are known: which are there, and what to ask for the others.
///
/// Two kinds of it: a ``PageGrid`` for sources that are asked by offset, a ``PageChain`` for those that give cursors.
protocol PageMap {
  /// How many rows pages see: those that are known to be, and so many more as can be asked for.
  var count: Int { get }
  /// How many rows there are, as far as anybody knows.
  var rowCount: Int { get }
  var accuracy: CountAccuracy { get }
  /// How many rows of it are kept.
  var keptRows: Int { get }
  /// About how many bytes they take.
  var keptBytes: Int { get }
  /// Its pages that are there, each with when it was last wanted.
  var pages: [(number: Int, used: UInt64)] { get }

  /// Goes through the rows at these positions, in order.
  func forEach(in range: Range<Int>, _ body: (_ position: Int, PageRow) -> Void)
  /// The position of the first row of a page that is there.
  func start(ofPage number: Int) -> Int?
  /// What a page that is there is asked for as.
  func place(ofPage number: Int) -> PageItem.Place
  /// The rows of a page that is there.
  func slots(ofPage number: Int) -> [UInt32]
  /// Which rows to ask for.
  func rows(of place: PageItem.Place) -> PageRequest.What?

  /// A page has come. The result is the number that it has here; or what is wrong with it, and then nothing has changed.
  mutating func take(_ place: PageItem.Place, _ page: KeptPage, _ answer: RowPage) -> Result<Int?, PageFault>
  /// Before anything is known a reader wants to see so many rows: if the source counts them it is asked there at once.
  mutating func expect(_ count: Int)
  /// A page could not be loaded.
  mutating func fail(_ place: PageItem.Place, _ failure: PageFailure)
  /// A row of a page that is there is elsewhere now.
  mutating func takeAway(_ index: Int, ofPage number: Int)
  /// The page was wanted.
  mutating func touch(page number: Int, at tick: UInt64)
  /// Forgets the rows of a page. The result is which they were.
  mutating func evict(page number: Int) -> [UInt32]
  /// The same places and counts without any rows: for asking again. `count`: how many rows there are now, if that is known.
  func renewed(count: Int?) -> any PageMap
}

extension PageMap {
  /// How many rows are added to what other sections have: those that are shown, or those that there are.
  var extent: Int { max(count, rowCount) }
}

/// What is known of one row of a ``PageMap``.
enum PageRow {
  case there(UInt32)
  /// It is not there; `place` is what to ask for.
  case absent(Missing, failure: Int, place: PageItem.Place?)
}

/// Why an answer of the source cannot be taken: the plugin's fault.
struct PageFault: Error, Hashable {
  var reason: String
}

/// Why a page is not there.
struct PageFailure: Hashable {
  var reason: String
  /// Tells failures apart.
  var number: Int
}

/// Rows that lie next to each other, as they came.
struct KeptPage {
  /// Stands for a row that did not fit, or was named twice.
  static let rejected = UInt32.max
  /// Stands for a row that has turned up elsewhere since.
  static let elsewhere = UInt32.max - 1
  /// Stands for a row that the source left out though there are more.
  static let leftOut = UInt32.max - 2

  var slots: [UInt32]
  /// About how many bytes the rows take.
  var bytes: Int
  /// When it was last wanted.
  var used: UInt64

  static func isRow(_ slot: UInt32) -> Bool { slot < leftOut }

  func row(_ index: Int) -> PageRow {
    switch slots[index] {
    case Self.rejected:
      .absent(.failed("the source's row does not fit, or is named twice"), failure: 0, place: nil)
    case Self.leftOut: .absent(.failed("the source left this row out"), failure: 1, place: nil)
    case Self.elsewhere: .absent(.pending, failure: 0, place: nil)
    default: .there(slots[index])
    }
  }
}
