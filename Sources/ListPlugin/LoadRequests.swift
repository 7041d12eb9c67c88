import CListPlugin
import Dispatch
import Synchronization

/// Where what a source is to load, cells or images, waits for its turn, and runs.
final class LoadRequests<Wish: Sendable>: Sendable {
  /// Loads, and gives what answers; it is called when somebody waits for the answer still. Asked on many threads, any number at a time.
  typealias Perform = @Sendable (Wish, _ isCancelled: @escaping @Sendable () -> Bool) -> () -> Void

  private struct State {
    var waiting: [Wish] = []
    /// Those under way, each by a number of its own: a cell may be asked for again while its cancelled load still runs.
    var running: [UInt64: Wish] = [:]
    var cancelled: Set<UInt64> = []
    var number: UInt64 = 0
    var isClosed = false
  }

  private let limit: Int
  private let perform: Perform
  private let state = Mutex(State())
  private let group = DispatchGroup()

  /// One that loads so many at once; at most 64.
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

  /// Begins no more, and waits for those that are under way.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting = []
      state.cancelled.formUnion(state.running.keys)
    }
    group.wait()
  }

  /// Begins as many as there is room for.
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
        // Somebody may wait for it again by now; then the newer load answers.
        if isWanted { answer() }
        fill()
        group.leave()
      }
    }
  }
}
