import ListEngine
import Wire

/// The processor time of one second of engine time, in seconds.
struct GlanceTime {
  /// The time in the engine: changes and turns.
  var engine = 0.0
  /// The time in which messages for the client are encoded.
  var encoding = 0.0
  var longestTurn = 0.0
}

/// The engine of one case of W6 with its client, driven without waiting.
final class GlanceEngine {
  let kind: GlanceCase
  private var engine = Engine(epoch: "bench")
  private let table: TableID
  private var client = BenchClient(SessionID(rawValue: 1), interval: .milliseconds(300))
  private var now = Instant(nanoseconds: 1)
  private var tiles: [TileOutcome] = []
  private var facets: [Int: FacetOutcome] = [:]
  private var time = GlanceTime()

  init(_ kind: GlanceCase, history: Int) throws {
    self.kind = kind
    let schema = QuotesTable.schema
    table = try engine.addTable(
      kind.hasHistories ? schema.deriving(histories: ["price": history, "size": history]) : schema, at: now)
  }

  /// Applies changes before the measurement.
  func apply(_ changes: Changeset) {
    engine.handle(.changes(table, changes), at: now)
    while let deadline = engine.deadline, deadline <= now { turn() }
  }

  /// Opens the view and the other parts of the case, and completes the first counts.
  func open() {
    client.open(QueryRequest(sort: [("price", true)]), &engine, at: now)
    engine.handle(.tiles(client.session, id: 1, kind.tiles.map { .tile($0.request) }), at: now)
    engine.handle(.facets(client.session, id: 1, kind.facetColumns.map { .facet(FacetRequest($0)) }), at: now)
    advance(by: .seconds(2))
  }

  /// Applies the batches at equal distances over a second, and takes all turns that are due.
  func runSecond(_ batches: [Changeset]) -> GlanceTime {
    time = GlanceTime()
    for changes in batches {
      let before = threadSeconds()
      engine.handle(.changes(table, changes), at: now)
      time.engine += threadSeconds() - before
      advance(by: .nanoseconds(1_000_000_000 / Int64(batches.count)))
    }
    return time
  }

  private func advance(by duration: Duration) {
    let end = now.advanced(by: duration)
    turn()
    while let deadline = engine.deadline, deadline < end {
      now = max(now, deadline)
      turn()
    }
    now = end
  }

  private func turn() {
    let start = threadSeconds()
    let outputs = engine.advance(to: now)
    let turned = threadSeconds()
    time.longestTurn = max(time.longestTurn, turned - start)
    time.engine += turned - start
    for output in outputs {
      switch output {
      case .tiles(_, let reports):
        _ = ServerMessage.tiles(reports).encoded
        tiles = reports.tiles
      case .facets(_, let reports):
        _ = ServerMessage.facets(reports).encoded
        for entry in reports.facets { facets[entry.place] = entry.outcome }
      default: break
      }
    }
    client.take(outputs, &engine, at: now)
    time.encoding += threadSeconds() - turned
  }

  /// Returns the first error in what the client shows; `nil` if everything is right.
  func complaint(_ mirror: Mirror) -> String? {
    advance(by: .seconds(3))
    let rows = mirror.rows(by: { mirror.prices[$0] > mirror.prices[$1] })
    if let complaint = mirror.complaint(client, shows: rows) { return complaint }
    guard tiles.count == kind.tiles.count else { return "\(tiles.count) tiles of \(kind.tiles.count)" }
    for (tile, outcome) in zip(kind.tiles, tiles) {
      guard case .value(let report) = outcome, tile.isRight(report.value, mirror) else {
        return "\(tile.request) is \(outcome)"
      }
    }
    for (place, column) in kind.facetColumns.enumerated() {
      guard case .counts(let counts) = facets[place] else { return "the facet of \(column) has no counts" }
      let sum: Int
      switch counts.parts {
      case .values(let values, _, let others): sum = values.reduce(others) { $0 + $1.rows }
      case .ranges(_, let counts): sum = counts.reduce(0, +)
      }
      guard sum == mirror.prices.count else { return "the facet of \(column) counts \(sum) rows" }
    }
    return nil
  }
}
