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

  /// The time in which a publisher must answer. Sources have limits of their own below it.
  static let patience = Duration.seconds(60)

  private let path: PublisherPath
  private let pending = Guarded<[UInt64: Pending]>([:])

  init(_ path: PublisherPath) { self.path = path }

  /// Sends requests. [the queue of the table's requests]
  func ask(_ requests: [BlockRequest]) {
    for request in requests {
      let number = request.id.rawValue
      pending.withLock { $0[number] = Pending(deadline: BootTime.now.advanced(by: Self.patience)) }
      do throws(ClusterError) {
        guard let schema = path.schema else { throw .failed("no columns are known") }
        let call = QueryCall(
          node: path.node, number: number, content: .init(request, schema), expires: BootTime.wall(after: Self.patience)
        )
        try path.send(CallCoding.bytes(call), to: path.names.queries, .query, number)
      } catch {
        end(number, .failed("the publisher is not reachable"))
      }
    }
  }

  /// Cancels requests. [the queue of the table's requests]
  func cancel(_ ids: [BlockRequestID]) {
    for id in ids {
      guard pending.withLock({ $0.removeValue(forKey: id.rawValue) }) != nil else { continue }
      let call = QueryCall(node: path.node, number: id.rawValue, expires: .max)
      // A query that is not cancelled ends by itself.
      try? path.send(CallCoding.bytes(call), to: path.names.queries, .cancels, 0)
    }
  }

  /// Ends the requests that were not answered in time. [the thread that watches the table]
  func check(at now: Instant) {
    let late = pending.withLock { pending in pending.filter { $0.value.deadline <= now }.map(\.key) }
    for number in late { end(number, .failed("the publisher has not answered within \(Self.patience)")) }
  }

  /// Ends all requests, because they are lost. The server asks again.
  func failAll(_ reason: String) {
    for number in pending.withLock({ Array($0.keys) }) { end(number, .failed(reason)) }
  }

  private func end(_ number: UInt64, _ answer: QueryAnswer) {
    guard pending.withLock({ $0.removeValue(forKey: number) }) != nil else { return }
    path.report(answer.event(BlockRequestID(rawValue: number)))
  }

  /// Takes a part of an answer. [a thread of the library]
  func take(_ number: UInt64, _ message: NatsMessage) {
    guard !message.hasNoResponders else { return end(number, .failed("no publisher runs for this table")) }
    takePart(number, message.bytes)
  }

  func takePart(_ number: UInt64, _ part: [UInt8]) {
    switch pending.withLock({ $0[number]?.parts.take(part) }) {
    case nil, .waiting: break
    case .broken: end(number, .failed("a part of the publisher's answer is missing"))
    case .whole(let bytes):
      end(number, QueryAnswer(decoding: bytes) ?? .failed("the publisher's answer is invalid"))
    }
  }
}
