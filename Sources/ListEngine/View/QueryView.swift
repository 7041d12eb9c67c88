/// A table as one query shows it, whoever keeps the rows: a ``ListView`` of a resident table, or a ``WindowedView`` of a windowed one.
///
/// Pages never look at it directly, but through a ``FoldedView``.
protocol QueryView: AnyObject {
  /// Where its rows are kept; of a windowed source those that are known now.
  var table: Table { get }
  var query: Query { get }
  /// The columns to group by, the outermost sections' first.
  var groups: [ColumnStore] { get }
  /// How many rows it has.
  var rowCount: Int { get }
  /// How sure that is.
  var accuracy: CountAccuracy { get }
  /// How many items it shows: rows and headers.
  var itemCount: Int { get }
  /// What the query asks of all rows.
  var totals: [Cell] { get }
  /// Counts how often items came, went or moved: what was derived from their positions is worthless then.
  var version: Int { get }
  /// The same for sections.
  var structure: Int { get }
  /// Whether positions of rows and sections are known.
  var isInOrder: Bool { get }
  /// Whether there is nothing to show before its source has answered.
  var awaitsSource: Bool { get }
  /// How far it has read the table's log.
  var logPosition: Int { get }
  /// How many sessions look at it.
  var viewers: Int { get set }
  /// When the last session left it.
  var unwatchedSince: Instant? { get set }
  /// Which of the views without sessions lost its last one first.
  var leaving: Int { get set }

  /// Whether it shows this row.
  func contains(_ slot: UInt32) -> Bool
  /// The position of a row among the items; `nil` as well while it is not in order.
  func position(of slot: UInt32) -> Int?
  /// The position of a section's header; `nil` as well while it is not in order.
  func position(of section: Section) -> Int?
  /// The section with this number, if it still exists.
  func section(numbered number: UInt32) -> Section?
  /// The section with these values, from the outermost section's to its own.
  func section(at path: [Cell]) -> Section?
  /// The items of a range of positions, in order.
  func items(_ range: Range<Int>) -> [ListView.Item]
  /// The sections in which the item at this position lies and whose headers are above it, outermost first.
  func sections(above position: Int) -> [Section]
  /// What the query asks of a section.
  func aggregates(of section: Section) -> [Cell]
  /// Whether nothing that decides a row's place differs from what it was in this snapshot.
  func keepsPlace(_ slot: UInt32, since snapshot: RowSnapshot, relabelings: Int) -> Bool
  /// The view as pages see it that have collapsed these sections: one for all that have collapsed the same.
  func folded(_ collapsed: Set<[Cell]>) -> FoldedView
  /// Takes over what has changed in the table since the last time.
  func catchUp()
  /// Begins to count which rows change in it, come into it or leave it.
  func openTouches() -> Touches.Moment
  /// Ends what ``openTouches()`` began.
  func closeTouches(_ moment: Touches.Moment)
  /// What counts them; `nil` when nobody wants to know.
  var touches: Touches? { get }
  /// Why a row that a page did not hold comes into its window.
  func insertion(of row: RowSnapshot, since commit: UInt32) -> InsertionReason
  /// Why a row that a page holds leaves its window.
  func removal(of row: RowSnapshot, since commit: UInt32) -> RemovalReason
}

extension QueryView {
  /// Whether sections have headers.
  var isGrouped: Bool { !query.group.isEmpty }
  /// How many different rows have changed in it, come or gone since then, as far as it has caught up.
  func touched(since moment: Touches.Moment) -> Int { touches?.count(since: moment) ?? 0 }
  /// Whether a row has changed in it or come since then, as far as it has caught up.
  func isTouched(_ slot: UInt32, since moment: Touches.Moment) -> Bool {
    touches?.isTouched(slot, since: moment) ?? false
  }
}

/// The foldings of a view that some page looks at.
struct Foldings {
  private struct Folding {
    weak var folded: FoldedView?
  }

  private var byCollapsed: [Set<[Cell]>: Folding] = [:]

  /// One for all that have collapsed the same.
  mutating func folded(_ view: any QueryView, _ collapsed: Set<[Cell]>) -> FoldedView {
    if let known = byCollapsed[collapsed]?.folded { return known }
    byCollapsed = byCollapsed.filter { $0.value.folded != nil }
    let made = FoldedView(view, collapsed: collapsed)
    byCollapsed[collapsed] = Folding(folded: made)
    return made
  }
}
