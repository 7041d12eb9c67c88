/// The result of a query: rows of a table that the engine holds, or an excerpt of a windowed
/// source's answer.
///
/// Sessions read it through a ``FoldedView``.
protocol QueryView: AnyObject {
  /// The table of the rows; for a windowed source it contains the loaded rows.
  var table: Table { get }
  var query: Query { get }
  /// The columns to group by, outermost first.
  var groups: [GroupColumn] { get }
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
  /// The number of changes of the set of sections and of their order.
  var structure: Int { get }
  /// Whether the positions of rows and sections are known.
  var isInOrder: Bool { get }
  /// Whether there is nothing to show before the source answers.
  var awaitsSource: Bool { get }
  /// Whether the view holds all of its rows.
  ///
  /// Row ids are then valid beyond the view, and equal windows of one moment show equal rows.
  var holdsAllRows: Bool { get }
  /// The build in progress, or `nil` if the view is complete.
  var build: ViewBuild? { get }
  /// Whether the first items can be shown before the order is complete.
  var canShowFirstItems: Bool { get }
  /// The sessions' use of the view.
  var use: ViewUse { get set }

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
  /// Applies some changes of the table, and returns whether the view is up to date.
  ///
  /// - Parameters:
  ///   - limit: The approximate number of rows to remove or insert.
  ///   - filterRows: The filter's work limit in rows, or `nil` for `limit`.
  func catchUp(atMost limit: Int, filterRows: Int?) -> Bool
  /// Applies changes of the table within the work left in a turn, and subtracts the work done.
  func catchUp(_ work: inout Int) -> CatchUp
  /// Starts counting rows that change, come or go.
  func openChangeCount() -> ChangeCounters.Moment
  /// Ends the counting that ``openChangeCount()`` started.
  func closeChangeCount(_ moment: ChangeCounters.Moment)
  /// The counters of changed rows, or `nil` if none are needed.
  var counters: ChangeCounters? { get }
  /// Returns the reason for which a row enters a client's window.
  func insertion(of row: RowSnapshot, since commit: UInt32) -> InsertionReason
  /// Returns the reason for which a row leaves a client's window.
  func removal(of row: RowSnapshot, since commit: UInt32) -> RemovalReason
}

extension QueryView {
  /// The number of sessions that display the view.
  var viewers: Int { use.viewers }
  /// Applies all changes of the table since the last call.
  func catchUp() { _ = catchUp(atMost: .max, filterRows: nil) }
  /// Whether the rows are grouped into sections.
  var isGrouped: Bool { !query.groupings.isEmpty }
  /// Returns the number of distinct rows that changed, came or went since `moment`.
  ///
  /// Changes that the view has not applied yet are not counted.
  func changedRows(since moment: ChangeCounters.Moment) -> Int { counters?.count(since: moment) ?? 0 }
  /// Returns whether a row changed or came since `moment`, as far as the view has caught up.
  func hasChanged(_ slot: UInt32, since moment: ChangeCounters.Moment) -> Bool {
    counters?.hasChanged(slot, since: moment) ?? false
  }
}

/// The result of a catch-up with limited work.
enum CatchUp {
  /// The view is up to date.
  case done
  /// Changes remain for the next turn, because the work of this one is used up.
  case outOfWork
  /// Rows wait for an expensive filter, which continues in the next turn.
  case heldUpByFilter
}

/// The use of a view by sessions.
struct ViewUse {
  /// The number of sessions that display the view.
  var viewers = 0
  /// The time at which the last session left, or `nil` while there are sessions.
  var unwatchedSince: Instant?
  /// The rank in the eviction of views without sessions; the lowest is evicted first.
  var leaving = 0
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
