/// A group of rows with equal values in the grouping columns, or the root of all rows, without a
/// header.
///
/// Sections are nested in the order of the query's grouping columns. Those of the last column
/// contain rows, all others contain sections.
final class Section {
  /// The number of the section, unique within its view.
  let number: UInt32
  /// The nesting depth, from 0; -1 for the root.
  let level: Int
  /// The value of the grouping column at this level.
  let value: Cell
  /// The collation key by which the section is sorted; empty if its column has no collation.
  let sortKey: [UInt8]
  /// The enclosing section, or `nil` for the root.
  unowned let parent: Section?
  /// The rows, in a section of the last column.
  var order = RowOrder()
  /// The inner sections, in other sections.
  var sections = SectionList()
  /// The place among the siblings if they are ordered by count or by an aggregate.
  var rank = SectionRank()
  /// The number of times the section was moved among its siblings; see ``ScrollAnchor``.
  var moves: UInt32 = 0

  /// The number of rows, including those of inner sections.
  var rows = 0
  /// The number of items: the header, the rows and the items of inner sections.
  var items: Int
  /// A number that changes whenever the header changes.
  var revision: UInt32 = 1
  /// The number of rows while the view is being built.
  var provisionalCount: Int?
  /// The index among the sections of a build.
  var place = 0
  /// The number of rows.
  var count: Int { provisionalCount ?? rows }
  /// The number of rows that the header shows.
  var announcedCount = 0
  /// The state of the aggregates of the section's columns; see ``Aggregation``.
  var tallies: [Tally] = []
  /// The aggregates that the header shows.
  var aggregates: [Cell] = []
  /// Whether rows came, went or changed since the header was updated.
  var hasChanged = false

  /// The left child in the tree of the parent's ``SectionList``.
  var left: Section?
  /// The right child in that tree.
  var right: Section?
  /// The parent node in that tree.
  unowned var up: Section?
  /// The number of items in the section and its subtree.
  var sum = 0

  init(number: UInt32, level: Int, value: Cell, sortKey: [UInt8] = [], parent: Section?) {
    self.sortKey = sortKey
    self.number = number
    self.level = level
    self.value = value
    self.parent = parent
    items = level < 0 ? 0 : 1
  }

  /// Gives up the rows and all links to other sections, so that each section is freed by itself.
  ///
  /// The section must not be used afterwards.
  func dismantle() {
    (left, right) = (nil, nil)
    (order, sections) = (RowOrder(), SectionList())
  }

  /// The values of the enclosing sections and of this one, outermost first.
  var path: [Cell] {
    guard let parent, level >= 0 else { return [] }
    return parent.path + [value]
  }

  /// The enclosing sections and this one, outermost first, without the root.
  var chain: [Section] {
    guard let parent, level >= 0 else { return [] }
    return parent.chain + [self]
  }

  /// The slot of the first row, or `nil` without rows.
  ///
  /// - Precondition: No inner section is empty.
  /// - Complexity: O(log sections) for each level.
  var firstRow: UInt32? {
    var section = self
    while let inner = section.sections.first { section = inner }
    return section.order.first
  }

  /// The slot of the last row, or `nil` without rows.
  ///
  /// - Precondition: No inner section is empty.
  /// - Complexity: O(log sections) for each level.
  var lastRow: UInt32? {
    var section = self
    while let inner = section.sections.last { section = inner }
    return section.order.last
  }

  /// Returns whether the section precedes another one of the same level.
  func precedes(_ other: Section) -> Bool {
    guard self !== other, let parent, let others = other.parent else { return false }
    if parent !== others { return parent.precedes(others) }
    return parent.sections.order.precedes(self, other)
  }

  /// Returns whether value `a` precedes `b`, by collation key and then by value; nulls come last.
  @inline(__always)
  static func precedes(_ a: Cell, _ aKey: [UInt8], _ b: Cell, _ bKey: [UInt8]) -> Bool {
    // An empty key belongs to a column without collation, to a null, or to the first possible text.
    if aKey != bKey, a != .null, b != .null { return aKey.lexicographicallyPrecedes(bKey) }
    return Cell.precedes(a, b)
  }
}
