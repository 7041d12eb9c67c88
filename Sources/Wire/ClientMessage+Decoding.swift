import ListEngine

extension ClientMessage {
  /// The size limit of a client message, in bytes.
  public static let greatestByteCount = 65_536
  /// The non-negative integers that a 64-bit floating-point number holds exactly.
  static let safeIntegers: ClosedRange<Int64> = 0...(1 << 53) - 1
  /// The longest table name, column name or descriptive text, in Unicode scalars.
  static let greatestName = 1_000

  /// Decodes one message and checks it against `limits`.
  ///
  /// - Throws: ``ListEngine/ClientError`` with the name of the invalid member or the offset of the
  ///   invalid byte.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  public init(decoding bytes: [UInt8], limits: Limits = Limits()) throws(ClientError) {
    guard bytes.count <= Self.greatestByteCount else {
      throw .tooLong("the message has more than \(Self.greatestByteCount) bytes")
    }
    if let sequence = Self.plainAcknowledgement(bytes) {
      self = .ack(sequence: sequence)
      return
    }
    guard bytes.withUnsafeBufferPointer({ isValidUTF8($0) }) else {
      throw .unreadableMessage("the message is not UTF-8")
    }
    let outcome = bytes.withUnsafeBufferPointer { buffer -> Result<JSONValue, ClientError> in
      var reader = JSONReader(buffer)
      do throws(ClientError) { return .success(try reader.readDocument()) } catch { return .failure(error) }
    }
    try self.init(JSONMembers(outcome.get()), limits)
  }

  private init(_ message: JSONMembers, _ limits: Limits) throws(ClientError) {
    let type = try message.requiredText("type", limit: Self.greatestName)
    switch type {
    case "ack":
      self = .ack(sequence: try Self.number(message, "seq"))
    case "viewport":
      _ = try Self.number(message, "seq")
      self = .viewport(try Self.viewport(message, limits))
    case "hello":
      self = .hello(
        version: Int(try message.requiredInteger("version", in: Int64.min...Int64.max)),
        client: try message.text("client", limit: Self.greatestName) ?? "",
        wantsHeartbeats: try message.boolean("alive") ?? false)
    case "open":
      self = .open(
        Open(
          table: try message.requiredText("table", limit: Self.greatestName),
          request: try Self.number(message, "request"),
          query: Self.query(message, limits),
          viewport: try Self.optionalViewport(message, limits),
          interval: try message.milliseconds("interval", upTo: limits.longestInterval),
          resume: try Self.resume(message, limits)))
    case "query":
      self = .query(
        request: try Self.number(message, "request"), query: Self.query(message, limits),
        viewport: try Self.optionalViewport(message, limits))
    case "collapse":
      self = .collapse(try Self.section(message, limits), isCollapsed: try message.requiredBoolean("collapsed"))
    case "resync":
      self = .resync(
        sequence: try Self.number(message, "seq"),
        reason: try message.text("reason", limit: Self.greatestName) ?? "")
    case "pace":
      self = .pace(try message.milliseconds("interval", upTo: limits.longestInterval))
    case "visibility":
      self = .visibility(isHidden: try message.requiredBoolean("hidden"))
    case "pause":
      self = .pause(isPaused: try message.requiredBoolean("paused"))
    case "hold":
      self = .hold(isHeld: try message.requiredBoolean("held"))
    case "stats":
      self = .stats(isWanted: try message.requiredBoolean("wanted"))
    case "tiles":
      self = .tiles(id: try Self.number(message, "id"), try Self.tiles(message, limits))
    case "facets":
      self = .facets(id: try Self.number(message, "id"), try Self.facets(message, limits))
    case "pins":
      self = .pins(id: try Self.number(message, "id"), try Self.keys(message, limit: limits.pinsPerSession))
    case "signOut":
      self = .signOut
    case "name":
      self = .name(id: try Self.number(message, "id"), rows: try Self.rows(message))
    case "locate":
      self = .locate(id: try Self.number(message, "id"), keys: try Self.keys(message))
    case "parse":
      let written = WrittenFilter(
        try message.requiredText("text", limit: FilterText.greatestByteCount), zone: try message.zone("zone"))
      let caret = try message.integer("at", in: 0...Int64(Self.greatestByteCount)).map(Int.init)
      self = .parse(id: try Self.number(message, "id"), written, caret: caret)
    case "act":
      self = .act(try Act(message))
    default:
      throw .unknownType(String(type.prefix(100)))
    }
  }

  static func number(_ members: JSONMembers, _ name: String) throws(ClientError) -> UInt64 {
    UInt64(try members.requiredInteger(name, in: safeIntegers))
  }

  /// Decodes the query of a message.
  ///
  /// A malformed query does not throw: it is returned with its ``ListEngine/QueryRequest/fault``,
  /// so that the server can refuse it by request number.
  private static func query(_ message: JSONMembers, _ limits: Limits) -> QueryRequest {
    var place = ""
    do throws(ClientError) { return try query(message, limits, &place) } catch {
      var unreadable = QueryRequest()
      unreadable.fault = QueryFault(error, at: place.isEmpty ? [] : [place])
      return unreadable
    }
  }

  /// Decodes the query of a message, and sets `place` to the member being decoded.
  private static func query(
    _ message: JSONMembers, _ limits: Limits, _ place: inout String
  ) throws(ClientError) -> QueryRequest {
    guard let query = try message.object("query") else { return QueryRequest() }
    place = "query.sort"
    var sort: [(column: String, descending: Bool)] = []
    for (index, term) in try query.list("sort", limit: limits.sortTerms).enumerated() {
      place = "query.sort[\(index)]"
      let term = try JSONMembers(term, path: place)
      sort.append(
        (try term.requiredText("column", limit: greatestName), try term.boolean("descending") ?? false))
    }
    place = "query.group"
    var groupings: [GroupingRequest] = []
    for (index, grouping) in try query.list("group", limit: limits.groups).enumerated() {
      place = "query.group[\(index)]"
      groupings.append(try GroupingRequest(decoding: grouping, path: place))
    }
    var filter: Filter<String>?
    place = "query.filter"
    if let value = query["filter"] {
      filter = try FilterDecoding(limits, greatestName: greatestName).filter(value, path: query.fullName("filter"))
    }
    place = "query.search"
    var request = QueryRequest(
      sort: sort, search: try query.text("search", limit: limits.search) ?? "", filter: filter)
    request.groupings = groupings
    place = "query.where"
    request.written = try written(query, "where")
    place = "query.aggregates"
    for (index, term) in try query.list("aggregates", limit: limits.aggregates).enumerated() {
      place = "query.aggregates[\(index)]"
      request.aggregates.append(try PresentationDecoding.aggregate(JSONMembers(term, path: place)))
    }
    place = "query.sections"
    for (index, order) in try query.list("sections", limit: limits.groups).enumerated() {
      place = "query.sections[\(index)]"
      request.sections.append(try SectionOrderRequest(decoding: JSONMembers(order, path: place)))
    }
    place = "query.collapsed"
    for (index, value) in try query.list("collapsed", limit: limits.collapsed).enumerated() {
      let name = "query.collapsed[\(index)]"
      guard case .array(let values) = value else {
        throw .unreadableMessage("\(name) must be a list, not \(value.kind)")
      }
      guard values.count <= limits.groups else { throw .tooLong("\(name) has more than \(limits.groups) entries") }
      request.collapsed.append(try path(values, name))
    }
    return request
  }

  /// Decodes a filter written as text, with the members `zone` and `offsets`; `nil` for none or an
  /// empty one.
  static func written(_ members: JSONMembers, _ name: String) throws(ClientError) -> WrittenFilter? {
    let zone = try members.zone("zone")
    guard let text = try members.text(name, limit: FilterText.greatestByteCount), !text.isEmpty else { return nil }
    return WrittenFilter(text, zone: zone)
  }

  static var zones: ClosedRange<Int64> {
    Int64(FilterText.zones.lowerBound)...Int64(FilterText.zones.upperBound)
  }

  private static func section(_ message: JSONMembers, _ limits: Limits) throws(ClientError) -> SectionName {
    if let number = try message.integer("section", in: 0...Int64(UInt32.max)) { return .number(UInt32(number)) }
    guard message["path"] != nil else { throw .unreadableMessage("section or path is missing") }
    return .path(try path(try message.list("path", limit: limits.groups), "path"))
  }

  private static func path(_ values: [JSONValue], _ name: String) throws(ClientError) -> [Cell] {
    var path: [Cell] = []
    for (index, value) in values.enumerated() {
      switch value {
      case .null: path.append(.null)
      case .boolean(let flag): path.append(.boolean(flag))
      case .integer(let integer): path.append(.integer(integer))
      case .number(let number): path.append(.number(number))
      case .text(let text): path.append(.text(text))
      case .array, .object: throw .unreadableMessage("\(name)[\(index)] must be a cell, not \(value.kind)")
      }
    }
    return path
  }

  private static func optionalViewport(_ message: JSONMembers, _ limits: Limits) throws(ClientError) -> Viewport? {
    guard let members = try message.object("viewport") else { return nil }
    return try viewport(members, limits)
  }

  private static func viewport(_ members: JSONMembers, _ limits: Limits) throws(ClientError) -> Viewport {
    var viewport = Viewport(
      first: Int(try members.requiredInteger("first", in: safeIntegers)),
      count: Int(try members.requiredInteger("count", in: 1...Int64(limits.visible))), stick: nil)
    let buffer = 0...Int64(limits.buffer)
    viewport.ahead = try members.integer("ahead", in: buffer).map(Int.init)
    viewport.behind = try members.integer("behind", in: buffer).map(Int.init)
    viewport.anchor = try members.integer("anchor", in: safeIntegers).map { RowID(rawValue: UInt64($0)) }
    viewport.sequence = UInt64(try members.integer("seq", in: safeIntegers) ?? 0)
    if let name = try members.text("stick", limit: greatestName) {
      guard let stick = Viewport.Stick(rawValue: name) else {
        throw .outOfRange("\(members.fullName("stick")) must be “top” or “end”")
      }
      viewport.stick = stick
    }
    return viewport
  }

  private static func resume(_ message: JSONMembers, _ limits: Limits) throws(ClientError) -> Resume? {
    guard let resume = try message.object("resume") else { return nil }
    return Resume(
      epoch: try resume.requiredText("epoch", limit: greatestName), sequence: try number(resume, "seq"),
      token: try resume.text("session", limit: greatestName),
      anchorOffset: try resume.integer("anchorOffset", in: 0...Int64(limits.visible)).map(Int.init),
      window: try resume.object("window").map { members throws(ClientError) in try window(members) })
  }
}

/// Returns whether the bytes are valid UTF-8.
///
/// The standard library's validation copies them into a `String`, which is acceptable because
/// messages are small.
private func isValidUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  if bytes.allSatisfy({ $0 < 0x80 }) { return true }
  return String(validating: bytes, as: UTF8.self) != nil
}
