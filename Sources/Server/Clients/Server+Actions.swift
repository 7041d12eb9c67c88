import CWebSockets
import ListEngine
import Logging
import Wire

/// Action requests from clients.
extension Server {
  /// Runs or answers a client's action request.
  ///
  /// - Throws: The error for a request that can never succeed. All other failures are sent as an
  ///   answer.
  func act(_ act: ClientMessage.Act, of client: ClientConnection) throws(ClientError) {
    let now = EventLoop.now
    let previous = act.token == client.token ? nil : act.token
    let origin = previous.map { clients.resumeTokens.session($0) } ?? client.id
    let standing =
      origin.map { clients.actions.standing(of: act.id, from: $0, isForeign: previous != nil) } ?? .forgotten
    switch standing {
    case .new: break
    case .running: return clients.actions.redirect(act.id, from: origin!, to: client.id, token: act.token)
    case .answered(let outcome): return try report(client, act, outcome)
    case .forgotten:
      return try report(
        client, act, .failed(.forgotten, "the request is too old; it is not known whether the action has run"))
    }
    let (table, action) = try find(act, of: client)
    let key = act.row.flatMap { engine.key(of: $0, shownTo: client.id) }
    let outcome: ActionOutcome
    do throws(ActionFault) {
      let arguments = try action.complete(act.arguments.map { ($0.name, $0.value) })
      if act.row != nil, key == nil {
        outcome = .failed(.rowGone, "the row is gone")
      } else if clients.actions.count(for: client.id) >= ActionBook.greatestForSession {
        outcome = .failed(.busy, "\(ActionBook.greatestForSession) actions of this client are pending; try again later")
      } else if clients.actions.count(for: table.id) >= ActionBook.greatestForTable {
        outcome = .failed(.busy, "\(ActionBook.greatestForTable) actions of this table are pending; try again later")
      } else {
        let number = clients.actions.begin(
          act.id, from: client.id, on: table.id, token: act.token, until: now.advanced(by: action.patience))
        audit("an action begins", act, of: client, key, arguments, number)
        let request = ActionRequest(id: number, action: action.name, key: key, arguments: arguments)
        if !table.source.inlet.ask(.act(request)) {
          finish(number, .failed(.sourceDown, "its source is not running"))
        }
        return loop.requestTurn()
      }
    } catch {
      outcome = .failed(.badArgument, error.reason)
    }
    audit("an action is refused", act, of: client, key, act.arguments.map { ($0.name, $0.value) }, nil, outcome)
    clients.actions.refuse(act.id, from: client.id, outcome)
    try report(client, act, outcome)
  }

  private func find(_ act: ClientMessage.Act, of client: ClientConnection) throws(ClientError) -> (ServedTable, Action)
  {
    guard let table = sources[act.table] else {
      throw .unknownTable(act.table)
    }
    guard let action = table.schema.actions.first(where: { $0.name == act.action }) else {
      throw .unknownAction(act.action)
    }
    guard action.appliesToRows == (act.row != nil) else {
      throw .unreadableMessage(
        action.appliesToRows
          ? "row is missing" : "“\(action.name)” is an action on the whole table: leave row out")
    }
    guard act.row == nil || engine.openTable(of: client.id) == table.id else {
      throw .unexpectedMessage("the table \(act.table) is not open: its rows have no ids here")
    }
    return (table, action)
  }

  private func report(_ client: ClientConnection, _ act: ClientMessage.Act, _ outcome: ActionOutcome)
    throws(ClientError)
  {
    guard client.pending.acted.count < PendingMessages.greatestActed else {
      throw .tooLong("\(PendingMessages.greatestActed) answers wait to be read")
    }
    client.send { $0.acted.append((act.id, act.token, outcome)) }
  }

  /// Ends a pending request with an outcome; does nothing if it has ended already.
  func finish(_ number: UInt64, _ outcome: ActionOutcome) {
    guard let entry = clients.actions.finish(number, outcome) else { return }
    var metadata: Logger.Metadata = ["number": "\(number)"]
    switch outcome {
    case .done(let result): metadata["result"] = "\(result)"
    case .failed(let failure, let reason):
      metadata["failure"] = "\(failure.rawValue)"
      metadata["reason"] = "\(reason)"
    }
    operations.logger.notice("an action has ended", metadata: metadata)
    guard let client = clients[entry.recipient], !client.isClosing else { return }
    // The list is bounded by the limits on pending requests and on unread answers.
    client.send { $0.acted.append((entry.id, entry.token, outcome)) }
  }

  /// Fails the requests whose deadline has passed.
  func finishOverdueActions(at now: Instant) {
    for number in clients.actions.overdue(at: now) {
      finish(
        number, .failed(.unanswered, "its source has not answered in time; it is not known whether the action has run"))
    }
  }

  /// Logs an action request with its origin and arguments.
  private func audit(
    _ what: Logger.Message, _ act: ClientMessage.Act, of client: ClientConnection, _ key: RowKey?,
    _ arguments: [(name: String, value: Cell)], _ number: UInt64?, _ outcome: ActionOutcome? = nil
  ) {
    var metadata: Logger.Metadata = [
      "table": "\(act.table)", "action": "\(act.action)", "page": "\(client.id.rawValue)",
      "role": "\(client.pass.role.rawValue)", "from": "\(address(of: client.socket))",
    ]
    if let number { metadata["number"] = "\(number)" }
    if let key { metadata["row"] = "\(key)" }
    for (name, value) in arguments { metadata["argument.\(name)"] = "\(value.plain)" }
    if case .failed(let failure, let reason)? = outcome {
      metadata["failure"] = "\(failure.rawValue)"
      metadata["reason"] = "\(reason)"
      // Nothing was done, and clients can cause any number of such lines, so use the rate-limited
      // log.
      return operations.clientLog.log(.notice, "\(what)", metadata: metadata)
    }
    operations.logger.notice(what, metadata: metadata)
  }
}

extension Cell {
  /// The value as readable text.
  fileprivate var plain: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .text(let value): value
    case .boolean(let value): "\(value)"
    case .null, .timestamp, .image, .series: ""
    }
  }
}
