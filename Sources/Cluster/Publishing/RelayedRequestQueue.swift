/// The requests of one kind, images or queries, that a publisher makes of its source for relays.
///
///     var images = RelayedRequestQueue(after: RelayedActionQueue.firstNumber, most: 64)
///     switch images.begin(name, reply: subject, expires: call.expires, at: now) { ... }
///     images.finish(number)         // the subject of the answer
struct RelayedRequestQueue {
  /// The decision about a request.
  enum Verdict: Equatable {
    /// Ask the source with this number.
    case ask(UInt64)
    /// Too many requests are pending.
    case refuse
    /// The request came twice or too late.
    case ignore
  }

  /// A relay and its number for a request.
  struct Name: Hashable {
    var node: String
    var number: UInt64
  }

  private struct Pending {
    var name: Name
    var reply: String
    var expires: Int64
  }

  /// The greatest number of pending requests.
  let most: Int
  private var last: UInt64
  private var pending: [UInt64: Pending] = [:]
  private var numbers: [Name: UInt64] = [:]

  /// Creates an empty queue; the numbers at the source begin after `last`.
  init(after last: UInt64, most: Int) { (self.last, self.most) = (last, most) }

  /// Takes a request.
  mutating func begin(_ name: Name, reply: String, expires: Int64, at now: Int64) -> Verdict {
    guard now < expires, numbers[name] == nil else { return .ignore }
    if pending.count >= most { for (number, old) in pending where old.expires <= now { remove(number, old.name) } }
    guard pending.count < most else { return .refuse }
    last += 1
    pending[last] = Pending(name: name, reply: reply, expires: expires)
    numbers[name] = last
    return .ask(last)
  }

  /// Removes a request of a relay; returns its number at the source, or `nil` if it is unknown.
  mutating func cancel(_ name: Name) -> UInt64? {
    guard let number = numbers[name] else { return nil }
    remove(number, name)
    return number
  }

  /// Ends a request; returns the subject for its answer, or `nil` if it is unknown.
  mutating func finish(_ number: UInt64) -> String? {
    guard let ended = pending[number] else { return nil }
    remove(number, ended.name)
    return ended.reply
  }

  /// Ends all requests; returns the subjects for their answers.
  mutating func removeAll() -> [String] {
    defer { (pending, numbers) = ([:], [:]) }
    return pending.values.map(\.reply)
  }

  private mutating func remove(_ number: UInt64, _ name: Name) {
    pending[number] = nil
    numbers[name] = nil
  }
}
