/// Rows that have the values of some columns in common; or all rows of a view, then it has no header.
///
/// Sections are nested as the query's columns are: a section of the last column has rows, every other one has sections.
final class Section {
  /// Names it as long as its view exists.
  let number: UInt32
  /// How many sections it lies in; -1 for all rows of the view.
  let level: Int
  /// What its rows have in common beside what its parent's have.
  let value: Cell
  /// What it is ordered by before its value; empty where its column orders by code unit.
  let sortKey: [UInt8]
  /// The section it lies in.
  unowned let parent: Section?
  /// Its rows, when it is of the last column.
  var order = RowOrder()
  /// Its sections, when it is not.
  var sections = SectionList()

  /// How many rows it has, those of its sections included.
  var rows = 0
  /// How many items it has: its header, its rows and sections.
  var items: Int
  /// Changes whenever its header shows something else.
  var revision: UInt32 = 1
  /// How many rows it has, while its order is being put together.
  var provisionalCount: Int?
  /// Its place among the sections that have rows, while they are being put in order.
  var place = 0
  /// How many rows it has.
  var count: Int { provisionalCount ?? rows }
  /// How many rows its header said it has.
  var announcedCount = 0
  /// What it keeps of the columns that the query aggregates; see ``Aggregation``.
  var tallies: [Tally] = []
  /// The query's aggregates as its header says them.
  var aggregates: [Cell] = []
  /// Whether rows came, went or changed since the header was looked at.
  var isTouched = false

  /// Its place in the tree of its parent's ``SectionList``.
  var left: Section?
  /// See `left`.
  var right: Section?
  /// See `left`.
  unowned var up: Section?
  /// How many items it has together with those below it in that tree.
  var sum = 0

  init(number: UInt32, level: Int, value: Cell, sortKey: [UInt8] = [], parent: Section?) {
    self.sortKey = sortKey
    self.number = number
    self.level = level
    self.value = value
    self.parent = parent
    items = level < 0 ? 0 : 1
  }

  /// Its values from the outermost section's to its own.
  var path: [Cell] {
    guard let parent, level >= 0 else { return [] }
    return parent.path + [value]
  }

  /// Those it lies in and itself, outermost first, without the one that has no header.
  var chain: [Section] {
    guard let parent, level >= 0 else { return [] }
    return parent.chain + [self]
  }

  /// Whether it comes before another section of the same level.
  func precedes(_ other: Section) -> Bool {
    guard self !== other, let parent, let others = other.parent else { return false }
    if parent !== others { return parent.precedes(others) }
    return Section.precedes(value, sortKey, other.value, other.sortKey)
  }

  /// The order of sections of a column with a collation: by what their values are ordered by, then by the values. Empty comes last.
  @inline(__always)
  static func precedes(_ a: Cell, _ aKey: [UInt8], _ b: Cell, _ bKey: [UInt8]) -> Bool {
    // An empty key is that of a column without, of an empty cell, or of a text that comes before all others.
    if aKey != bKey, a != .null, b != .null { return aKey.lexicographicallyPrecedes(bKey) }
    return Cell.precedes(a, b)
  }
}
