import ListEngine

/// A message to a client, described in docs/protocol.md, section 5.
///
///     var bytes = [UInt8](repeating: 0, count: padding)
///     ServerMessage.delivery(delivery, epoch: engine.epoch).encode(to: &bytes)
///
/// Rows and patches are encoded once, and keep the result as their attachment.
public enum ServerMessage {
  /// The answer to a client's `hello`.
  ///
  /// The client presents `token` later to resume this session; an empty token is omitted.
  /// `isSignedIn` is true if the connection came with a cookie, so that the user can sign out.
  /// `alive` is the time between the heartbeats that the client gets, if it wants them.
  case hello(
    server: String, epoch: String, role: String? = nil, token: String = "", isSignedIn: Bool = false,
    alive: Duration? = nil, tables: [TableDescription],
    sources: [SourceDescription] = [])
  /// A heartbeat for a client that has received nothing else.
  case alive
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
  /// The facets of a client that have changed.
  case facets(FacetReports)
  /// The pinned rows of a client that have changed.
  case pins(PinReports)
  /// Periodic statistics.
  case stats(ServerStats)
  /// The result of an action request; `token` is the one that the client sent.
  case acted(id: UInt64, token: String? = nil, ActionOutcome)
  /// The keys of the requested rows.
  case named(id: UInt64, [(id: RowID, key: RowKey)])
  /// The positions of the rows with the requested keys.
  case located(id: UInt64, [LocatedRow])
  /// The meaning of a filter written as text.
  case parsed(id: UInt64, FilterReading)
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
    case .hello(let server, let epoch, let role, let token, let isSignedIn, let alive, let tables, let sources):
      writer.beginObject()
      writer.type("hello")
      writer.member("version", Self.version)
      writer.member("server", server)
      writer.member("epoch", epoch)
      if let role {
        writer.member("role", role)
      }
      if !token.isEmpty {
        writer.member("session", token)
      }
      if isSignedIn { writer.member("signedIn", true) }
      if let alive { writer.member("alive", Int(alive.nanoseconds / 1_000_000)) }
      writer.name("tables")
      writer.tables(tables)
      if !sources.isEmpty {
        writer.name("sources")
        writer.sources(sources)
      }
    case .alive:
      writer.beginObject()
      writer.type("alive")
    case .sources(let sources):
      writer.beginObject()
      writer.type("sources")
      writer.name("sources")
      writer.sources(sources)
    case .tables(let tables):
      writer.beginObject()
      writer.type("tables")
      writer.name("tables")
      writer.tables(tables)
    case .delivery(let delivery, let epoch):
      writer.delivery(delivery, epoch)
      // The shared body includes the closing brace.
      return
    case .status(let table, let source):
      writer.beginObject()
      writer.type("status")
      writer.member("table", table)
      writer.name("source")
      writer.source(source)
    case .waiting(let waiting):
      writer.beginObject()
      writer.type("waiting")
      writer.member("changed", waiting.changed)
      writer.member("rows", waiting.rows)
    case .tiles(let reports): writer.tiles(reports)
    case .facets(let reports): writer.facets(reports)
    case .pins(let reports): writer.pins(reports)
    case .stats(let stats): writer.stats(stats)
    case .acted(let id, let token, let outcome):
      writer.acted(id, token, outcome)
    case .named(let id, let rows): writer.named(id, rows)
    case .located(let id, let rows): writer.located(id, rows)
    case .parsed(let id, let reading): writer.parsed(id, reading)
    case .error(let error): writer.error(error)
    case .refused(let refusal): writer.refusal(refusal)
    }
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func error(_ error: ClientError) {
    beginObject()
    type("error")
    member("code", error.code)
    member("reason", error.reason)
  }

  fileprivate mutating func refusal(_ refusal: Refusal) {
    error(refusal.fault.error)
    member("request", refusal.request)
    member("at", unlessEmpty: refusal.fault.at)
    if let shown = refusal.shown { member("shown", shown) }
  }

  /// Appends the capabilities of a windowed source and the engine's row limit for residual queries.
  private mutating func windowed(_ capabilities: WindowedCapabilities, _ schema: Schema, rowLimit: Int) {
    func names(_ columns: Set<Int>) -> [String] { columns.sorted().map { schema.columns[$0].name } }
    member("windowed") { writer in
      writer.member("sort", names(capabilities.sort)) { $0.text($1) }
      writer.member("group", names(capabilities.group)) { $0.text($1) }
      writer.member("filters", WindowedCapabilities.FilterOperator.allCases.filter(capabilities.filters.contains)) {
        $0.text($1.rawValue)
      }
      if let columns = capabilities.filterColumns { writer.member("filterColumns", names(columns)) { $0.text($1) } }
      writer.member("search", capabilities.searches)
      writer.member("rowLimit", rowLimit)
    }
  }

  fileprivate mutating func delivery(_ delivery: Delivery, _ epoch: String) {
    let isWindow = delivery.patch.base == nil
    let body = delivery.patch.encodedBody(delivery.schema, counting: &counts)
    bytes.reserveCapacity(bytes.count + body.count + 160 + epoch.utf8.count)
    beginObject()
    type(isWindow ? "window" : "patch")
    member("epoch", epoch)
    member("seq", delivery.sequence)
    member("request", delivery.request)
    name("interval")
    milliseconds(ofNanoseconds: delivery.interval.nanoseconds)
    if delivery.shift != 0 { member("shift", delivery.shift) }
    if !delivery.newer.isEmpty { member("newer", delivery.newer) { $0.integer($1) } }
    if !isWindow { member("base", delivery.base) }
    byte(",")
    bytes.append(contentsOf: body)
  }

  fileprivate mutating func tables(_ tables: [TableDescription]) {
    list(tables) { writer, table in writer.object { $0.table(table) } }
  }

  private mutating func table(_ table: TableDescription) {
    member("name", table.schema.name)
    member("title", table.schema.title)
    member("rows", table.rows)
    if table.generation > 0 { member("generation", table.generation) }
    member("columns", table.schema.columns) { $0.column($1) }
    if let label = table.schema.label { member("label", label) }
    presentation(of: table.schema)
    if table.schema.presentation?.newest == nil { member("newest", unlessEmpty: table.schema.newest?.rawValue) }
    if !table.schema.actions.isEmpty {
      name("actions")
      actions(table.schema.actions)
    }
    if table.schema.loadsImages { member("images", true) }
    if let capabilities = table.schema.windowed { windowed(capabilities, table.schema, rowLimit: table.rowLimit) }
    name("source")
    source(table.source)
  }

  fileprivate mutating func sources(_ sources: [SourceDescription]) {
    list(sources) { writer, description in
      writer.object {
        $0.member("name", description.name)
        $0.name("source")
        $0.source(description.source)
      }
    }
  }

  private mutating func reasons(_ name: StaticString, _ reasons: [RejectionReason]) {
    member(name, reasons) { writer, reason in
      writer.object {
        $0.member("reason", reason.reason)
        $0.member("count", reason.count)
        $0.member("example", reason.example)
      }
    }
  }

  fileprivate mutating func source(_ source: SourceStatus) {
    beginObject()
    member("state", source.state.rawValue)
    member("message", source.message)
    member("rejected", source.rejected)
    member("lastRejection", source.lastRejection)
    if !source.rejections.isEmpty { reasons("rejections", source.rejections) }
    if source.contradictions > 0 {
      member("contradictions", source.contradictions)
      reasons("contradicted", source.contradicted)
    }
    member("age", max(0, source.age.nanoseconds / 1_000_000))
    if let retry = source.retry { member("retry", max(0, retry.nanoseconds / 1_000_000)) }
    endObject()
  }
}
