import ListEngine

/// An engine that records its inputs, so that a run can be replayed.
///
///     let recording = try Recording(path: file, header)
///     var engine = RecordedEngine(Engine(epoch: "5f0c"), recording: recording)
///     engine.handle(.changes(table, changes), at: now)      // as with an engine
///
/// The engine reads no clock and no random numbers, so its inputs and their times determine its
/// outputs. Without a recording the wrapper costs nothing.
public struct RecordedEngine: ~Copyable {
  /// The engine itself; direct calls to it are not recorded.
  public var engine: Engine
  private let recording: Recording?

  /// Creates a wrapper around a new engine.
  public init(_ engine: consuming Engine, recording: Recording? = nil) {
    self.engine = engine
    self.recording = recording
  }

  /// See ``Engine/epoch``.
  public var epoch: String { engine.epoch }
  /// See ``Engine/deadline``.
  public var deadline: Instant? { engine.deadline }
  /// See ``Engine/tables(at:)``.
  public func tables(at now: Instant) -> [TableDescription] { engine.tables(at: now) }
  /// See ``Engine/takeNotes(of:)``.
  public func takeNotes(of table: TableID) -> (rejections: [RejectionReason], contradictions: [RejectionReason]) {
    engine.takeNotes(of: table)
  }

  /// See ``Engine/counters``.
  public var counters: EngineCounters { engine.counters }
  /// See ``Engine/census``.
  public var census: EngineCensus { engine.census }
  /// See ``Engine/resyncs``.
  public var resyncs: UInt64 { engine.resyncs }
  /// See ``Engine/prefetch(of:)``.
  public func prefetch(of table: TableID) -> PrefetchCounters { engine.prefetch(of: table) }
  /// See ``Engine/table(named:)``.
  public func table(named name: String) -> TableID? { engine.table(named: name) }
  /// See ``Engine/statusChanges``.
  public var statusChanges: UInt64 { engine.statusChanges }
  /// See ``Engine/rows(of:)``.
  public func rows(of table: TableID) -> Int { engine.rows(of: table) }
  /// See ``Engine/openTable(of:)``.
  public func openTable(of session: SessionID) -> TableID? { engine.openTable(of: session) }
  /// See ``Engine/key(of:shownTo:)``.
  public func key(of row: RowID, shownTo session: SessionID) -> RowKey? { engine.key(of: row, shownTo: session) }
  /// See ``Engine/locate(_:for:)``.
  public func locate(_ key: RowKey, for session: SessionID) -> LocatedRow? { engine.locate(key, for: session) }
  /// See ``Engine/hasRoom(for:)``.
  public func hasRoom(for table: TableID) -> Bool { engine.hasRoom(for: table) }

  // Exports are not recorded, because they do not affect the messages to clients. The same holds
  // for the requests to sources that they cause.

  /// See ``Engine/beginExport(of:_:isRestricted:at:)``.
  public mutating func beginExport(
    of name: String, _ request: QueryRequest, isRestricted: Bool = false, at now: Instant? = nil
  ) throws(ClientError) -> ExportID {
    try engine.beginExport(of: name, request, isRestricted: isRestricted, at: now)
  }
  /// See ``Engine/read(_:rows:)``.
  public func read(_ id: ExportID, rows: Int) -> ExportSlice { engine.read(id, rows: rows) }
  /// See ``Engine/isReady(_:)``.
  public func isReady(_ id: ExportID) -> Bool { engine.isReady(id) }
  /// See ``Engine/isHungry(_:)``.
  public func isHungry(_ id: ExportID) -> Bool { engine.isHungry(id) }
  /// See ``Engine/rowsLeftOut(_:)``.
  public func rowsLeftOut(_ id: ExportID) -> Int { engine.rowsLeftOut(id) }
  /// See ``Engine/endExport(_:)``.
  public mutating func endExport(_ id: ExportID) { engine.endExport(id) }

  /// See ``Engine/addTable(_:at:)``.
  public mutating func addTable(_ schema: Schema, at now: Instant) throws(SchemaError) -> TableID {
    recording?.note(.table(schema, now))
    return try engine.addTable(schema, at: now)
  }

  /// See ``Engine/replaceTable(_:with:at:)``.
  public mutating func replaceTable(_ id: TableID, with schema: Schema, at now: Instant) throws(SchemaError) {
    recording?.note(.replacement(id, schema, now))
    try engine.replaceTable(id, with: schema, at: now)
  }

  /// See ``Engine/contents(of:columns:)``.
  public func contents(of id: TableID, columns: Int) -> [Changeset] { engine.contents(of: id, columns: columns) }

  /// See ``Engine/setInterval(_:)``.
  public mutating func setInterval(_ interval: Duration, at now: Instant) {
    recording?.note(.interval(interval, now))
    engine.setInterval(interval)
  }

  /// See ``Engine/handle(_:at:)``.
  public mutating func handle(_ input: Input, at now: Instant) {
    if !input.isForExport { recording?.note(.input(input, now)) }
    engine.handle(input, at: now)
  }

  /// See ``Engine/advance(to:)``.
  public mutating func advance(to now: Instant) -> [Output] {
    let outputs = engine.advance(to: now)
    if let recording {
      recording.note(.answer(AnswerDigest(outputs.filter { !$0.isForExport }, epoch: engine.epoch), now))
    }
    return outputs
  }
}
