import CWebSockets
import Foundation
import Testing
import Wire

@testable import ListEngine
@testable import Server

/// Tests that the limits stated in the documents are in force.
@Suite struct BoundsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  private func expect(_ document: String, _ said: [(String, Bool)]) throws {
    let text = try String(contentsOf: Self.root.appending(path: "docs/\(document)"), encoding: .utf8)
    // Line breaks are irrelevant.
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for (words_, isSo) in said {
      #expect(words.contains(words_), "\(document) does not say “\(words_)”")
      #expect(isSo, "\(document): “\(words_)” is not so")
    }
  }

  private let configuration = ServerConfiguration()
  private let limits = Limits()

  @Test func `the operating manual states the limits in force`() throws {
    let arena = ContextArena(.loopback, certificate: nil, socketPath: nil)
    let loop = EventLoop()
    defer {
      loop.drain()
      loop.close()
    }
    let info = arena.contextInfo(loop: loop.handle, user: arena.context)
    try expect(
      "operating.md",
      [
        ("| connections of one address beyond this machine | 100 |", configuration.connectionsPerAddress == 100),
        (
          "| incomplete requests | 200. Beyond that, those that have sent nothing for 250 ms are closed, the oldest first. |",
          Connections.greatestCount == 200 && Connections.patience == .milliseconds(250)
            && info.max_http_header_pool == 256
        ),
        (
          "| head and duration of a request | 16,384 bytes (431 beyond), 5 s;",
          RequestGuard.greatestHead == 16_384 && info.max_http_header_data == 32_768 && info.timeout_secs == 5
        ),
        ("For the page's own files up to 100,", Connections.greatestRequestCount == 100),
        (
          "| size of a client message | 65,536 bytes in 64 frames |",
          ClientMessage.greatestByteCount == 65_536 && MessageAssembly.greatestFrameCount == 64
        ),
        (
          "| client messages (a `query` counts as one more for every 65,536 rows of its table, but at most as 20) |",
          Server.rowsPerMessage == 65_536 && Server.greatestQueryCost == 20
        ),
        (
          "| open pages | 10,000, and 5,000 of one token where there are several (`--sessions-per-token`).",
          configuration.sessionLimit == 10_000 && ServerConfiguration.standardSessionShare == 5_000
        ),
        (
          "or when it takes longer than an hour (`--export-time`). After a minute, it is also cancelled "
            + "when the client reads fewer than 4,096 bytes a second (`--export-rate`).",
          configuration.exportPace.longest == .seconds(3_600) && configuration.exportPace.grace == .seconds(60)
            && configuration.exportPace.leastRate == 4_096
        ),
        (
          "200 a second, 400 in a burst. Then the server stops reading for half a second, "
            + "and after 20 such pauses closes the connection. |",
          configuration.messageRate == 200 && configuration.messageBurst == 400
            && configuration.messagePause == .milliseconds(500) && MessageRate.greatestPauses == 20
        ),
        (
          "256, and 4,096 MiB for their order. A further one is refused with `tooManyViews`",
          limits.views == 256 && limits.viewBytes == 4_096 << 20
        ),
        ("the clients of one may use half of them, 128.", limits.viewsPerOwner == 128),
        ("| 2,048 MiB in all.", limits.windowBytes == 2_048 << 20),
        ("| 65,536 rows a table, or as much work:", limits.stepRows == 65_536),
        ("| 2,048 rows a turn, or as much work;", limits.turnRows == 2_048),
        ("is more than 4,096 changes behind for 32 turns", limits.backlog == 4_096 && ViewSet.patientTurns == 32),
        ("| time until `hello` | 10 s |", configuration.helloTimeout == .seconds(10)),
        (
          "| a page that disappears without closing | noticed within 16 s |",
          configuration.patience.silence + configuration.patience.answer <= .seconds(14)
        ),
        (
          "| new connections | 4,000 a second, and 10,000 in a burst.",
          configuration.acceptRate == 4_000 && configuration.acceptBurst == 10_000
        ),
        (
          "the process's limit, less a reserve of 128 and 16 a source (at most a quarter of a small limit for each) |",
          FileLimit.greatestDescriptor(of: 1_024, sources: 0) == 896
            && FileLimit.greatestDescriptor(of: 1_024, sources: 3) == 848
            && FileLimit.greatestDescriptor(of: 512, sources: 0) == 384
            && FileLimit.greatestDescriptor(of: 508, sources: 100) == 254
        ),
        ("good once within two minutes;", LoginCodes.lifetime == 120_000),
        (
          "1,000 codes of one token and 100 from one client address within two minutes",
          LoginCodes.greatestCount == 1_000 && LoginCodes.greatestCountPerClient == 100
        ),
        (
          "with tokens of 43 to 200 letters, digits, `-` and `_`;",
          AccessToken.leastLength == 43 && AccessToken.greatestLength == 200
        ),
        (
          "Wrong tokens are answered ten times a second per address",
          FailureLimiter.rate == 10 && FailureLimiter.burst == 10 && FailureLimiter.greatestCount == 4_096
        ),
        (
          "At most eight exports run at the same time (503 beyond), four of them with one token where there are several "
            + "(`--exports-per-token`). An export is cancelled when its client reads nothing for 15 s,",
          Server.greatestExportCount == 8 && ServerConfiguration.standardExportShare == 4
            && Server.exportPatience == 15
        ),
        ("a field has at most 4,096 bytes.", LogText.greatestByteCount == 4_096),
        ("A source writes a hundred lines a second at most,", SourceLog.rate == 100),
      ])
  }

  @Test func `the protocol document states the limits in force`() throws {
    try expect(
      "protocol.md",
      [
        (
          "A client may send 200 messages a second, and 400 in a burst.",
          configuration.messageRate == 200 && configuration.messageBurst == 400
        ),
        (
          "A `query` counts as one message more for every 65,536 rows of its table, but at most as 20.",
          Server.rowsPerMessage == 65_536 && Server.greatestQueryCost == 20
        ),
        (
          "The server stops reading for half a second from a client that exceeds the rate. "
            + "After twenty such pauses it closes the socket with 1008.",
          configuration.messagePause == .milliseconds(500) && MessageRate.greatestPauses == 20
        ),
        (
          "A client has ten seconds to send `hello`.",
          configuration.helloTimeout == .seconds(10)
        ),
        (
          "that has sent nothing for 9 s gets a ping, and is disconnected when it sends nothing for another 5 s.",
          configuration.patience == Keepalive.Patience(silence: .seconds(9), answer: .seconds(5))
        ),
        ("in milliseconds, 0 to 60,000; left out: the server's (300).", limits.interval == .milliseconds(300)),
        (
          "The server keeps windows of lost connections (for a minute, of the last 1,000 sessions).",
          limits.parkedTime == .seconds(60) && limits.parkedSessions == 1_000
        ),
        ("by itself 30 s after it was last requested", limits.hold == .seconds(30)),
        (
          "the client waits for 16 answers already, or the source for 64",
          ActionBook.greatestForSession == 16 && ActionBook.greatestForTable == 64
        ),
        ("The server remembers the last 64 answers of a session,", ActionBook.remembered == 64),
        ("and the number of samples (at most 1,024);", SourceDelays.greatestSamples == 1_024),
        (
          "Other types are never sent. An image has at most 524,288 bytes.",
          ImageRequests.greatestByteCount == 524_288
        ),
        ("or the key has more than 1,024 bytes |", ImageRequests.greatestKey == 1_024),
        (
          "or is loading 64 images already | | 504 | the source has not answered within 10 s |",
          ImageRequests.greatestForTable == 64 && ImageRequests.patience == .seconds(10)
        ),
        ("(30 s, unless it declares another)", Action("a").patience == .seconds(30)),
      ])
  }
}
