import DequeModule
import Threads

/// A bounded queue from producer threads to the event loop; producers block while it is full.
///
///     mailbox.put(changes, rows: 500, bytes: 40_000)    // any thread; blocks while full
///     for changes in mailbox.take(rows: 10_000) { ... } // the loop; never blocks
///     mailbox.close()                                   // unblocks all producers; drops the rest
///
/// Both rows and bytes are bounded. A value that exceeds a bound by itself is accepted when the
/// mailbox is empty.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
  private struct Item {
    var element: Element
    var rows: Int
    var bytes: Int
  }

  /// The maximum number of rows.
  public let rowLimit: Int
  /// The maximum number of bytes.
  public let byteLimit: Int
  private let onMail: @Sendable () -> Void

  // The monitor guards everything below; producers wait in it for room.
  private let monitor = Monitor()
  private var items: Deque<Item> = []
  private var rows = 0
  private var bytes = 0
  private var isClosed = false
  private var waiting = 0

  /// Creates an empty mailbox.
  ///
  /// - Parameter onMail: Called on the producer's thread when the mailbox was empty before. It must
  ///   neither block nor call ``put(_:rows:bytes:)``.
  public init(rowLimit: Int, byteLimit: Int, onMail: @escaping @Sendable () -> Void) {
    precondition(rowLimit > 0 && byteLimit > 0, "a box for \(rowLimit) rows of \(byteLimit) bytes takes nothing")
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
    self.onMail = onMail
  }

  /// Appends a value, and blocks until there is room for it. [any thread but the loop]
  ///
  /// - Returns: `false` if the mailbox is closed and the value was dropped.
  public func put(_ element: Element, rows newRows: Int, bytes newBytes: Int) -> Bool {
    monitor.withLock {
      waiting += 1
      monitor.wait { isClosed || items.isEmpty || rows + newRows <= rowLimit && bytes + newBytes <= byteLimit }
      waiting -= 1
      guard !isClosed else { return false }
      let wasEmpty = items.isEmpty
      items.append(Item(element: element, rows: newRows, bytes: newBytes))
      rows += newRows
      bytes += newBytes
      // Call it under the lock, so that no call follows the return of `close()`.
      if wasEmpty { onMail() }
      return true
    }
  }

  /// Removes and returns the first values, up to about `budget` rows, and at least one if there is
  /// any. [the loop]
  public func take(rows budget: Int) -> [Element] {
    monitor.withLock {
      var taken: [Element] = []
      var takenRows = 0
      while let item = items.first, taken.isEmpty || takenRows + item.rows <= budget {
        items.removeFirst()
        taken.append(item.element)
        takenRows += item.rows
        rows -= item.rows
        bytes -= item.bytes
        if takenRows >= budget { break }
      }
      // A deque does not shrink by itself, and a flood may have made it large.
      if items.isEmpty { items = [] }
      if !taken.isEmpty { monitor.wakeAll() }
      return taken
    }
  }

  /// Whether the mailbox contains values.
  public var hasMail: Bool { monitor.withLock { !items.isEmpty } }

  /// The number of producers that wait for room.
  public var waitingProducers: Int { monitor.withLock { waiting } }

  /// Closes the mailbox: drops its values, rejects new ones, and unblocks all producers.
  public func close() {
    monitor.withLock {
      isClosed = true
      items = []
      rows = 0
      bytes = 0
      monitor.wakeAll()
    }
  }
}
