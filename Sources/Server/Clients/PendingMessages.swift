import DequeModule
import ListEngine
import Wire

/// The messages that wait to be sent to a client, in the order in which they are sent.
///
///     pending.refuse(refusal)
///     while let message = pending.takeNext(isQuiet: false) { ... }
///
/// They are bounded. There is at most one message of most kinds, and a newer one replaces an older
/// one. A patch is not cut before the previous one was sent. The results of actions and the
/// refusals form lists, which have limits of their own.
struct PendingMessages {
  /// A message to send. A case without a value reports the server's state at the time of sending.
  enum Message {
    case error(ClientError)
    case hello
    case refused(Refusal)
    case acted(id: UInt64, token: String?, ActionOutcome)
    case named(id: UInt64, rows: [(id: RowID, key: RowKey)])
    case located(id: UInt64, rows: [LocatedRow])
    case parsed(id: UInt64, FilterReading)
    case tables
    case sources
    case status(table: String, SourceStatus)
    case waiting(Waiting)
    case tiles(TileReports)
    case facets(FacetReports)
    case pins(PinReports)
    case stats
    /// The bytes of a window or patch, after space for the frame header.
    case patch([UInt8])
  }

  /// The maximum number of results that wait for a client that does not read.
  static let greatestActed = 128
  /// The maximum number of refused queries, and the same number for sections.
  static let greatestRefusals = 4

  private(set) var error: ClientError?
  var hasHello = false
  private(set) var refusals: Deque<Refusal> = []
  /// The results of actions.
  var acted: Deque<(id: UInt64, token: String?, outcome: ActionOutcome)> = []
  /// The answer to the last request for keys.
  var named: (id: UInt64, rows: [(id: RowID, key: RowKey)])?
  /// The answer to the last request for the places of keys.
  var located: (id: UInt64, rows: [LocatedRow])?
  /// The answer to the last request for the meaning of a filter.
  var parsed: (id: UInt64, reading: FilterReading)?
  var hasTables = false
  var hasSources = false
  var status: (table: String, source: SourceStatus)?
  /// The count of waiting changes, for a paused client.
  var waiting: Waiting?
  /// The tiles of the client's summary strip.
  var tiles: TileReports?
  /// The facets of the client that have changed since the last message.
  private(set) var facets: FacetReports?
  /// The pinned rows of the client that have changed since the last message.
  private(set) var pins: PinReports?
  var hasStats = false
  var patch: [UInt8]?

  init(error: ClientError? = nil) { self.error = error }

  /// Adds a refusal; of each kind, only the last few are kept.
  mutating func refuse(_ refusal: Refusal) {
    let own = refusals.indices.filter { refusals[$0].isOfSection == refusal.isOfSection }
    if own.count >= Self.greatestRefusals { refusals.remove(at: own[0]) }
    refusals.append(refusal)
  }

  /// Adds changed facets to those that wait; `nil` discards them.
  mutating func report(_ reports: FacetReports?) {
    var merged = reports
    if let facets { merged?.include(facets) }
    facets = merged
  }

  /// Adds changed pinned rows to those that wait; `nil` discards them.
  mutating func reportPins(_ reports: PinReports?) {
    var merged = reports
    if let pins { merged?.include(pins) }
    pins = merged
  }

  /// Returns whether a message can be sent.
  ///
  /// - Parameter isQuiet: Whether the lists of tables and sources are withheld.
  func hasNext(isQuiet: Bool) -> Bool {
    error != nil || hasHello || !refusals.isEmpty || !acted.isEmpty || named != nil || located != nil
      || parsed != nil || ((hasTables || hasSources) && !isQuiet) || status != nil || waiting != nil
      || tiles != nil || facets != nil || pins != nil || hasStats || patch != nil
  }

  /// Removes and returns the next message; the list of tables precedes any table.
  mutating func takeNext(isQuiet: Bool) -> Message? {
    if let error = error.take() { return .error(error) }
    if hasHello {
      // The hello contains both lists.
      (hasHello, hasTables, hasSources) = (false, false, false)
      return .hello
    }
    if let refusal = refusals.popFirst() { return .refused(refusal) }
    if let first = acted.popFirst() { return .acted(id: first.id, token: first.token, first.outcome) }
    if let named = named.take() { return .named(id: named.id, rows: named.rows) }
    if let located = located.take() { return .located(id: located.id, rows: located.rows) }
    if let parsed = parsed.take() { return .parsed(id: parsed.id, parsed.reading) }
    if hasTables, !isQuiet {
      hasTables = false
      return .tables
    }
    if hasSources, !isQuiet {
      hasSources = false
      return .sources
    }
    if let status = status.take() { return .status(table: status.table, status.source) }
    if let waiting = waiting.take() { return .waiting(waiting) }
    if let tiles = tiles.take() { return .tiles(tiles) }
    if let facets = facets.take() { return .facets(facets) }
    if let pins = pins.take() { return .pins(pins) }
    if hasStats {
      hasStats = false
      return .stats
    }
    return patch.take().map { .patch($0) }
  }
}

extension Refusal {
  /// Whether the refusal concerns the collapsing of a section rather than the query.
  fileprivate var isOfSection: Bool { request == shown }
}
