import ListEngine

/// The images that a publisher loads for relays.
struct RelayedImageQueue {
  /// The decision about a request.
  enum Verdict: Equatable {
    /// Ask the source with this number.
    case load(UInt64)
    case refuse(ImageOutcome)
    case ignore
  }

  private struct Name: Hashable {
    var node: String
    var number: UInt64
  }

  private struct Pending {
    var name: Name
    var reply: String
    var expires: Int64
  }

  /// The maximum number of images that load for relays, as for the clients of one server.
  static let greatestPending = 64
  /// The greatest size of a key, in bytes.
  static let greatestKey = 1_024

  private var last = RelayedActionQueue.firstNumber
  private var pending: [UInt64: Pending] = [:]

  /// Takes a request.
  mutating func begin(_ call: ImageCall, key: String, reply: String, at now: Int64) -> Verdict {
    let name = Name(node: call.node, number: call.number)
    guard now < call.expires, !pending.values.contains(where: { $0.name == name }) else { return .ignore }
    guard !key.isEmpty, key.utf8.count <= Self.greatestKey else { return .refuse(.none) }
    pending = pending.filter { $0.value.expires > now }
    guard pending.count < Self.greatestPending else {
      return .refuse(.failed("\(Self.greatestPending) images of this table are loading for relays; try again later"))
    }
    last += 1
    pending[last] = Pending(name: name, reply: reply, expires: call.expires)
    return .load(last)
  }

  /// Removes a request of a relay; returns its number at the source, or `nil` if it is unknown.
  mutating func cancel(_ call: ImageCall) -> UInt64? {
    let name = Name(node: call.node, number: call.number)
    guard let number = pending.first(where: { $0.value.name == name })?.key else { return nil }
    pending[number] = nil
    return number
  }

  /// Ends a request; returns the subject for its answer, or `nil` if it is unknown.
  mutating func finish(_ number: UInt64) -> String? { pending.removeValue(forKey: number)?.reply }
}
