/// What turns the window last sent into the window now true: by position, as one batch.
///
/// Removals, updates and the origins of moves are indexes in the window before the patch; insertions and the ends of moves are
/// indexes in the window after it (the rule of UIKit's batched table updates). So the order of the lists never matters.
///
/// A patch from nothing is a whole window; a page puts it in the place of what it holds.
public final class Patch {
  /// Why an item left the window.
  public enum Removal: String, Sendable {
    /// It is not in the view any more.
    case gone
    /// It is elsewhere in the view, by a change of its own.
    case moved
    /// The window went away from it.
    case scrolled
  }

  /// Why an item came into the window.
  public enum Insertion: String, Sendable {
    /// It is new in the view.
    case new
    /// It was elsewhere in the view, and came by a change of its own.
    case moved
    /// The window came to it.
    case scrolled
  }

  /// Another content of a row that stays in the window.
  public struct RowUpdate {
    /// Its index before the patch.
    public var index: Int
    /// The row as it is now.
    public var row: RowSnapshot
    /// The columns that differ, ascending; may be empty when a cell went back to its old value.
    public var columns: [Int]
  }

  /// The window it applies to; `nil` when it is a whole window.
  public let base: WindowState?
  /// The window it leads to.
  public let result: WindowState
  /// By index before.
  public internal(set) var removed: [(index: Int, why: Removal)] = []
  /// By index before.
  public internal(set) var updatedRows: [RowUpdate] = []
  /// By index before.
  public internal(set) var updatedHeaders: [(index: Int, header: HeaderSnapshot)] = []
  /// From an index before to one after.
  public internal(set) var moved: [(from: Int, to: Int)] = []
  /// By index after; the item is `result.items[index]`.
  public internal(set) var inserted: [(index: Int, why: Insertion)] = []

  /// A place for the wire's bytes of this patch, shared by all sessions that get it.
  public var encoded: [UInt8]?

  /// How many items the window has before.
  public var before: Int { base?.items.count ?? 0 }
  /// How many items the window has after.
  public var after: Int { result.items.count }

  init(base: WindowState?, result: WindowState) {
    self.base = base
    self.result = result
  }
}
