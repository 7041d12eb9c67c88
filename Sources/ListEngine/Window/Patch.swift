/// The changes from the window last sent to the current one, by position, as one batch.
///
/// Removals, updates and origins of moves are indexes in the window before the patch. Insertions
/// and destinations of moves are indexes in the window after it. The order within the lists
/// therefore does not matter. UIKit's batch updates of table views follow the same rule.
///
/// A patch without a base is a whole window, which replaces what the client holds.
public final class Patch {
  /// The reason why an item left the window.
  public typealias Removal = RemovalReason

  /// The reason why an item entered the window.
  public typealias Insertion = InsertionReason

  /// A change of a row that stays in the window.
  public struct RowUpdate {
    /// The row's index before the patch.
    public var index: Int
    /// The current row.
    public var row: RowSnapshot
    /// The numbers of the changed columns, ascending; empty if all cells have returned to their old
    /// value.
    public var columns: [Int]
  }

  /// The window that the patch applies to, or `nil` for a whole window.
  public let base: WindowState?
  /// The window after the patch.
  public let result: WindowState
  /// The removed items, by index before the patch.
  public internal(set) var removed: [(index: Int, why: Removal)] = []
  /// The changed rows, by index before the patch.
  public internal(set) var updatedRows: [RowUpdate] = []
  /// The changed headers, by index before the patch.
  public internal(set) var updatedHeaders: [(index: Int, header: HeaderSnapshot)] = []
  /// The moved items, from an index before the patch to an index after it.
  public internal(set) var moved: [(from: Int, to: Int)] = []
  /// The inserted items, by their index in `result.items`.
  public internal(set) var inserted: [(index: Int, why: Insertion)] = []

  /// An object that the wire format derives from the patch, shared by all sessions that receive it.
  public var attachment: AnyObject?

  /// The number of items in the window before the patch.
  public var before: Int { base?.items.count ?? 0 }
  /// The number of items in the window after the patch.
  public var after: Int { result.items.count }

  init(base: WindowState?, result: WindowState) {
    self.base = base
    self.result = result
  }
}
