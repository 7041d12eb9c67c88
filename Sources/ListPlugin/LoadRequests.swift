import CListPlugin
import Dispatch
import Synchronization

/// A queue of pending loads, of cells or images, with a limit on concurrent ones.
final class LoadRequests<Wish: Sendable>: Sendable {
  /// Loads a value and returns a closure that sends the answer.
  ///
  /// The closure is called only if the request was not cancelled. Loads run concurrently.
  typealias Perform = @Sendable (Wish, _ isCancelled: @escaping @Sendable () -> Bool) -> () -> Void

  private struct State {
    var waiting: [Wish] = []
    /// Running loads by a unique number, because a cell may be requested again while its cancelled
    /// load still runs.
    var running: [UInt64: Wish] = [:]
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

  func load(_ wishes: [Wish]) {
    state.withLock { $0.waiting += wishes }
    fill()
  }

  func cancel(where isGone: (Wish) -> Bool) {
    state.withLock { state in
      state.waiting.removeAll(where: isGone)
      for (number, wish) in state.running where isGone(wish) { state.cancelled.insert(number) }
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
    while let (number, wish) = state.withLock({ state -> (UInt64, Wish)? in
      guard !state.isClosed, !state.waiting.isEmpty, state.running.count < limit else { return nil }
      state.number += 1
      let wish = state.waiting.removeFirst()
      state.running[state.number] = wish
      group.enter()
      return (state.number, wish)
    }) {
      DispatchQueue.global().async { [self] in
        let answer = perform(wish) { [self] in state.withLock { $0.cancelled.contains(number) } }
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
