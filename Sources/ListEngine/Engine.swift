/// The door: inputs and moments go in, outputs and a deadline come out.
///
///     var engine = Engine(epoch: "5f0c")
///     let table = try engine.addTable(schema, at: now)
///     engine.handle(.changes(table, changes), at: now)
///     for output in engine.advance(to: now) { ... }      // deliver, status, tables, refuse
///     engine.deadline                                     // call advance again then; nil when nothing waits
///
/// It opens nothing, reads no clock and draws no random number: the same inputs give the same outputs.
public struct Engine {
  /// Names this run of the engine; another one after a restart.
  public let epoch: String
  /// The bounds in force.
  public let limits: Limits

  /// An engine without tables.
  public init(epoch: String, limits: Limits = Limits()) {
    self.epoch = epoch
    self.limits = limits
  }

  /// Adds a source's table.
  ///
  /// - Throws: ``SchemaError`` when the schema cannot be.
  public mutating func addTable(_ schema: Schema, at now: Instant) throws(SchemaError) -> TableID {
    fatalError("being built")
  }

  /// Takes one thing that happened.
  public mutating func handle(_ input: Input, at now: Instant) {}

  /// Answers with all that is to be done at this moment.
  public mutating func advance(to now: Instant) -> [Output] { [] }

  /// When to call ``advance(to:)`` again if nothing happens before; `nil` when nothing waits.
  public var deadline: Instant? { nil }

  /// All tables in the order of addition.
  public func tables(at now: Instant) -> [TableDescription] { [] }
}
