import ListEngine

/// A message to a client, described in docs/protocol.md, section 5.
///
///     var bytes = [UInt8](repeating: 0, count: padding)
///     ServerMessage.delivery(delivery, epoch: engine.epoch).encode(to: &bytes)
///
/// Encoding keeps no state of its own: rows and patches cache their encoded bytes.
public enum ServerMessage {
  /// The answer to a client's `hello`.
  ///
  /// The client presents `token` later to resume this session; an empty token is omitted.
  /// `isSignedIn` is true if the connection came with a cookie, so that the user can sign out.
  case hello(
    server: String, epoch: String, role: String? = nil, token: String = "", isSignedIn: Bool = false,
    tables: [TableDescription],
    sources: [SourceDescription] = [])
  /// The changed list of tables.
  case tables([TableDescription])
  /// The changed list of sources without a table.
  case sources([SourceDescription])
  /// A window or patch for one session.
  case delivery(Delivery, epoch: String)
  /// The status of a table's source.
  case status(table: String, SourceStatus)
  /// The changes that wait for a paused client.
  case waiting(Waiting)
  /// The tiles of a client's summary strip.
  case tiles(TileReports)
  /// Periodic statistics.
  case stats(ServerStats)
  /// The result of an action request; `token` is the one that the client sent.
  case acted(id: UInt64, token: String? = nil, ActionOutcome)
  /// The keys of the requested rows.
  case named(id: UInt64, [(id: RowID, key: RowKey)])
  /// The positions of the rows with the requested keys.
  case located(id: UInt64, [LocatedRow])
  /// An error after which the server closes the socket.
  case error(ClientError)
  /// The reason why a request was refused; the socket stays open.
  case refused(Refusal)

  /// The version of the protocol that this server implements.
  public static let version = 1

  /// Appends the encoded message to `bytes`.
  ///
  /// - Complexity: O(*n*) in the bytes appended. Rows and patch bodies that were encoded before are
  ///   only copied.
  public func encode(to bytes: inout [UInt8]) {
    var counts = EncodingCounts()
    encode(to: &bytes, counting: &counts)
  }

  /// Appends the encoded message to `bytes` and adds to `counts`.
  public func encode(to bytes: inout [UInt8], counting counts: inout EncodingCounts) {
    var writer = JSONWriter()
    writer.counts = counts
    // Swapping keeps the buffer uniquely referenced, so that appending does not copy it.
    swap(&writer.bytes, &bytes)
    write(to: &writer)
    swap(&writer.bytes, &bytes)
    counts = writer.counts
  }

  /// The encoded message in an array of its own.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    encode(to: &bytes)
    return bytes
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .hello(let server, let epoch, let role, let token, let isSignedIn, let tables, let sources):
      writer.raw("{\"type\":\"hello\",\"version\":")
      writer.integer(Self.version)
      writer.raw(",\"server\":")
      writer.text(server)
      writer.raw(",\"epoch\":")
      writer.text(epoch)
      if let role {
        writer.raw(",\"role\":")
        writer.text(role)
      }
      if !token.isEmpty {
        writer.raw(",\"session\":")
        writer.text(token)
      }
      if isSignedIn { writer.raw(",\"signedIn\":true") }
      writer.raw(",\"tables\":")
      writer.tables(tables)
      if !sources.isEmpty {
        writer.raw(",\"sources\":")
        writer.sources(sources)
      }
    case .sources(let sources):
      writer.raw("{\"type\":\"sources\",\"sources\":")
      writer.sources(sources)
    case .tables(let tables):
      writer.raw("{\"type\":\"tables\",\"tables\":")
      writer.tables(tables)
    case .delivery(let delivery, let epoch):
      writer.delivery(delivery, epoch)
      // The shared body includes the closing brace.
      return
    case .status(let table, let source):
      writer.raw("{\"type\":\"status\",\"table\":")
      writer.text(table)
      writer.raw(",\"source\":")
      writer.source(source)
    case .waiting(let waiting):
      writer.raw("{\"type\":\"waiting\",\"changed\":")
      writer.integer(waiting.changed)
      writer.raw(",\"rows\":")
      writer.integer(waiting.rows)
    case .tiles(let reports): writer.tiles(reports)
    case .stats(let stats): writer.stats(stats)
    case .acted(let id, let token, let outcome):
      writer.acted(id, token, outcome)
    case .named(let id, let rows): writer.named(id, rows)
    case .located(let id, let rows): writer.located(id, rows)
    case .error(let error): writer.error(error)
    case .refused(let refusal): writer.refusal(refusal)
    }
    writer.byte("}")
  }
}

extension JSONWriter {
  fileprivate mutating func error(_ error: ClientError) {
    raw("{\"type\":\"error\",\"code\":")
    text(error.code)
    raw(",\"reason\":")
    text(error.reason)
  }

  fileprivate mutating func refusal(_ refusal: Refusal) {
    error(refusal.fault.error)
    raw(",\"request\":")
    unsigned(refusal.request)
    if !refusal.fault.at.isEmpty {
      raw(",\"at\":")
      texts(refusal.fault.at)
    }
    if let shown = refusal.shown {
      raw(",\"shown\":")
      unsigned(shown)
    }
  }

  /// Appends the capabilities of a windowed source and the engine's row limit for residual queries.
  private mutating func windowed(_ capabilities: WindowedCapabilities, _ schema: Schema, rowLimit: Int) {
    func names(_ columns: Set<Int>) -> [String] { columns.sorted().map { schema.columns[$0].name } }
    raw(",\"windowed\":{\"sort\":")
    texts(names(capabilities.sort))
    raw(",\"group\":")
    texts(names(capabilities.group))
    raw(",\"filters\":")
    texts(WindowedCapabilities.FilterOperator.allCases.filter(capabilities.filters.contains).map(\.rawValue))
    if let columns = capabilities.filterColumns {
      raw(",\"filterColumns\":")
      texts(names(columns))
    }
    raw(",\"search\":")
    raw(capabilities.searches ? "true" : "false")
    raw(",\"rowLimit\":")
    integer(rowLimit)
    byte("}")
  }

  fileprivate mutating func delivery(_ delivery: Delivery, _ epoch: String) {
    let isWindow = delivery.patch.base == nil
    let body = delivery.patch.encodedBody(delivery.schema, counting: &counts)
    bytes.reserveCapacity(bytes.count + body.count + 160 + epoch.utf8.count)
    isWindow ? raw("{\"type\":\"window\",\"epoch\":") : raw("{\"type\":\"patch\",\"epoch\":")
    text(epoch)
    raw(",\"seq\":")
    unsigned(delivery.sequence)
    raw(",\"request\":")
    unsigned(delivery.request)
    raw(",\"interval\":")
    milliseconds(ofNanoseconds: delivery.interval.nanoseconds)
    byte(",")
    if delivery.shift != 0 {
      raw("\"shift\":")
      integer(delivery.shift)
      byte(",")
    }
    if !delivery.newer.isEmpty {
      raw("\"newer\":[")
      for (place, index) in delivery.newer.enumerated() {
        if place > 0 { byte(",") }
        integer(index)
      }
      raw("],")
    }
    if !isWindow {
      raw("\"base\":")
      unsigned(delivery.base)
      byte(",")
    }
    bytes.append(contentsOf: body)
  }

  fileprivate mutating func tables(_ tables: [TableDescription]) {
    byte("[")
    for (place, table) in tables.enumerated() {
      if place > 0 { byte(",") }
      raw("{\"name\":")
      text(table.schema.name)
      raw(",\"title\":")
      text(table.schema.title)
      raw(",\"rows\":")
      integer(table.rows)
      if table.generation > 0 {
        raw(",\"generation\":")
        integer(table.generation)
      }
      raw(",\"columns\":")
      list(table.schema.columns) { $0.column($1) }
      if let label = table.schema.label {
        raw(",\"label\":")
        text(label)
      }
      presentation(of: table.schema)
      if !table.schema.actions.isEmpty {
        raw(",\"actions\":")
        actions(table.schema.actions)
      }
      if table.schema.loadsImages { raw(",\"images\":true") }
      if let capabilities = table.schema.windowed { windowed(capabilities, table.schema, rowLimit: table.rowLimit) }
      raw(",\"source\":")
      source(table.source)
      byte("}")
    }
    byte("]")
  }

  fileprivate mutating func sources(_ sources: [SourceDescription]) {
    byte("[")
    for (place, description) in sources.enumerated() {
      if place > 0 { byte(",") }
      raw("{\"name\":")
      text(description.name)
      raw(",\"source\":")
      source(description.source)
      byte("}")
    }
    byte("]")
  }

  private mutating func reasons(_ head: StaticString, _ reasons: [RejectionReason]) {
    raw(head)
    for (index, reason) in reasons.enumerated() {
      raw(index == 0 ? "{\"reason\":" : ",{\"reason\":")
      text(reason.reason)
      raw(",\"count\":")
      unsigned(reason.count)
      raw(",\"example\":")
      text(reason.example)
      byte("}")
    }
    byte("]")
  }

  fileprivate mutating func source(_ source: SourceStatus) {
    raw("{\"state\":")
    text(source.state.rawValue)
    raw(",\"message\":")
    text(source.message)
    raw(",\"rejected\":")
    unsigned(source.rejected)
    raw(",\"lastRejection\":")
    text(source.lastRejection)
    if !source.rejections.isEmpty { reasons(",\"rejections\":[", source.rejections) }
    if source.contradictions > 0 {
      raw(",\"contradictions\":")
      unsigned(source.contradictions)
      reasons(",\"contradicted\":[", source.contradicted)
    }
    raw(",\"age\":")
    integer(max(0, source.age.nanoseconds / 1_000_000))
    if let retry = source.retry {
      raw(",\"retry\":")
      integer(max(0, retry.nanoseconds / 1_000_000))
    }
    byte("}")
  }
}
