import Glibc

/// Carries values from one thread to the loop, and makes a producer that is too fast wait.
///
///     mailbox.put(changes, rows: 500, bytes: 40_000)   // any thread; waits while the box is full
///     for changes in mailbox.take(rows: 10_000) { ... } // the loop; never waits
///     mailbox.close()                                   // wakes everyone; nothing is taken any more
///
/// It is bounded by rows and by bytes, whichever is reached first. A single value beyond the bound passes when the box is empty.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
  private struct Item {
    var element: Element
    var rows: Int
    var bytes: Int
  }

  /// How many rows it holds at most.
  public let rowLimit: Int
  /// How many bytes it holds at most.
  public let byteLimit: Int
  private let onMail: @Sendable () -> Void

  // Everything below belongs to whoever holds the lock.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let room = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // What was taken leaves an empty place, so that it is let go at once: a box that never runs empty would keep hundreds of them.
  private var items: [Item?] = []
  private var first = 0
  private var rows = 0
  private var bytes = 0
  private var isClosed = false
  private var waiting = 0

  /// An empty box; `onMail` is called on the producer's thread when the box was empty before. It must not wait, and not put.
  public init(rowLimit: Int, byteLimit: Int, onMail: @escaping @Sendable () -> Void) {
    precondition(rowLimit > 0 && byteLimit > 0, "a box for \(rowLimit) rows of \(byteLimit) bytes takes nothing")
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
    self.onMail = onMail
    pthread_mutex_init(lock, nil)
    pthread_cond_init(room, nil)
  }

  deinit {
    pthread_cond_destroy(room)
    pthread_mutex_destroy(lock)
    room.deallocate()
    lock.deallocate()
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }

  private var isEmpty: Bool { first == items.count }

  /// Puts a value in, when there is room for it. [any thread but the loop]
  ///
  /// - Returns: `false` when the box is closed, and the value was dropped.
  public func put(_ element: Element, rows newRows: Int, bytes newBytes: Int) -> Bool {
    let taken = locked { () -> Bool in
      waiting += 1
      while !isClosed, !isEmpty, rows + newRows > rowLimit || bytes + newBytes > byteLimit {
        pthread_cond_wait(room, lock)
      }
      waiting -= 1
      guard !isClosed else { return false }
      let wasEmpty = isEmpty
      items.append(Item(element: element, rows: newRows, bytes: newBytes))
      rows += newRows
      bytes += newBytes
      // Under the lock, so that nobody is called after close() has returned.
      if wasEmpty { onMail() }
      return true
    }
    return taken
  }

  /// Takes out what came first, up to about this many rows; at least one value, when there is one. [the loop]
  public func take(rows budget: Int) -> [Element] {
    locked {
      var taken: [Element] = []
      var takenRows = 0
      while !isEmpty, let item = items[first], taken.isEmpty || takenRows + item.rows <= budget {
        items[first] = nil
        taken.append(item.element)
        takenRows += item.rows
        rows -= item.rows
        bytes -= item.bytes
        first += 1
        if takenRows >= budget { break }
      }
      // Handing the front back in bulk keeps a take O(taken), amortized.
      if isEmpty {
        items.removeAll(keepingCapacity: items.capacity <= 1_024)
        first = 0
      } else if first > 512, first * 2 > items.count {
        items.removeFirst(first)
        first = 0
      }
      if !taken.isEmpty { pthread_cond_broadcast(room) }
      return taken
    }
  }

  /// Whether something waits to be taken.
  public var hasMail: Bool { locked { !isEmpty } }

  /// How many producers are inside ``put(_:rows:bytes:)`` and wait for room.
  public var waitingProducers: Int { locked { waiting } }

  /// Drops what waits, and takes nothing any more; every producer that waits returns.
  public func close() {
    locked {
      isClosed = true
      items = []
      first = 0
      rows = 0
      bytes = 0
      pthread_cond_broadcast(room)
    }
  }
}
