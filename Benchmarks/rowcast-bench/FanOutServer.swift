import Foundation
import ListEngine
import Logging
import Quotes
import Server

/// Serves `quotes` to viewers and makes the batches of W4: 100 updates each, with the time at which
/// they are pushed.
///
/// The protocol is line-based. It writes READY with its port, reads GO, reads MARK at the end of
/// the warm-up, writes its measurements, and reads END.
struct FanOutServer {
  let rows: Int
  let viewers: Int
  let hz: Double
  let batch: Int
  let seconds: Double

  static let warmth = 3.0

  /// The times of a batch: the one stored in its rows, and the monotonic times of its push and its
  /// due time.
  struct Batch: Codable {
    var milliseconds: Int64
    var handedOver: Int64
    var due: Int64
  }

  /// The final report.
  struct Report: Codable {
    var seconds: Double
    var cpuSeconds: Double
    /// The part of the CPU time used by the thread that makes the batches.
    var sourceSeconds: Double
    var firstMeasured: Int
    var batches: [Batch]
    var resident: Int
    var residentAtFirst: Int
  }

  func run() throws {
    var configuration = ServerConfiguration()
    configuration.sessionLimit = viewers + 16
    configuration.acceptRate = 1_000_000
    configuration.acceptBurst = 1_000_000
    configuration.logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    FileLimit.raise(forClients: viewers)
    let server = try Server(configuration)
    let inlet = server.control.addSource("quotes")
    let (control, port, work) = (server.control, server.port, self)
    Thread.detachNewThread {
      do { try work.drive(inlet, port: port) } catch { fatalError("\(error)") }
      control.stop()
    }
    server.run()
  }

  private func drive(_ inlet: SourceInlet, port: Int) throws {
    let quotes = Quotes()
    inlet.report(.schema(QuotesTable.schema))
    for start in stride(from: 0, to: rows, by: 10_000) {
      inlet.report(.changes(QuotesTable.rows(start..<min(start + 10_000, rows), of: quotes)))
    }
    inlet.report(.state(.live, message: ""))
    let residentAtFirst = try residentBytes()
    say("READY \(port)")
    guard readLine() == "GO" else { return }

    var report = Report(
      seconds: 0, cpuSeconds: 0, sourceSeconds: 0, firstMeasured: 0, batches: [], resident: 0,
      residentAtFirst: residentAtFirst)
    let start = Self.now
    var base: (at: Int64, cpu: Double, thread: Double)?
    var last: Int64 = 0
    while true {
      let due = start + Int64(Double(report.batches.count) / hz * 1e9)
      while Self.now < due { usleep(UInt32(max(1, (due - Self.now) / 1_000))) }
      if base == nil, Double(Self.now - start) / 1e9 >= Self.warmth {
        base = (Self.now, Self.processSeconds, threadSeconds())
        report.firstMeasured = report.batches.count
        say("MARK")
      }
      if Double(Self.now - start) / 1e9 >= Self.warmth + seconds { break }
      var wall = timespec()
      clock_gettime(CLOCK_REALTIME, &wall)
      last = max(last + 1, Int64(wall.tv_sec) * 1_000 + Int64(wall.tv_nsec) / 1_000_000)
      let counter = report.batches.count * batch
      let changes = QuotesTable.stamped(counter..<counter + batch, of: quotes, rows: rows, milliseconds: last)
      report.batches.append(Batch(milliseconds: last, handedOver: Self.now, due: due))
      inlet.report(.changes(changes))
    }
    guard let base else { return }
    report.seconds = Double(Self.now - base.at) / 1e9
    report.cpuSeconds = Self.processSeconds - base.cpu
    report.sourceSeconds = threadSeconds() - base.thread
    report.resident = try residentBytes()
    say(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    _ = readLine()
  }

  private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// The monotonic clock, which the viewers also use.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static var processSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension QuotesTable {
  /// Returns the updates with these counters, all with the same time.
  static func stamped(_ counters: Range<Int>, of quotes: Quotes, rows: Int, milliseconds: Int64) -> Changeset {
    var changes = Changeset()
    for counter in counters {
      let update = quotes.update(counter, of: rows)
      changes.beginRow(.update, key: Int64(update.id))
      for _ in 0..<3 { changes.appendUnchanged() }
      changes.append(number: update.price)
      changes.append(integer: Int64(update.size))
      changes.append(number: update.bid)
      changes.append(number: update.ask)
      changes.append(timestamp: milliseconds * 1_000_000)
      for _ in 0..<2 { changes.appendUnchanged() }
    }
    return changes
  }
}
