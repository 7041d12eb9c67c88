import DequeModule
import ListEngine

/// The actions that a publisher runs for relays; each request runs at most once.
///
///     switch actions.begin(call, reply: subject, schema: schema, at: now) {
///     case .run(let request): source.send(.act(request))
///     case .refuse(let outcome): ...   // it has not run and will not
///     case .ignore: ...                // the request came twice, or another publisher answers
///     }
///     actions.finish(number)           // the subject of the answer
struct RelayedActionQueue {
  /// The decision about a request.
  enum Verdict {
    case run(ActionRequest)
    case refuse(ActionOutcome)
    case ignore
  }

  private struct Name: Hashable {
    var node: String
    var number: UInt64
  }

  private struct Pending {
    var reply: String
    var expires: Int64
  }

  /// The first number of a request here. Those of clients of the same server count from 1.
  static let firstNumber: UInt64 = 1 << 62
  /// The maximum number of pending requests.
  static let greatestPending = 64
  /// The number of requests that are remembered.
  static let remembered = 4_096

  private var last = firstNumber
  private var pending: [UInt64: Pending] = [:]
  private var known: Set<Name> = []
  private var order: Deque<Name> = []

  /// Takes a request.
  ///
  /// - Parameters:
  ///   - owns: Whether the publisher holds the table's lease now.
  ///   - now: The time in nanoseconds since 1970.
  mutating func begin(_ call: ActionCall, reply: String, schema: Schema, owns: Bool, at now: Int64) -> Verdict {
    let name = Name(node: call.node, number: call.number)
    guard !known.contains(name) else { return .ignore }
    // The owner has the request, too. A refusal here could come before its answer.
    guard owns else { return .ignore }
    guard now < call.expires else { return .refuse(.failed(.sourceDown, "the request came too late")) }
    guard let action = schema.actions.first(where: { $0.name == call.action }),
      action.appliesToRows == (call.key != nil)
    else { return .refuse(.failed(.failed, "the table has no such action")) }
    pending = pending.filter { $0.value.expires > now }
    guard pending.count < Self.greatestPending else {
      return .refuse(.failed(.busy, "\(Self.greatestPending) actions of this table are pending; try again later"))
    }
    let arguments: [(name: String, value: Cell)]
    do throws(ActionFault) {
      arguments = try action.complete(call.arguments.map { ($0.name, $0.value) })
    } catch {
      return .refuse(.failed(.badArgument, error.reason))
    }
    known.insert(name)
    order.append(name)
    if order.count > Self.remembered { known.remove(order.removeFirst()) }
    last += 1
    pending[last] = Pending(reply: reply, expires: call.expires)
    return .run(ActionRequest(id: last, action: call.action, key: call.key, arguments: arguments))
  }

  /// Ends a pending request; returns the subject for its answer, or `nil` if it is unknown.
  mutating func finish(_ number: UInt64) -> String? { pending.removeValue(forKey: number)?.reply }
}
