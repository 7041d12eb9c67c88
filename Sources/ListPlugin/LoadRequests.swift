import CListPlugin
import Dispatch
import Synchronization

/// A queue of pending loads, of cells or images, with a limit on concurrent ones.
final class LoadRequests<Request: Sendable>: Sendable {
  /// Loads a value and returns a closure that sends the answer.
  ///
  /// The closure is called only if the request was not cancelled. Loads run concurrently.
  typealias Perform = @Sendable (Request, _ isCancelled: @escaping @Sendable () -> Bool) -> () -> Void

  private struct State {
    var waiting: [Request] = []
    /// Running loads by a unique number, because a cell may be requested again while its cancelled
    /// load still runs.
    var running: [UInt64: Request] = [:]
    var cancelled: Set<UInt64> = []
    var number: UInt64 = 0
    var isClosed = false
  }

  private let limit: Int
  private let perform: Perform
  private let state = Mutex(State())
  private let group = DispatchGroup()

  /// Creates a queue that runs at most this many loads at once, up to 64.
  init(inFlight: Int, perform: @escaping Perform) {
    limit = min(max(1, inFlight), 64)
    self.perform = perform
  }

  func load(_ requests: [Request]) {
    state.withLock { $0.waiting += requests }
    fill()
  }

  func cancel(where isGone: (Request) -> Bool) {
    state.withLock { state in
      state.waiting.removeAll(where: isGone)
      for (number, request) in state.running where isGone(request) { state.cancelled.insert(number) }
    }
  }

  /// Drops waiting loads, cancels running ones and waits until they have ended.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting = []
      state.cancelled.formUnion(state.running.keys)
    }
    group.wait()
  }

  /// Starts waiting loads up to the limit.
  private func fill() {
    while let (number, request) = state.withLock({ state -> (UInt64, Request)? in
      guard !state.isClosed, !state.waiting.isEmpty, state.running.count < limit else { return nil }
      state.number += 1
      let request = state.waiting.removeFirst()
      state.running[state.number] = request
      group.enter()
      return (state.number, request)
    }) {
      DispatchQueue.global().async { [self] in
        let answer = perform(request) { [self] in state.withLock { $0.cancelled.contains(number) } }
        let isWanted = state.withLock { state in
          state.running[number] = nil
          return state.cancelled.remove(number) == nil
        }
        // A cancelled load does not answer: if the cell was requested again, the newer load does.
        if isWanted { answer() }
        fill()
        group.leave()
      }
    }
  }
}
