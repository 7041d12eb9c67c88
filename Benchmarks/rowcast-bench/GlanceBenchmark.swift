import ListEngine
import Quotes

/// W6: the processor time that the summary strip, histories, rules and facets add while a table
/// changes.
///
/// Each case has an engine of its own with the same rows, the same changes and one client of a
/// sorted view. The cases take turns, one second of engine time each, so that other programs slow
/// all of them alike. At the end, all figures are compared with a mirror.
struct GlanceBenchmark {
  let rows: Int
  let rate: Int
  let seconds: Int
  let history: Int
  let only: [GlanceCase]

  /// The batches in which a source delivers the changes of a second.
  private static let batches = 20
  /// The seconds before the measured ones, in which memory and caches settle.
  private static let warmUp = 3

  func run() throws {
    let quotes = Quotes()
    var mirror = Mirror(rows: rows, of: quotes)
    let cases = [GlanceCase.plain] + GlanceCase.allCases.filter { $0 != .plain && (only.isEmpty || only.contains($0)) }
    let engines = try cases.map { try GlanceEngine($0, history: history) }
    load(into: engines, quotes)
    let keeping = engines.filter(\.kind.hasHistories)
    if !keeping.isEmpty {
      for round in 0..<history { fill(keeping, round) }
      load(into: keeping, quotes)
    }
    for engine in engines { engine.open() }
    var times = engines.map { _ in [GlanceTime]() }
    for second in 0..<Self.warmUp + seconds {
      let size = rate / Self.batches
      let batches = (0..<Self.batches).map { batch in
        let first = (second * Self.batches + batch) * size
        let (changes, updates) = QuotesTable.updates(first..<first + size, of: quotes, rows: rows)
        mirror.apply(updates)
        return changes
      }
      for (index, engine) in engines.enumerated() {
        let time = engine.runSecond(batches)
        if second >= Self.warmUp { times[index].append(time) }
      }
    }
    var complaints: [String] = []
    for (index, engine) in engines.enumerated() {
      let complaint = engine.complaint(mirror)
      try emit(line(engine.kind, times[index], plain: times[0], isRight: complaint == nil))
      if let complaint { complaints.append("\(engine.kind): \(complaint)") }
    }
    precondition(complaints.isEmpty, complaints.joined(separator: "; "))
  }

  private func load(into engines: [GlanceEngine], _ quotes: Quotes) {
    for start in stride(from: 0, to: rows, by: 10_000) {
      let changes = QuotesTable.rows(start..<min(start + 10_000, rows), of: quotes)
      for engine in engines { engine.apply(changes) }
    }
  }

  /// Changes every row, so that histories are full when they are measured.
  private func fill(_ engines: [GlanceEngine], _ round: Int) {
    for start in stride(from: 0, to: rows, by: 10_000) {
      var changes = Changeset()
      for key in start..<min(start + 10_000, rows) {
        changes.beginRow(.update, key: Int64(key))
        for _ in 0..<3 { changes.appendUnchanged() }
        changes.append(number: Double(round))
        changes.append(integer: Int64(round))
        for _ in 0..<5 { changes.appendUnchanged() }
      }
      for engine in engines { engine.apply(changes) }
    }
  }

  private func line(_ kind: GlanceCase, _ times: [GlanceTime], plain: [GlanceTime], isRight: Bool) -> [String: Any] {
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    let added = zip(times, plain).map { ($0.engine - $1.engine) * 100 }
    return [
      "engine": "rowcast", "w": "W6", "N": rows, "rate": rate, "case": kind.rawValue, "seconds": times.count,
      "cpu_pct": rounded(median(times.map { $0.engine * 100 })), "added_cpu_pct": rounded(median(added)),
      "added_cpu_pct_range": [rounded(added.min() ?? 0), rounded(added.max() ?? 0)],
      "ratio": rounded(median(zip(times, plain).map { $0.engine / $1.engine })),
      "encoding_cpu_pct": rounded(median(times.map { $0.encoding * 100 })),
      "longest_turn_ms": rounded((times.map(\.longestTurn).max() ?? 0) * 1000), "verify": isRight,
    ]
  }
}
