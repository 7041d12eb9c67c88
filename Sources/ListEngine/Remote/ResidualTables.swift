/// The tables for the residual queries of one windowed table.
struct ResidualTables {
  private let table: Table
  private let capabilities: WindowedCapabilities
  private(set) var all: [ResidualTable] = []
  private var lanes: ResidualLanes
  /// The source queries with too many rows for the engine, oldest first.
  private var tooLarge: [(query: Query, count: Int, isExact: Bool, since: Instant)] = []
  private static let rememberedCounts = 8

  /// Creates an empty list.
  ///
  /// `generations` come from the replaced table; see ``ResidualLanes``.
  init(of table: Table, capabilities: WindowedCapabilities, after generations: [UInt32]) {
    (self.table, self.capabilities) = (table, capabilities)
    lanes = ResidualLanes(for: table.limits.remainders, after: generations)
  }

  /// Returns the table with this number, if there is one.
  subscript(_ number: Int) -> ResidualTable? { all.first { $0.number == number } }

  /// Returns the table for a source query, and creates it with the next number if needed.
  ///
  /// - Throws: ``ClientError/remainderTooLarge(_:)`` if the limit on such tables is reached.
  mutating func table(of query: Query, number: () -> Int) throws(ClientError) -> ResidualTable {
    if let known = all.first(where: { $0.query == query && $0.tooLarge == nil }) { return known }
    dropUnused()
    guard all.count(where: { $0.tooLarge == nil }) < table.limits.remainders, let (lane, ids) = lanes.take() else {
      throw .remainderTooLarge(
        "the engine does what a source cannot for \(table.limits.remainders) queries of one table at most")
    }
    var schema = table.schema
    schema.windowed = nil
    let made = ResidualTable(
      query, number: number(), lane: lane, table: table.another(schema, ids: ids), capabilities: capabilities)
    all.append(made)
    return made
  }

  /// Drops the tables that no session uses.
  mutating func dropUnused() {
    for unused in all where unused.isUnused { lanes.leave(unused.lane, newest: unused.newestGeneration) }
    all.removeAll(where: \.isUnused)
  }

  /// The first generations of row ids for a replacement table.
  var generations: [UInt32] {
    var generations = lanes.generations
    for residual in all { generations[residual.lane] = residual.newestGeneration + 1 }
    return generations
  }

  // MARK: Refusals

  /// Returns the row count of a query known to have too many rows.
  ///
  /// The result is `nil` if the query was not refused within the last ``Limits/refreshInterval``.
  func tooLarge(_ query: Query, at now: Instant) -> (count: Int, isExact: Bool)? {
    tooLarge.first { $0.query == query && $0.since.duration(to: now) < table.limits.refreshInterval && $0.since <= now }
      .map { ($0.count, $0.isExact) }
  }

  /// Remembers the row count of a table that was refused.
  mutating func noteTooLarge(_ residual: ResidualTable, at now: Instant) {
    guard let (count, isExact) = residual.tooLarge else { return }
    tooLarge.removeAll { $0.query == residual.query }
    if tooLarge.count >= Self.rememberedCounts { tooLarge.removeFirst() }
    tooLarge.append((residual.query, count, isExact, now))
  }

  /// Forgets all row counts, because the source's data has changed.
  mutating func forgetTooLarge() { tooLarge = [] }
}
