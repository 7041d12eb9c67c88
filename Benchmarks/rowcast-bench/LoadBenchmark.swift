import Foundation
import ListEngine
import PluginHost

/// W1: the market plugin, loaded as every plugin is, hands its rows to the engine through the contract.
///
/// The plugin makes and hands over its rows on its own thread; the engine applies them on this one. `seconds` is the time from the
/// first row to the last one applied, the making included; `apply_s` is what the engine itself took.
struct LoadBenchmark {
  let rows: Int

  func run() throws {
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let library = try PluginLibrary(path: executable.deletingLastPathComponent().path + "/libmarket.so")
    let line = Line()
    let source = PluginSource(library: library, name: "market", configuration: ["rows": "\(rows)", "rate": "0"]) {
      line.put($0)
    }
    var engine = Engine(epoch: "bench")
    let now = Instant(nanoseconds: 1)
    var table: TableID?
    var applies = Figures()
    try source.start()
    let before = try residentBytes()
    let clock = ContinuousClock()
    let start = clock.now
    while engine.tables(at: now).first?.rows ?? -1 < rows {
      switch line.take() {
      case .schema(let schema): table = try engine.addTable(schema, at: now)
      case .changes(let changes):
        guard let table else { preconditionFailure("rows come before the schema") }
        applies.measure { engine.handle(.changes(table, changes), at: now) }
      case .state(let state, let message, _): precondition(state == .live, "the market is \(state): \(message)")
      case .loaded, .notLoaded, .forget: preconditionFailure("the market has no deferred cells")
      }
    }
    let seconds = (clock.now - start) / .seconds(1)
    let after = try residentBytes()
    line.close()
    source.stop()
    var first = Figures()
    var whole = Figures()
    var page = BenchPage(SessionID(rawValue: 1))
    page.open(QueryRequest(sort: [("price", true)]), &engine, at: now)
    whole.measure {
      first.measure { while page.deliveries == 0 { page.take(engine.advance(to: now), &engine, at: now) } }
      while !page.isSettled(&engine, at: now) {}
    }
    let withView = try residentBytes()
    try emit([
      "engine": "rowcast", "w": "W1", "rows": rows, "seconds": seconds, "rows_per_s": Int(Double(rows) / seconds),
      "apply_s": applies.total, "apply_rows_per_s": Int(Double(rows) / applies.total), "turn_ms": applies.milliseconds,
      "rss_per_row": Double(after - before) / Double(rows), "first_sorted_view_ms": first.total * 1000,
      "whole_sorted_view_ms": whole.total * 1000,
      "rss_per_row_sorted_view": Double(withView - after) / Double(rows),
    ])
  }
}

/// Hands events from the plugin's thread to ours; the plugin waits while eight of them wait.
private final class Line: @unchecked Sendable {
  private let condition = NSCondition()
  private var events: [SourceEvent] = []
  private var isClosed = false

  func put(_ event: SourceEvent) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while events.count >= 8 && !isClosed { condition.wait() }
    events.append(event)
    condition.broadcast()
    return !isClosed
  }

  func take() -> SourceEvent {
    condition.lock()
    defer { condition.unlock() }
    while events.isEmpty { condition.wait() }
    condition.broadcast()
    return events.removeFirst()
  }

  func close() {
    condition.lock()
    isClosed = true
    events = []
    condition.broadcast()
    condition.unlock()
  }
}
