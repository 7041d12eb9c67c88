import Foundation
import ListEngine
import Testing
import Threads

@testable import Server

/// Tests that events count with their real size, so that a few large ones fill the mailbox.
@Suite struct SourceInletTests {
  private static let big = String(repeating: "x", count: 600_000)

  private static let events: [SourceEvent] = [
    .page(BlockRequestID(rawValue: 1), RowBlock([(key: .integer(1), cells: [.text(big)])], hasMore: false)),
    .page(BlockRequestID(rawValue: 1), RowBlock([(key: .text(big), cells: [.null])], hasMore: false)),
    .sections(BlockRequestID(rawValue: 1), [SectionCount([.text(big)], count: 1)]),
    .loaded(.integer(1), column: 0, .text(big)),
    .loaded(.integer(1), column: 0, .series([Double](repeating: 1, count: 75_000))),
    .notLoaded(.integer(1), column: 0, reason: big), .pageFailed(BlockRequestID(rawValue: 1), reason: big),
    .state(.live, message: big), .acted(1, .done(big)), .acted(1, .failed(.failed, big)), .image(1, .failed(big)),
    .image(1, .bytes([UInt8](repeating: 0, count: 600_000))),
  ]

  @Test(arguments: events.indices) func `a second large event waits for room`(index: Int) throws {
    let inlet = SourceInlet(name: "x", rowLimit: 1_000, byteLimit: 1 << 20, onMail: {})
    #expect(inlet.report(Self.events[index]))
    let event = Self.events[index]
    Thread.detachNewThread { inlet.report(event) }
    let deadline = RawSocket.now() + RawSocket.patience
    while inlet.mailbox.waitingProducers == 0, RawSocket.now() < deadline { sched_yield() }
    #expect(inlet.mailbox.waitingProducers == 1)
    #expect(inlet.mailbox.take(rows: 1).count == 1)
    while inlet.mailbox.waitingProducers > 0, RawSocket.now() < deadline { sched_yield() }
    #expect(inlet.mailbox.take(rows: 1).count == 1)
  }

  /// Each access to a closure in a generic container once wrapped it in another function, until the
  /// stack was full.
  @Test func `200,000 requests do not overflow the stack`() {
    let inlet = SourceInlet(name: "x", rowLimit: 1_000, byteLimit: 1 << 20, onMail: {})
    let count = Guarded(0)
    inlet.listen { _ in count.withLock { $0 += 1 } }
    for _ in 0..<200_000 { #expect(inlet.ask(.cancelImages([]))) }
    #expect(count.withLock { $0 } == 200_000)
  }
}
