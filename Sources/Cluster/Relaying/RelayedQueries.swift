import ListEngine
import Threads

/// The requests of a relay's server for rows and sections of a windowed table, which stay at the
/// publisher's source.
///
/// The server's engine limits their number. Each is answered once: by the source, or with a failure
/// after ``patience``.
final class RelayedQueries: Sendable {
  private struct Pending {
    var deadline: Instant
    var parts = AnswerParts()
  }

  private struct State {
    var schema: Schema?
    var pending: [UInt64: Pending] = [:]
    var receiving: NatsConnection.Receiving?
  }

  /// The time in which a publisher must answer. Sources have limits of their own below it.
  static let patience = Duration.seconds(60)

  private let names: TableNames
  private let connection: NatsConnection
  private let target: RelayTarget
  private let node: String
  /// The subject of answers, without the number of the request.
  private let inbox: String
  private let state = Guarded(State())

  init(_ names: TableNames, connection: NatsConnection, target: RelayTarget, node: String) {
    self.names = names
    self.connection = connection
    self.target = target
    self.node = node
    inbox = "_INBOX.rowcast-queries.\(node).\(names.token)"
  }

  /// Records the schema, and listens for answers once it is that of a windowed table.
  func note(_ schema: Schema) throws(ClusterError) {
    let isFirst = state.withLock { state in
      state.schema = schema
      return schema.windowed != nil && state.receiving == nil
    }
    guard isFirst else { return }
    let receiving = try connection.receive("\(inbox).*") { [self] in take($0) }
    state.withLock { $0.receiving = receiving }
  }

  func stop() { if let receiving = state.withLock({ $0.receiving }) { connection.end(receiving) } }

  /// Sends requests. [the queue of the table's requests]
  func ask(_ requests: [BlockRequest]) {
    for request in requests {
      let number = request.id.rawValue
      let schema = state.withLock { state in
        state.pending[number] = Pending(deadline: BootTime.now.advanced(by: Self.patience))
        return state.schema
      }
      guard let schema, connection.isConnected else {
        end(number, .failed("the publisher is not reachable"))
        continue
      }
      let call = QueryCall(
        node: node, number: number, content: .init(request, schema),
        expires: BootTime.wall + Self.patience.nanoseconds)
      do throws(ClusterError) {
        try connection.send(CallCoding.bytes(call), to: names.queries, reply: "\(inbox).\(number)")
      } catch {
        end(number, .failed("the publisher is not reachable"))
      }
    }
  }

  /// Cancels requests. [the queue of the table's requests]
  func cancel(_ ids: [BlockRequestID]) {
    for id in ids {
      guard state.withLock({ $0.pending.removeValue(forKey: id.rawValue) }) != nil else { continue }
      let call = QueryCall(node: node, number: id.rawValue, expires: .max)
      // A query that is not cancelled ends by itself.
      try? connection.send(CallCoding.bytes(call), to: names.queries)
    }
  }

  /// Ends the requests that were not answered in time. [the thread that watches the table]
  func check(at now: Instant) {
    let late = state.withLock { state in state.pending.filter { $0.value.deadline <= now }.map(\.key) }
    for number in late { end(number, .failed("the publisher has not answered within \(Self.patience)")) }
  }

  /// Ends all requests, because they are lost. The server asks again.
  func failAll(_ reason: String) {
    for number in state.withLock({ Array($0.pending.keys) }) { end(number, .failed(reason)) }
  }

  private func end(_ number: UInt64, _ answer: QueryAnswer) {
    guard state.withLock({ $0.pending.removeValue(forKey: number) }) != nil else { return }
    _ = target.report(answer.event(BlockRequestID(rawValue: number)))
  }

  /// Takes a part of an answer. [a thread of the library]
  private func take(_ message: NatsMessage) {
    guard let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
    guard !message.hasNoResponders else { return end(number, .failed("no publisher runs for this table")) }
    switch state.withLock({ $0.pending[number]?.parts.take(message.bytes) }) {
    case nil, .waiting: break
    case .broken: end(number, .failed("a part of the publisher's answer is missing"))
    case .whole(let bytes):
      end(number, QueryAnswer(decoding: bytes) ?? .failed("the publisher's answer is invalid"))
    }
  }
}
