import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Server

@Suite struct MailboxTests {
  private func box(rows: Int, bytes: Int = 1_000) -> Mailbox<Int> {
    Mailbox(rowLimit: rows, byteLimit: bytes, onMail: {})
  }

  /// Waits until this number of producers wait for room.
  private func wait(for count: Int, in box: Mailbox<Int>) {
    let deadline = RawSocket.now() + RawSocket.patience
    while box.waitingProducers < count, RawSocket.now() < deadline { sched_yield() }
    #expect(box.waitingProducers == count)
  }

  @Test func `returns values in the order of their arrival`() {
    let box = box(rows: 10)
    for n in 1...5 { #expect(box.put(n, rows: 1, bytes: 1)) }
    #expect(box.take(rows: 2) == [1, 2])
    #expect(box.hasMail)
    #expect(box.take(rows: 100) == [3, 4, 5])
    #expect(!box.hasMail)
    #expect(box.take(rows: 100) == [])
  }

  @Test func `takes values up to the row budget, and at least one`() {
    let box = box(rows: 100)
    for n in 1...4 { #expect(box.put(n, rows: 10, bytes: 1)) }
    #expect(box.take(rows: 19) == [1])
    #expect(box.take(rows: 20) == [2, 3])
    #expect(box.take(rows: 1) == [4], "at least one, or a large one would never go")
  }

  @Test func `releases taken values at once, even if it is never empty`() {
    let kept = Atomic(0)
    final class Letter: Sendable {
      let note: @Sendable (Int) -> Void
      init(_ note: @escaping @Sendable (Int) -> Void) {
        self.note = note
        note(1)
      }
      deinit { note(-1) }
    }
    let box = Mailbox<Letter>(rowLimit: 10, byteLimit: 10, onMail: {})
    func put() -> Bool { box.put(Letter { kept.add($0, ordering: .relaxed) }, rows: 1, bytes: 1) }
    #expect(put())
    for _ in 1...1_000 {
      #expect(put())
      #expect(box.take(rows: 1).count == 1)
      #expect(kept.load(ordering: .relaxed) == 1, "the one that waits, and none that was taken")
    }
  }

  @Test func `notifies its owner only when it was empty before`() {
    let calls = Atomic(0)
    let box = Mailbox<Int>(rowLimit: 10, byteLimit: 10) { calls.add(1, ordering: .relaxed) }
    for n in 1...3 { _ = box.put(n, rows: 1, bytes: 1) }
    #expect(calls.load(ordering: .relaxed) == 1)
    _ = box.take(rows: 2)
    _ = box.put(4, rows: 1, bytes: 1)
    #expect(calls.load(ordering: .relaxed) == 1, "it was not empty")
    _ = box.take(rows: 10)
    _ = box.put(5, rows: 1, bytes: 1)
    #expect(calls.load(ordering: .relaxed) == 2)
  }

  @Test(arguments: [(rows: 6, bytes: 1), (rows: 1, bytes: 600)])
  func `blocks a producer beyond the row or byte limit`(_ size: (rows: Int, bytes: Int)) {
    let box = box(rows: 10, bytes: 1_000)
    let ended = DispatchSemaphore(value: 0)
    #expect(box.put(1, rows: size.rows, bytes: size.bytes))
    Thread.detachNewThread {
      _ = box.put(2, rows: size.rows, bytes: size.bytes)
      ended.signal()
    }
    wait(for: 1, in: box)
    #expect(box.take(rows: 100) == [1])
    #expect(ended.wait(timeout: .now() + RawSocket.patience) == .success)
    #expect(box.take(rows: 100) == [2])
  }

  @Test(arguments: [(rows: 5, bytes: 1), (rows: 1, bytes: 500)])
  func `does not block a producer that exactly reaches a limit`(_ size: (rows: Int, bytes: Int)) {
    let box = box(rows: 10, bytes: 1_000)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for n in 1...2 { _ = box.put(n, rows: size.rows, bytes: size.bytes) }
      ended.signal()
    }
    #expect(ended.wait(timeout: .now() + RawSocket.patience) == .success)
    #expect(box.take(rows: 100) == [1, 2])
  }

  @Test func `accepts a value larger than its limits when it is empty`() {
    let box = box(rows: 10)
    #expect(box.put(1, rows: 1_000, bytes: 100_000))
    #expect(box.take(rows: 1) == [1])
  }

  @Test func `closing unblocks all producers and drops the values`() {
    let box = box(rows: 1)
    let ended = DispatchSemaphore(value: 0)
    #expect(box.put(0, rows: 1, bytes: 1))
    for n in 1...3 {
      Thread.detachNewThread {
        if !box.put(n, rows: 1, bytes: 1) { ended.signal() }
      }
    }
    wait(for: 3, in: box)
    box.close()
    for _ in 1...3 { #expect(ended.wait(timeout: .now() + RawSocket.patience) == .success) }
    #expect(!box.put(9, rows: 1, bytes: 1))
    #expect(box.take(rows: 9) == [])
  }

  @Test func `neither loses nor reorders values of several threads`() {
    let box = box(rows: 64)
    let producers = 4
    let each = 5_000
    for producer in 0..<producers {
      Thread.detachNewThread { for n in 0..<each { _ = box.put(producer * each + n, rows: 1, bytes: 1) } }
    }
    var last = [Int](repeating: -1, count: producers)
    var taken = 0
    let deadline = RawSocket.now() + 60
    while taken < producers * each, RawSocket.now() < deadline {
      for n in box.take(rows: 16) {
        #expect(last[n / each] < n % each, "out of order")
        last[n / each] = n % each
        taken += 1
      }
    }
    #expect(taken == producers * each)
  }
}
