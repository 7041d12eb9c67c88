extension Simulation.Coverage {
  /// Adds the counters of another run.
  public mutating func add(_ other: Self) {
    windows += other.windows
    patches += other.patches
    moves += other.moves
    updates += other.updates
    shifts += other.shifts
    resyncs += other.resyncs
    folds += other.folds
    headers += other.headers
    partial += other.partial
    loads += other.loads
    cancels += other.cancels
    failures += other.failures
    hits += other.hits
    anchored += other.anchored
    crossings += other.crossings
    tiles += other.tiles
    facets += other.facets
    pins += other.pins
    ranges += other.ranges
    waits += other.waits
    looks += other.looks
    holds += other.holds
    resumes += other.resumes
    uncheckedClients += other.uncheckedClients
    evictions += other.evictions
    bounded += other.bounded
    exchanges += other.exchanges
    reopened += other.reopened
    refusals += other.refusals
    earlyScrolls += other.earlyScrolls
  }
}
