import ListEngine
import Quotes
import Wire

/// W2: the time to apply a batch of updates, and to create and encode the patch of a 60-item
/// window.
struct UpdateBenchmark {
  let rows: Int
  let seconds: Double
  let only: ViewMode?
  let isInMiddle: Bool

  private static let window = 60
  private static let fewest = 30
  private static let most = 2000

  func run() throws {
    let quotes = Quotes()
    var engine = Engine(epoch: "bench")
    var now = Instant(nanoseconds: 1)
    let table = try engine.addTable(QuotesTable.schema, at: now)
    for start in stride(from: 0, to: rows, by: 10_000) {
      engine.handle(.changes(table, QuotesTable.rows(start..<min(start + 10_000, rows), of: quotes)), at: now)
    }
    var mirror = Mirror(rows: rows, of: quotes)
    var counter = 0
    for (number, mode) in ViewMode.allCases.enumerated() where only == nil || only == mode {
      let session = SessionID(rawValue: UInt64(number))
      let first = isInMiddle ? (mode == .filter ? rows / 40 : mode == .group ? 0 : rows / 2) : 0
      let viewport = Viewport(first: first, count: Self.window, ahead: 0, behind: 0, stick: isInMiddle ? nil : .top)
      engine.handle(
        .open(session, table: "quotes", request: 1, query: mode.query, viewport: viewport, interval: .zero), at: now)
      var client = BenchClient(session)
      while !client.isSettled(&engine, at: now) {}
      for size in [1000, 100, 10] {
        var batches = Figures()
        var applies = Figures()
        let bytes = client.bytes
        while batches.seconds.count < Self.most
          && (batches.seconds.count < Self.fewest || batches.total < seconds)
        {
          let (changes, updates) = QuotesTable.updates(counter..<counter + size, of: quotes, rows: rows)
          counter += size
          mirror.apply(updates)
          now = now.advanced(by: .milliseconds(1))
          batches.measure {
            applies.measure { engine.handle(.changes(table, changes), at: now) }
            // Moving a thousand rows takes slightly more than one turn.
            while !client.isSettled(&engine, at: now) {}
          }
        }
        let complaint = mirror.complaint(client, shows: mode.items(mirror))
        let count = batches.seconds.count
        try emit([
          "engine": "rowcast", "w": "W2", "N": rows, "mode": mode.rawValue, "B": size,
          "window": isInMiddle ? "middle" : "top",
          "batch_ms": batches.milliseconds, "update_ms": applies.milliseconds,
          "updates_per_s": Int(Double(count * size) / batches.total), "bytes_per_batch": (client.bytes - bytes) / count,
          "verify": complaint == nil,
        ])
        precondition(complaint == nil, "\(mode): \(complaint ?? "")")
      }
      engine.handle(.close(session), at: now)
    }
  }
}
