/// The result of a query: a ``ListView`` of a resident table, or a ``WindowedView`` of a windowed
/// one.
///
/// Sessions read it through a ``FoldedView``.
protocol QueryView: AnyObject {
  /// The table of the rows; for a windowed source it contains the loaded rows.
  var table: Table { get }
  var query: Query { get }
  /// The columns to group by, outermost first.
  var groups: [ColumnStore] { get }
  /// The number of rows.
  var rowCount: Int { get }
  /// The accuracy of the number of rows.
  var accuracy: CountAccuracy { get }
  /// The number of items: rows and headers.
  var itemCount: Int { get }
  /// The aggregates of all rows.
  var totals: [Cell] { get }
  /// The number of changes of item positions; it invalidates data derived from positions.
  var version: Int { get }
  /// The number of changes of the set of sections.
  var structure: Int { get }
  /// Whether the positions of rows and sections are known.
  var isInOrder: Bool { get }
  /// Whether there is nothing to show before the source answers.
  var awaitsSource: Bool { get }
  /// The position up to which the table's log was read.
  var logPosition: Int { get }
  /// The number of sessions that display the view.
  var viewers: Int { get set }
  /// The time at which the last session left.
  var unwatchedSince: Instant? { get set }
  /// The rank in the eviction of views without sessions; the lowest is evicted first.
  var leaving: Int { get set }

  /// Returns whether the view contains a row.
  func contains(_ slot: UInt32) -> Bool
  /// Returns the position of a row among the items, or `nil` if it is absent or unknown.
  func position(of slot: UInt32) -> Int?
  /// Returns the position of a section's header, or `nil` if it is unknown.
  func position(of section: Section) -> Int?
  /// Returns the section with this number, if it exists.
  func section(numbered number: UInt32) -> Section?
  /// Returns the section with this path, from the outermost section's value to its own.
  func section(at path: [Cell]) -> Section?
  /// Returns the items in a range of positions, in order.
  func items(_ range: Range<Int>) -> [ListView.Item]
  /// Returns the sections that contain the item at this position and begin above it, outermost
  /// first.
  func sections(above position: Int) -> [Section]
  /// Returns the aggregates of a section.
  func aggregates(of section: Section) -> [Cell]
  /// Returns whether all values that determine a row's position equal those of a snapshot.
  func keepsPlace(_ slot: UInt32, since snapshot: RowSnapshot, relabelings: Int) -> Bool
  /// Returns the view with these sections collapsed, which sessions with the same ones share.
  func folded(_ collapsed: Set<[Cell]>) -> FoldedView
  /// Applies all changes of the table since the last call.
  func catchUp()
  /// Starts counting rows that change, come or go.
  func openTouches() -> Touches.Moment
  /// Ends the counting that ``openTouches()`` started.
  func closeTouches(_ moment: Touches.Moment)
  /// The counters of touched rows, or `nil` if none are needed.
  var touches: Touches? { get }
  /// Returns the reason for which a row enters a client's window.
  func insertion(of row: RowSnapshot, since commit: UInt32) -> InsertionReason
  /// Returns the reason for which a row leaves a client's window.
  func removal(of row: RowSnapshot, since commit: UInt32) -> RemovalReason
}

extension QueryView {
  /// Whether the rows are grouped into sections.
  var isGrouped: Bool { !query.group.isEmpty }
  /// Returns the number of distinct rows that changed, came or went since `moment`.
  ///
  /// Changes that the view has not applied yet are not counted.
  func touched(since moment: Touches.Moment) -> Int { touches?.count(since: moment) ?? 0 }
  /// Returns whether a row changed or came since `moment`, as far as the view has caught up.
  func isTouched(_ slot: UInt32, since moment: Touches.Moment) -> Bool {
    touches?.isTouched(slot, since: moment) ?? false
  }
}

/// The folded views of a view, one for each set of collapsed sections in use.
struct Foldings {
  private struct Folding {
    weak var folded: FoldedView?
  }

  private var byCollapsed: [Set<[Cell]>: Folding] = [:]

  /// Returns the folded view for these collapsed sections, and creates it if needed.
  mutating func folded(_ view: any QueryView, _ collapsed: Set<[Cell]>) -> FoldedView {
    if let known = byCollapsed[collapsed]?.folded { return known }
    byCollapsed = byCollapsed.filter { $0.value.folded != nil }
    let made = FoldedView(view, collapsed: collapsed)
    byCollapsed[collapsed] = Folding(folded: made)
    return made
  }
}
