import Foundation
import Quotes

/// W4: starts the server and the viewers as separate processes and combines their measurements.
struct FanOutBenchmark {
  let options: FanOut

  /// The final report of the viewers' process.
  private struct ViewersReport: Codable {
    var seconds: Double
    var cpuSeconds: Double
    var bytes: Int
    var messages: Int
    var patches: Int
    var misfits: Int
  }

  /// The final report of `lws-fanout`.
  private struct BareReport: Codable {
    var seconds: Double
    var cpuSeconds: Double
    var frames: Int
  }

  func run() throws {
    let server = try Companion(
      "rowcast-bench",
      [
        "w4-server", "--viewers", "\(options.viewers)", "--rows", "\(options.rows)", "--hz", "\(options.hz)", "--batch",
        "\(options.batch)", "--seconds", "\(options.seconds)",
      ])
    let port = try server.receive(after: "READY ")
    let (viewers, path) = try look(at: port, kind: options.same ? 1 : 0, isFixed: options.fixed)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let setup = Double(try viewers.receive(after: "READY ")) ?? 0
    server.say("GO")
    guard server.receive() == "MARK" else { throw Companion.Silence(who: "the server") }
    viewers.say("MARK")
    let report = try JSONDecoder().decode(FanOutServer.Report.self, from: Data((server.receive() ?? "").utf8))
    viewers.say("STOP")
    let seen = try JSONDecoder().decode(ViewersReport.self, from: Data((viewers.receive() ?? "").utf8))
    server.say("END")
    viewers.wait()
    server.wait()

    let viewerSamples = try FanOutSamples(path: path, viewers: options.viewers)
    let batches = report.batches.count - report.firstMeasured
    var latencies = Figures()
    var fromDue = Figures()
    let measured = report.batches[report.firstMeasured...]
    let byStamp = Dictionary(uniqueKeysWithValues: measured.map { ($0.milliseconds, $0) })
    for sample in viewerSamples.samples {
      guard let batch = byStamp[sample.milliseconds] else { continue }
      latencies.add(Double(sample.nanoseconds - batch.handedOver) / 1e9)
      fromDue.add(Double(sample.nanoseconds - batch.due) / 1e9)
    }
    let complaint = viewerSamples.complaint(
      FanOutMirror(rows: options.rows, batches: report.batches.map(\.milliseconds), of: options.batch),
      isSame: options.same)
    let patches = Double(max(1, seen.patches))
    var line: [String: Any] = [
      "engine": "rowcast", "w": "W4", "N": options.rows, "V": options.viewers, "same": options.same,
      "fixed": options.fixed, "interval": options.interval ?? -1, "hz": options.hz, "B": options.batch,
      "batches": batches, "seconds": report.seconds,
      "server_cpu_pct": 100 * report.cpuSeconds / report.seconds,
      "source_cpu_pct": 100 * report.sourceSeconds / report.seconds,
      "client_cpu_pct": 100 * seen.cpuSeconds / seen.seconds, "setup_s": setup,
      "bytes_per_viewer_and_batch": Double(seen.bytes) / Double(options.viewers * max(1, batches)),
      "bytes_per_patch": Double(seen.bytes) / patches, "patches_per_s": patches / seen.seconds,
      "server_cpu_us_per_patch": report.cpuSeconds / patches * 1e6,
      "server_rss": report.resident,
      "server_rss_per_viewer": (report.resident - report.residentAtFirst) / options.viewers,
      "latencies": latencies.seconds.count, "verify": complaint == nil,
    ]
    if !latencies.seconds.isEmpty {
      line["latency_ms"] = latencies.milliseconds
      line["latency_from_due_ms"] = fromDue.milliseconds
    }
    if let complaint { line["complaint"] = complaint }
    try emit(line)
    precondition(complaint == nil, complaint ?? "")
    guard options.bare else { return }
    // Measured with libwebsockets' own writes and with whole frames. Each is done without
    // acknowledgements, and with clients that acknowledge every frame like real ones.
    for isWhole in [false, true] {
      for isAnswered in [false, true] {
        try runBare(
          frame: Int(Double(seen.bytes) / patches), isAnswered: isAnswered, isWhole: isWhole,
          ours: report.cpuSeconds / patches, patches / seen.seconds)
      }
    }
  }

  /// Starts the viewers, which write their samples to a file at the returned path.
  private func look(at port: String, kind: Int, isFixed: Bool) throws -> (Companion, path: String) {
    let path = NSTemporaryDirectory() + "rowcast-w4-\(getpid())-\(port)"
    let words = [port, "\(options.viewers)", "\(options.interval ?? -1)", "\(kind)", isFixed ? "1" : "0", path]
    return (try Companion("viewers", words), path)
  }

  /// Sends the same number of frames of the same size with libwebsockets alone.
  private func runBare(frame: Int, isAnswered: Bool, isWhole: Bool, ours: Double, _ rate: Double) throws {
    let seconds = min(options.seconds, 5)
    let bare = try Companion("lws-fanout", ["\(options.viewers)", "\(frame)", "\(seconds)", isWhole ? "1" : "0"])
    let (viewers, path) = try look(at: try bare.receive(after: "READY "), kind: 2, isFixed: isAnswered)
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try viewers.receive(after: "READY ")
    viewers.say("MARK")
    bare.say("GO")
    let report = try JSONDecoder().decode(BareReport.self, from: Data((bare.receive() ?? "").utf8))
    viewers.say("STOP")
    _ = viewers.receive()
    viewers.wait()
    bare.say("END")
    bare.wait()
    let theirs = report.cpuSeconds / Double(max(1, report.frames))
    try emit([
      "engine": "libwebsockets", "w": "W4 bare", "V": options.viewers, "bytes_per_frame": frame, "answered": isAnswered,
      "whole": isWhole,
      "frames_per_s": Double(report.frames) / report.seconds, "cpu_pct": 100 * report.cpuSeconds / report.seconds,
      "cpu_us_per_frame": theirs * 1e6, "rowcast_patches_per_s": rate, "rowcast_cpu_us_per_patch": ours * 1e6,
      "rowcast_to_bare_rate": rate / (Double(report.frames) / report.seconds), "rowcast_to_bare_per_cpu": theirs / ours,
    ])
  }
}

/// A child process that communicates by lines on standard input and output.
final class Companion {
  /// An error: the process ended or sent an unexpected line.
  struct Silence: Error { var who: String }

  private let name: String
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest = Data()

  init(_ name: String, _ arguments: [String]) throws {
    self.name = name
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = executable.deletingLastPathComponent().appending(path: name)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func say(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

  /// Returns the next line; `nil` if the process has ended.
  func receive() -> String? {
    while true {
      if let end = rest.firstIndex(of: 10) {
        defer { rest = Data(rest[rest.index(after: end)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest += more
    }
  }

  /// Returns the rest of a line that starts with `word`.
  func receive(after word: String) throws -> String {
    guard let line = receive(), line.hasPrefix(word) else { throw Silence(who: name) }
    return String(line.dropFirst(word.count))
  }

  func wait() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
