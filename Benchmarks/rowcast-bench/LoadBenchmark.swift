import Foundation
import LibrarySource
import ListEngine
import ProcessSource

/// W1: the market plugin, loaded like every plugin, sends its rows to the engine.
///
/// The plugin makes and sends rows on its own thread, and the engine applies them on this one.
/// `seconds` is the time from the first row to the last one applied, including the time to make
/// them. `apply_s` is the engine's part.
struct LoadBenchmark {
  let rows: Int
  let isChild: Bool

  /// Starts the source and returns a closure that stops it.
  private func start(_ line: Line) throws -> () -> Void {
    guard !isChild else {
      // The lines are written in advance, so that only reading them is measured.
      let path = NSTemporaryDirectory() + "rowcast-quotes-\(getpid()).ndjson"
      try QuoteLines.write(rows, to: path)
      let source = ChildSource(
        ChildCommand("cat", [path]), name: "quotes", log: { _, text in print(text) }, events: { line.put($0) })
      try source.start()
      return {
        source.stop()
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let library = try PluginLibrary(path: executable.deletingLastPathComponent().path + "/libmarket.so")
    let source = PluginSource(
      library: library, name: "market", configuration: ["rows": "\(rows)", "rate": "0", "change": "false"]
    ) {
      line.put($0)
    }
    try source.start()
    return { source.stop() }
  }

  /// The CPU time of this process so far, in seconds.
  private var processorSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
  }

  func run() throws {
    let line = Line()
    var engine = Engine(epoch: "bench")
    let now = Instant(nanoseconds: 1)
    var table: TableID?
    var applies = Figures()
    let stop = try start(line)
    let before = try residentBytes()
    let clock = ContinuousClock()
    let beginning = clock.now
    let usedBefore = processorSeconds
    while engine.tables(at: now).first?.rows ?? -1 < rows {
      switch line.take() {
      case .schema(let schema): table = try engine.addTable(schema, at: now)
      case .changes(let changes):
        guard let table else { preconditionFailure("rows come before the schema") }
        applies.measure { engine.handle(.changes(table, changes), at: now) }
      case .state(let state, let message, _): precondition(state == .live, "the market is \(state): \(message)")
      case .columnsAdded, .loaded, .notLoaded, .forget, .page, .sections, .pageFailed, .sourceChanged, .image, .acted,
        .upload:
        preconditionFailure("the market has no deferred cells")
      }
    }
    let seconds = (clock.now - beginning) / .seconds(1)
    let used = processorSeconds - usedBefore
    let after = try residentBytes()
    line.close()
    stop()
    var first = Figures()
    var whole = Figures()
    var client = BenchClient(SessionID(rawValue: 1))
    client.open(QueryRequest(sort: [("price", true)]), &engine, at: now)
    whole.measure {
      first.measure { while client.deliveries == 0 { client.take(engine.advance(to: now), &engine, at: now) } }
      while !client.isSettled(&engine, at: now) {}
    }
    let withView = try residentBytes()
    try emit([
      "engine": "rowcast", "w": isChild ? "W1 child" : "W1", "rows": rows, "rows_per_cpu_s": Int(Double(rows) / used),
      "seconds": seconds, "rows_per_s": Int(Double(rows) / seconds),
      "apply_s": applies.total, "apply_rows_per_s": Int(Double(rows) / applies.total), "turn_ms": applies.milliseconds,
      "rss_per_row": Double(after - before) / Double(rows), "first_sorted_view_ms": first.total * 1000,
      "whole_sorted_view_ms": whole.total * 1000,
      "rss_per_row_sorted_view": Double(withView - after) / Double(rows),
    ])
  }
}

/// A bounded queue of events from the plugin's thread. The plugin blocks while it contains eight.
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
