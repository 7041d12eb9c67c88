import ListEngine

/// Queries of relays on a windowed table, whose rows stay at the source.
extension PublishedSource {
  /// The first number of a relay's query at the source.
  ///
  /// It is beyond those of clients and exports of this server, and below 2^53, which programs read
  /// exactly.
  static let firstQuery: UInt64 = 1 << 52 + 1 << 51

  /// Takes a request of a relay for rows or sections. [a thread of the library]
  func takeQuery(_ message: NatsMessage) {
    guard let call: QueryCall = CallCoding.decoded(message.bytes) else { return }
    let name = RelayedRequestQueue.Name(node: call.node, number: call.number)
    let (request, failure, schema) = shared.withLock { shared -> (SourceRequest?, String?, Schema?) in
      // Another publisher, which owns the table, answers.
      guard let schema = shared.schema, shared.lease.fence(at: BootTime.now) != nil else { return (nil, nil, nil) }
      guard let content = call.content else {
        return (shared.queries.cancel(name).map { .cancelBlocks([BlockRequestID(rawValue: $0)]) }, nil, schema)
      }
      guard let reply = message.reply else { return (nil, nil, nil) }
      switch shared.queries.begin(name, reply: reply, expires: call.expires, at: BootTime.wall) {
      case .ignore: return (nil, nil, nil)
      case .refuse: return (nil, "\(shared.queries.most) queries of relays are pending; try again later", schema)
      case .ask(let number):
        guard schema.windowed != nil, let request = content.request(BlockRequestID(rawValue: number), schema) else {
          _ = shared.queries.finish(number)
          return (nil, "the columns have changed", schema)
        }
        return (.ask([request]), nil, schema)
      }
    }
    if let request, let schema { perform(request, schema) }
    if let failure, let reply = message.reply { answer(.failed(failure), to: reply) }
  }

  /// Sends the answer of the source to the relay that waits for it, if any.
  func noteAnswer(_ id: BlockRequestID, _ outcome: QueryAnswer) {
    guard id.rawValue > Self.firstQuery, let reply = shared.withLock({ $0.queries.finish(id.rawValue) }) else { return }
    answer(outcome, to: reply)
  }

  /// Sends an answer in parts, because NATS limits the size of a message.
  func answer(_ outcome: QueryAnswer, to reply: String) {
    for part in AnswerParts.cut(outcome.encoded) { answer(part, to: reply) }
  }
}
