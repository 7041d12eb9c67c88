import ListEngine

/// The state of a split table: that of the part which is worst, with the reasons.
struct PartStates {
  /// One reason why the table is not simply live.
  struct Problem: Equatable {
    var state: SourceState
    var message: String
  }

  /// The number of reasons in a message.
  static let named = 3
  private var problems: [Problem] = []

  mutating func add(_ state: SourceState, _ message: String) {
    problems.append(Problem(state: state, message: message))
  }

  /// Adds the state of a part, unless it is live.
  mutating func add(_ state: SourceState, _ message: String, of range: KeyRange) {
    guard state != .live else { return }
    add(state, "the keys \(range): \(message.isEmpty ? state.rawValue : message)")
  }

  /// The combined state.
  var combined: Problem {
    guard let worst = problems.map(\.state).max(by: { $0.gravity < $1.gravity }) else {
      return Problem(state: .live, message: "")
    }
    let sorted = problems.filter { $0.state == worst } + problems.filter { $0.state != worst }
    let rest = sorted.count - Self.named
    let text = sorted.prefix(Self.named).map(\.message).joined(separator: "; ")
    return Problem(state: worst, message: text + (rest > 0 ? "; and \(rest) more" : ""))
  }
}

extension SourceState {
  /// The order in which states outweigh others.
  fileprivate var gravity: Int {
    switch self {
    case .live: 0
    case .starting: 1
    case .disabled: 2
    case .backingOff: 3
    case .stale: 4
    case .failed: 5
    }
  }
}
