import CListPlugin
import Dispatch
import Synchronization

/// Where the loads of a source wait for their turn, and run.
final class LoadDesk: Sendable {
  /// Where a cell stands.
  struct Place: Hashable {
    var key: Key
    var column: UInt32
  }

  private struct State {
    var waiting: [Place] = []
    /// Those under way, each by a number of its own: a cell may be asked for again while its cancelled load still runs.
    var running: [UInt64: Place] = [:]
    var cancelled: Set<UInt64> = []
    var number: UInt64 = 0
    var isClosed = false
  }

  private let loader: CellLoader
  private let columns: [String]
  private let answer: @Sendable (Place, Result<any CellValue, any Error>) -> Void
  private let state = Mutex(State())
  private let group = DispatchGroup()

  init(
    _ loader: CellLoader, columns: [String],
    answer: @escaping @Sendable (Place, Result<any CellValue, any Error>) -> Void
  ) {
    self.loader = loader
    self.columns = columns
    self.answer = answer
  }

  func load(_ places: [Place]) {
    state.withLock { $0.waiting += places }
    fill()
  }

  func cancel(_ places: [Place]) {
    let gone = Set(places)
    state.withLock { state in
      state.waiting.removeAll { gone.contains($0) }
      for (number, place) in state.running where gone.contains(place) { state.cancelled.insert(number) }
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
    while let (number, place) = state.withLock({ state -> (UInt64, Place)? in
      guard !state.isClosed, !state.waiting.isEmpty, state.running.count < min(max(1, loader.inFlight), 64) else {
        return nil
      }
      state.number += 1
      let place = state.waiting.removeFirst()
      state.running[state.number] = place
      group.enter()
      return (state.number, place)
    }) {
      DispatchQueue.global().async { [self] in
        let cell = DeferredCell(key: place.key, column: columns[Int(place.column)]) { [self] in
          state.withLock { $0.cancelled.contains(number) }
        }
        let result = Result { try loader.load(cell) }
        let isWanted = state.withLock { state in
          state.running[number] = nil
          return state.cancelled.remove(number) == nil
        }
        // Somebody may wait for it again by now; then the newer load answers.
        if isWanted { answer(place, result) }
        fill()
        group.leave()
      }
    }
  }
}
