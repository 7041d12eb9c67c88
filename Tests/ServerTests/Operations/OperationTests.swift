import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests of the paths for monitoring systems.
@Suite struct OperationTests {
  private let keeper = AccessToken(role: .operator)

  /// Returns the metrics by name and labels.
  private func figures(_ server: RunningServer, headers: [String] = []) throws -> [String: Double] {
    let answer = try #require(try HTTPAnswer.get("/metrics", port: server.port, headers: headers))
    #expect(answer.status == 200)
    #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(text.hasSuffix("\n"))
    var figures: [String: Double] = [:]
    var typed: Set<String> = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
      if line.hasPrefix("# TYPE ") {
        #expect(typed.insert(String(line.split(separator: " ")[2])).inserted, "\(line) is there twice")
        continue
      }
      if line.hasPrefix("# HELP ") { continue }
      let space = try #require(line.lastIndex(of: " "), "\(line)")
      let name = String(line[..<space])
      #expect(figures[name] == nil, "\(name) is there twice")
      figures[name] = Double(line[line.index(after: space)...])
      #expect(figures[name] != nil, "\(line)")
      var family = String(name.prefix { $0 != "{" })
      if !typed.contains(family), let end = ["_bucket", "_sum", "_count"].first(where: family.hasSuffix) {
        family.removeLast(end.count)
      }
      #expect(typed.contains(family), "\(line) has no type")
    }
    // OpenMetrics names a counter without its suffix `_total`.
    for counter in typed where counter.hasSuffix("_total") {
      #expect(!typed.contains(String(counter.dropLast("_total".count))), "\(counter) is two things to some who read it")
    }
    return figures
  }

  @Test func `serves the health check without a token`() throws {
    let server = try RunningServer { $0.tokens = [keeper] }
    let answer = try #require(try HTTPAnswer.get("/healthz", port: server.port))
    #expect(answer.status == 200)
    #expect(answer.body == Array("ok\n".utf8))
    #expect(try HTTPAnswer.get("/healthz", port: server.port, method: "HEAD")?.body == [])
    #expect(try HTTPAnswer.get("/healthz", port: server.port, method: "POST")?.status == 405)
  }

  @Test func `a node with an obstacle is healthy but not ready`() throws {
    let server = try RunningServer {
      $0.tokens = [keeper]
      $0.obstacle = { "the tables are not whole yet: 1 of 2" }
    }
    #expect(try HTTPAnswer.get("/healthz", port: server.port)?.status == 200)
    let answer = try #require(try HTTPAnswer.get("/readyz", port: server.port))
    #expect(answer.status == 503)
    #expect(answer.body == Array("the tables are not whole yet: 1 of 2\n".utf8))
  }

  @Test func `a node without an obstacle is ready`() throws {
    let server = try RunningServer { $0.tokens = [keeper] }
    #expect(try HTTPAnswer.get("/readyz", port: server.port)?.status == 200)
  }

  @Test func `metrics of other parts are served`() throws {
    let server = try RunningServer {
      $0.tokens = [keeper]
      $0.otherMetrics = {
        [
          OtherMetric(
            "rowcast_cluster_lease", help: "Whether.",
            samples: [([("table", "a"), ("keys", "m..")], 1), ([("table", "b\"")], 0)])
        ]
      }
    }
    let figures = try figures(server, headers: ["Authorization: Bearer \(keeper.text)"])
    #expect(figures[#"rowcast_cluster_lease{table="a",keys="m.."}"#] == 1)
    #expect(figures[#"rowcast_cluster_lease{table="b\""}"#] == 0)
  }

  @Test func `refuses metrics without a token and counts the refusal`() throws {
    let server = try RunningServer { $0.tokens = [keeper] }
    #expect(try HTTPAnswer.get("/metrics", port: server.port)?.status == 401)
    let before = try figures(server, headers: ["Authorization: Bearer \(keeper.text)"])
    #expect(before["rowcast_refusals_total{status=\"401\"}"] == 1)
  }

  @Test func `counts sessions, patches, messages, flushes and restarts`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.addNumbers(100)
    let one = try WebSocketClient.open("numbers", port: server.port)
    let other = try WebSocketClient.open("numbers", port: server.port)
    for client in [one, other] { client.send(#"{"type":"ack","seq":1}"#) }
    var changes = RunningServer.rows(0..<5, name: "new")
    changes.upsert(.integer(7), [.text("no number"), .text("x")])
    inlet.report(.changes(changes))
    for client in [one, other] { _ = try client.message("patch") }
    one.send(#"{"type":"resync","seq":2,"reason":"digest"}"#)
    _ = try one.message("window")
    let figures = try figures(server)
    #expect(figures["rowcast_sessions"] == 2)
    #expect(figures["rowcast_sessions_begun_total"] == 2)
    #expect(try #require(figures["rowcast_patches_total"]) >= 5)
    #expect(try #require(figures["rowcast_messages_sent_total"]) >= 7)
    #expect(try #require(figures["rowcast_messages_received_total"]) >= 7)
    #expect(try #require(figures["rowcast_sent_bytes_total"]) > 1_000)
    #expect(try #require(figures["rowcast_encoded_total{kind=\"row\"}"]) >= 15)
    #expect(try #require(figures["rowcast_shared_total{kind=\"row\"}"]) >= 10)
    #expect(try #require(figures["rowcast_throttle_changes_total"]) >= 2)
    #expect(try #require(figures["rowcast_flushes_total{kind=\"throttled\"}"]) >= 2)
    #expect(try #require(figures["rowcast_flushes_total{kind=\"direct\"}"]) >= 3)
    #expect(try #require(figures["rowcast_throttle_coalescing_ratio"]) >= 1)
    #expect(figures["rowcast_resyncs_total"] == 1)
    #expect(figures["rowcast_source_rows{table=\"numbers\"}"] == 100)
    #expect(figures["rowcast_source_rejected_total{table=\"numbers\"}"] == 1)
    #expect(figures["rowcast_source_changes_total{source=\"numbers\"}"] == 106)
    #expect(figures["rowcast_source_restarts_total{source=\"numbers\"}"] == 0)
    #expect(figures["rowcast_source_state{table=\"numbers\",state=\"live\"}"] == 1)
    #expect(figures["rowcast_source_state{table=\"numbers\",state=\"failed\"}"] == 0)
    let flushes = try #require(figures["rowcast_flush_seconds_count"])
    #expect(flushes == figures["rowcast_patches_total"] || flushes + 1 == figures["rowcast_patches_total"])
    #expect(figures["rowcast_flush_seconds_bucket{le=\"+Inf\"}"] == flushes)
    #expect(try #require(figures["rowcast_turn_seconds_count"]) > 0)
    #expect(figures["rowcast_prefetch_total{table=\"numbers\",kind=\"hit\"}"] == 0)
    inlet.report(.schema(RunningServer.schema))
    inlet.report(.state(.stale, message: "gone"))
    try until { try self.figures(server)["rowcast_source_state{table=\"numbers\",state=\"stale\"}"] == 1 }
    #expect(try self.figures(server)["rowcast_source_restarts_total{source=\"numbers\"}"] == 1)
  }

  @Test func `reports the state of a source until it has a table`() throws {
    let server = try RunningServer()
    let jobs = server.control.addSource("jobs")
    let name = "rowcast_source_without_table{source=\"jobs\",state=\"starting\"}"
    try until { try figures(server)[name] == 1 }
    var schema = RunningServer.schema
    schema.name = "jobs"
    jobs.report(.schema(schema))
    try until { try figures(server)[name] == nil }
    #expect(try figures(server)["rowcast_source_rows{table=\"jobs\"}"] == 0)
  }

  @Test func `counts section headers as made or reused`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    _ = server.addNumbers(100)
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    client.send(
      #"{"type":"query","request":2,"query":{"group":["n"]},"viewport":{"first":0,"count":10,"ahead":0,"behind":0}}"#)
    let window = try client.message("window")
    let sequence = try #require(window["seq"] as? Int)
    client.send(#"{"type":"ack","seq":\#(sequence)}"#)
    client.send(#"{"type":"viewport","seq":\#(sequence),"first":40,"count":10,"ahead":0,"behind":0}"#)
    _ = try client.message("patch")
    let figures = try figures(server)
    #expect(try #require(figures["rowcast_headers_total{kind=\"made\"}"]) >= 5)
    #expect(try #require(figures["rowcast_headers_total{kind=\"reused\"}"]) >= 4)
  }

  @Test func `escapes table names in metrics`() throws {
    let server = try RunningServer()
    let name = "a\"} 1\nrowcast_sessions 99\n\\"
    _ = server.addNumbers(3, name: name)
    try until { try figures(server).keys.contains { $0.hasPrefix("rowcast_source_rows{") } }
    #expect(try figures(server)["rowcast_sessions"] == 0)
    #expect(try figures(server)["rowcast_source_rows{table=\"a\\\"} 1\\nrowcast_sessions 99\\n\\\\\"}"] == 3)
  }

  @Test func `a histogram counts a duration in the lowest fitting bucket`() {
    var histogram = Histogram()
    for nanoseconds: Int64 in [0, 100_000, 100_001, 250_000, 10_000_000_000, 10_000_000_001, -5] {
      histogram.record(.nanoseconds(nanoseconds))
    }
    #expect(histogram.counts.prefix(3) == [3, 2, 0])
    #expect(histogram.counts.suffix(2) == [1, 1])
    #expect(histogram.count == 7)
    #expect(histogram.sum == 20_000_450_002)
    var text = MetricsText()
    text.histogram("x", "Help.", histogram)
    #expect(
      text.text.hasPrefix("# HELP x Help.\n# TYPE x histogram\nx_bucket{le=\"0.0001\"} 3\nx_bucket{le=\"0.00025\"} 5\n")
    )
    #expect(text.text.hasSuffix("x_bucket{le=\"10.0\"} 6\nx_bucket{le=\"+Inf\"} 7\nx_sum 20.000450002\nx_count 7\n"))
  }
}
