import DequeModule

/// The requests that change views: bodies that are being received, and a queue of changes, of which
/// one at a time is written.
struct ViewRequests {
  /// The maximum number of requests at the same time.
  static let greatestCount = 64
  /// The maximum size of a body, in bytes.
  static let greatestBody = 32 << 10

  /// A body that is being received.
  struct Body {
    var name: String
    var author: ViewAuthor
    var bytes: [UInt8] = []
  }

  /// A requested change that is queued, or whose file is being written.
  struct Entry {
    var edit: ViewLibrary.Edit
    var author: ViewAuthor
    /// The socket to answer; `nil` once its connection is closed.
    var socket: OpaquePointer?
  }

  private var bodies: [OpaquePointer: Body] = [:]
  private var waiting: Deque<Entry> = []
  /// The entry whose file is being written, with its change.
  private(set) var current: (entry: Entry, change: ViewLibrary.Change)?

  var isFull: Bool { bodies.count + waiting.count >= Self.greatestCount }

  /// Whether the answer to a socket is pending.
  func isPending(_ socket: OpaquePointer) -> Bool {
    bodies[socket] != nil || current?.entry.socket == socket || waiting.contains { $0.socket == socket }
  }

  /// The body that is being received on a socket.
  subscript(body socket: OpaquePointer) -> Body? {
    get { bodies[socket] }
    set { bodies[socket] = newValue }
  }

  mutating func add(_ edit: ViewLibrary.Edit, by author: ViewAuthor, on socket: OpaquePointer) {
    waiting.append(Entry(edit: edit, author: author, socket: socket))
  }

  /// Removes and returns the next change, unless one is being written.
  mutating func takeNext() -> Entry? {
    current == nil ? waiting.popFirst() : nil
  }

  mutating func begin(_ change: ViewLibrary.Change, of entry: Entry) { current = (entry, change) }

  mutating func takeCurrent() -> (entry: Entry, change: ViewLibrary.Change)? {
    defer { current = nil }
    return current
  }

  /// Forgets a closed socket. The change that it requested is still written.
  mutating func leave(_ socket: OpaquePointer) {
    bodies[socket] = nil
    if current?.entry.socket == socket { current?.entry.socket = nil }
    for index in waiting.indices where waiting[index].socket == socket { waiting[index].socket = nil }
  }
}
