import CWebSockets
import ListEngine
import Logging
import Wire

/// Action requests from clients.
extension Server {
  /// The maximum number of answers that wait for a client that does not read.
  private static let unreadAnswers = 128

  /// Runs or answers a client's action request.
  ///
  /// - Throws: The error for a request that can never succeed. All other failures are sent as an
  ///   answer.
  func act(_ act: ClientMessage.Act, of session: Session) throws(ClientError) {
    let now = EventLoop.now
    let former = act.token == session.token ? nil : act.token
    let origin = former.map { resumeTokens.session($0) } ?? session.id
    let standing = origin.map { actions.standing(of: act.id, from: $0, isForeign: former != nil) } ?? .forgotten
    switch standing {
    case .new: break
    case .running: return actions.redirect(act.id, from: origin!, to: session.id, token: act.token)
    case .answered(let outcome): return try tell(session, act, outcome)
    case .forgotten:
      return try tell(
        session, act, .failed(.forgotten, "it was asked for too long ago; whether it was done is not known"))
    }
    let (table, action) = try find(act, of: session)
    let key = act.row.flatMap { engine.key(of: $0, shownTo: session.id) }
    let outcome: ActionOutcome
    do throws(ActionFault) {
      let arguments = try action.complete(act.arguments.map { ($0.name, $0.value) })
      if act.row != nil, key == nil {
        outcome = .failed(.rowGone, "the row is gone")
      } else if actions.count(for: session.id) >= ActionBook.greatestForPage {
        outcome = .failed(.busy, "\(ActionBook.greatestForPage) wait for their answers already")
      } else if actions.count(for: table) >= ActionBook.greatestForTable {
        outcome = .failed(.busy, "the source has \(ActionBook.greatestForTable) to do already")
      } else {
        let number = actions.begin(
          act.id, from: session.id, on: table, token: act.token, until: now.advanced(by: action.patience))
        audit("an action is begun", act, of: session, key, arguments, number)
        let request = ActionRequest(id: number, action: action.name, key: key, arguments: arguments)
        if inletsByTable[table]?.ask(.act(request)) != true {
          finish(number, .failed(.sourceDown, "its source does nothing"))
        }
        return loop.requestTurn()
      }
    } catch {
      outcome = .failed(.badArgument, error.reason)
    }
    audit("an action is refused", act, of: session, key, act.arguments.map { ($0.name, $0.value) }, nil, outcome)
    actions.refuse(act.id, from: session.id, outcome)
    try tell(session, act, outcome)
  }

  private func find(_ act: ClientMessage.Act, of session: Session) throws(ClientError) -> (TableID, Action) {
    guard let table = engine.table(named: act.table), let schema = schemas[table] else {
      throw .unknownTable(act.table)
    }
    guard let action = schema.actions.first(where: { $0.name == act.action }) else { throw .unknownAction(act.action) }
    guard action.appliesToRows == (act.row != nil) else {
      throw .unreadableMessage(
        action.appliesToRows
          ? "row is missing" : "“\(action.name)” is done to the table as a whole: row must be left out")
    }
    guard act.row == nil || engine.openTable(of: session.id) == table else {
      throw .unexpectedMessage("the table \(act.table) is not open: its rows have no ids here")
    }
    return (table, action)
  }

  private func tell(_ session: Session, _ act: ClientMessage.Act, _ outcome: ActionOutcome) throws(ClientError) {
    guard session.acted.count < Self.unreadAnswers else {
      throw .tooLong("\(Self.unreadAnswers) answers wait to be read")
    }
    session.acted.append((act.id, act.token, outcome))
    lws_callback_on_writable(session.socket)
  }

  /// Ends a pending request with an outcome; does nothing if it has ended already.
  func finish(_ number: UInt64, _ outcome: ActionOutcome) {
    guard let entry = actions.finish(number, outcome) else { return }
    var metadata: Logger.Metadata = ["number": "\(number)"]
    switch outcome {
    case .done(let result): metadata["result"] = "\(result)"
    case .failed(let failure, let reason):
      metadata["failure"] = "\(failure.rawValue)"
      metadata["reason"] = "\(reason)"
    }
    logger.notice("an action has ended", metadata: metadata)
    guard let session = sessionsByID[entry.reader], !session.isClosing else { return }
    // The list is bounded by the limits on pending requests and on unread answers.
    session.acted.append((entry.id, entry.token, outcome))
    lws_callback_on_writable(session.socket)
  }

  /// Fails the requests whose deadline has passed.
  func finishOverdueActions(at now: Instant) {
    for number in actions.overdue(at: now) {
      finish(number, .failed(.unanswered, "its source has not answered in time; whether it was done is not known"))
    }
  }

  /// Logs an action request with its origin and arguments.
  private func audit(
    _ what: Logger.Message, _ act: ClientMessage.Act, of session: Session, _ key: RowKey?,
    _ arguments: [(name: String, value: Cell)], _ number: UInt64?, _ outcome: ActionOutcome? = nil
  ) {
    var metadata: Logger.Metadata = [
      "table": "\(act.table)", "action": "\(act.action)", "page": "\(session.id.rawValue)",
      "role": "\(session.pass.role.rawValue)", "from": "\(address(of: session.socket))",
    ]
    if let number { metadata["number"] = "\(number)" }
    if let key { metadata["row"] = "\(key)" }
    for (name, value) in arguments { metadata["argument.\(name)"] = "\(value.plain)" }
    if case .failed(let failure, let reason)? = outcome {
      metadata["failure"] = "\(failure.rawValue)"
      metadata["reason"] = "\(reason)"
      // Nothing was done, and clients can cause any number of such lines, so use the rate-limited
      // log.
      return pageLog.log(.notice, "\(what)", metadata: metadata)
    }
    logger.notice(what, metadata: metadata)
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
