import ListEngine

/// Deferred cells and images of a published table, for relays and for this server.
extension PublishedSource {
  /// The greatest size of an image's key, in bytes.
  static let greatestImageKey = 1_024

  /// Takes a request of this server to the source. Returns the one to send instead, if any. [any
  /// thread]
  ///
  /// A cell that a relay wants is loaded once, and not cancelled.
  package func forward(_ request: SourceRequest) -> SourceRequest? {
    switch request {
    case .load, .cancel: break
    default: return request
    }
    let (own, schema, steps) = shared.withLock { shared in
      let own = shared.loads.takeOwn(request)
      return (own, shared.schema, shared.schema.map { shared.loads.step(schema: $0, at: BootTime.wall) })
    }
    if let schema, let steps { send(steps, schema) }
    return own
  }

  /// Takes a request of a relay for deferred cells. [a thread of the library]
  func takeLoads(_ message: NatsMessage) {
    guard let reply = message.reply, let call: LoadCall = CallCoding.decoded(message.bytes) else { return }
    let now = BootTime.wall
    let (failure, schema, steps) = shared.withLock {
      shared -> (LoadFailure?, Schema?, (loads: [DeferredCell], cancels: [DeferredCell])) in
      // Another publisher, which owns the table, answers.
      guard let schema = shared.schema, shared.lease.fence(at: BootTime.now) != nil else { return (nil, nil, ([], [])) }
      let failure = shared.loads.ask(call, reply: reply, schema: schema, at: now)
      return (failure, schema, shared.loads.step(schema: schema, at: now))
    }
    if let failure { answer(CallCoding.bytes(failure), to: reply) }
    if let schema { send(steps, schema) }
  }

  /// Takes a request of a relay for an image. [a thread of the library]
  func takeImage(_ message: NatsMessage) {
    guard let call: ImageCall = CallCoding.decoded(message.bytes) else { return }
    let (request, refusal, schema) = shared.withLock { shared -> (SourceRequest?, ImageOutcome?, Schema?) in
      guard let schema = shared.schema, shared.lease.fence(at: BootTime.now) != nil else { return (nil, nil, nil) }
      let name = RelayedRequestQueue.Name(node: call.node, number: call.number)
      guard let key = call.key else {
        return (shared.images.cancel(name).map { .cancelImages([$0]) }, nil, schema)
      }
      guard schema.loadsImages, !key.isEmpty, key.utf8.count <= Self.greatestImageKey, let reply = message.reply else {
        return (nil, ImageOutcome.none, schema)
      }
      return switch shared.images.begin(name, reply: reply, expires: call.expires, at: BootTime.wall) {
      case .ask(let number): (.image(number, key: key), nil, schema)
      case .refuse:
        (nil, .failed("\(shared.images.most) images of this table are loading for relays; try again later"), schema)
      case .ignore: (nil, nil, schema)
      }
    }
    if let request, let schema { perform(request, schema) }
    if let refusal, let reply = message.reply { answer(refusal.encoded, to: reply) }
  }

  /// Notes that a load has ended. With a reason, it has failed.
  func noteLoad(_ cell: DeferredCell, failure reason: String?) {
    let (replies, schema, steps) = shared.withLock { shared in
      let replies = shared.loads.finish(cell)
      return (replies, shared.schema, shared.schema.map { shared.loads.step(schema: $0, at: BootTime.wall) })
    }
    guard let schema, let steps else { return }
    send(steps, schema)
    // Relays receive the value with the table's stream.
    guard let reason, let place = schema.place(of: cell) else { return }
    for reply in replies { answer(CallCoding.bytes(LoadFailure(cells: [place], reason: reason)), to: reply) }
  }

  /// Ends all loads and queries of relays if the table's columns have changed.
  func noteColumns(_ schema: Schema) {
    let (ended, queries, previous) = shared.withLock { shared -> ([String: [DeferredCell]], [String], Schema?) in
      guard let previous = shared.schema, previous.columns != schema.columns else { return ([:], [], nil) }
      return (shared.loads.reset(), shared.queries.removeAll(), previous)
    }
    guard let previous else { return }
    for reply in queries { answer(.failed("the columns have changed"), to: reply) }
    for (reply, cells) in ended {
      let failure = LoadFailure(cells: cells.compactMap { previous.place(of: $0) }, reason: "the columns have changed")
      answer(CallCoding.bytes(failure), to: reply)
    }
  }

  private func send(_ steps: (loads: [DeferredCell], cancels: [DeferredCell]), _ schema: Schema) {
    if !steps.cancels.isEmpty { perform(.cancel(steps.cancels), schema) }
    if !steps.loads.isEmpty { perform(.load(steps.loads), schema) }
  }
}
