import ListEngine

/// What pages wanted done, and what became of it: so that nothing is done twice, and nothing waits for ever.
///
///     switch book.standing(of: 17, from: page) {
///     case .new: let number = book.begin(17, from: page, on: table, until: now + patience)
///     case .answered(let outcome): ...                    // the same answer again
///     }
///     book.finish(number, .done("..."))                   // whom to tell; nil when it comes too late
///     for number in book.takeOverdue(at: now) { ... }
///
/// It keeps the last answers of each page, and of the last pages that have gone.
struct ActionBook {
  /// How many answers of one page are remembered.
  static let remembered = 64
  /// How many may be under way for one page.
  static let greatestForPage = 16
  /// How many may be under way at one source.
  static let greatestForTable = 64

  /// What is known of an id.
  enum Standing: Equatable {
    /// It was never said.
    case new
    /// It is under way; the answer will come.
    case running
    /// It was answered.
    case answered(ActionOutcome)
    /// It was said, or may have been; nothing more is known.
    case forgotten
  }

  /// Something under way.
  struct Entry {
    /// The page's number for it.
    var id: UInt64
    /// The page that said it first.
    var origin: SessionID
    var table: TableID
    var deadline: Instant
    /// Whom to tell, and what that page calls the one that said it first.
    var reader: SessionID
    var token: String?
  }

  private struct Page {
    var greatest: UInt64?
    var running: [UInt64: UInt64] = [:]
    var answers: [(id: UInt64, outcome: ActionOutcome)] = []
  }

  private let limit: Int
  private var pages: [SessionID: Page] = [:]
  private var gone: [SessionID] = []
  private var entries: [UInt64: Entry] = [:]
  private var last: UInt64 = 0

  /// A book that remembers so many pages that have gone.
  init(limit: Int) { self.limit = limit }

  /// When the first of those under way should have been answered.
  var deadline: Instant? { entries.values.map(\.deadline).min() }

  /// How many are under way for a page.
  func count(for page: SessionID) -> Int { pages[page]?.running.count ?? 0 }

  /// How many are under way at a table's source.
  func count(for table: TableID) -> Int { entries.values.count { $0.table == table } }

  /// What is known of an id; `isForeign`: another page asks than the one that would begin it.
  func standing(of id: UInt64, from page: SessionID, isForeign: Bool = false) -> Standing {
    guard let known = pages[page] else { return isForeign ? .forgotten : .new }
    if known.running[id] != nil { return .running }
    if let answer = known.answers.last(where: { $0.id == id }) { return .answered(answer.outcome) }
    if isForeign { return .forgotten }
    return known.greatest.map { id > $0 } ?? true ? .new : .forgotten
  }

  /// Tells another page than before what becomes of something under way.
  mutating func redirect(_ id: UInt64, from page: SessionID, to reader: SessionID, token: String?) {
    guard let number = pages[page]?.running[id] else { return }
    entries[number]?.reader = reader
    entries[number]?.token = token
  }

  /// Notes that something new is under way; the result is its number here, never used again.
  mutating func begin(
    _ id: UInt64, from page: SessionID, on table: TableID, token: String?, until deadline: Instant
  ) -> UInt64 {
    last += 1
    pages[page, default: Page()].greatest = id
    pages[page]?.running[id] = last
    entries[last] = Entry(id: id, origin: page, table: table, deadline: deadline, reader: page, token: token)
    return last
  }

  /// Notes that something new is not begun, for this reason.
  mutating func refuse(_ id: UInt64, from page: SessionID, _ outcome: ActionOutcome) {
    pages[page, default: Page()].greatest = id
    note(id, outcome, of: page)
  }

  /// Notes what became of something; `nil` when it is over already.
  mutating func finish(_ number: UInt64, _ outcome: ActionOutcome) -> Entry? {
    guard let entry = entries.removeValue(forKey: number) else { return nil }
    pages[entry.origin]?.running[entry.id] = nil
    note(entry.id, outcome, of: entry.origin)
    return entry
  }

  private mutating func note(_ id: UInt64, _ outcome: ActionOutcome, of page: SessionID) {
    // A page that is forgotten is not remembered again.
    guard var known = pages.removeValue(forKey: page) else { return }
    known.answers.append((id, outcome))
    if known.answers.count > Self.remembered { known.answers.removeFirst() }
    pages[page] = known
  }

  /// Those that should have been answered by now.
  func overdue(at now: Instant) -> [UInt64] {
    entries.filter { $0.value.deadline <= now }.map(\.key).sorted()
  }

  /// A page has gone; it may ask from elsewhere.
  mutating func leave(_ page: SessionID) {
    guard pages[page] != nil else { return }
    gone.append(page)
    if gone.count > limit { pages[gone.removeFirst()] = nil }
  }
}
