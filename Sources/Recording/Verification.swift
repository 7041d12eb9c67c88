import ListEngine
import Locales

/// Lets what was recorded happen again to a new engine, and compares every answer.
///
///     let report = try Verification.run(path: "monday.rowcast")
///     report.firstDifference    // nil: every message came out byte for byte as it was
public enum Verification {
  /// What came of it.
  public struct Report: Hashable, Sendable {
    /// How many records were read.
    public var records = 0
    /// How many answers were compared.
    public var answers = 0
    /// How many messages and wishes they had.
    public var outputs = 0
    /// How much time the recording covers.
    public var length: Duration = .zero
    /// The number of the record, from 1, at which the engine answered something else; the rest was not looked at.
    public var firstDifference: Int?
    /// Whether the file ended within a record.
    public var isTorn = false
  }

  /// Runs a recording through a new engine.
  ///
  /// - Throws: ``RecordingError`` when it cannot be read, or at the first byte that is damaged.
  public static func run(path: String) throws(RecordingError) -> Report {
    var reader = try RecordingReader(path: path)
    var engine = Engine(epoch: reader.header.epoch, limits: reader.header.limits, collators: LocaleCollator.find)
    var report = Report()
    var first: Instant?
    var tables = 0
    while true {
      let place = reader.place
      guard let record = try reader.next() else { break }
      report.records += 1
      first = first ?? record.moment
      report.length = first!.duration(to: record.moment)
      switch record {
      case .table(let schema, let moment):
        // A schema that was refused then is refused now.
        if (try? engine.addTable(schema, at: moment)) != nil { tables += 1 }
      case .replacement(let table, let schema, let moment):
        guard (0..<tables).contains(table.rawValue) else { throw .damaged(atByte: place) }
        try? engine.replaceTable(table, with: schema, at: moment)
      case .input(let input, let moment):
        guard input.names.map({ $0.rawValue < tables && $0.rawValue >= 0 }) ?? true else {
          throw .damaged(atByte: place)
        }
        engine.handle(input, at: moment)
      case .interval(let interval, _): engine.setInterval(interval)
      case .answer(let digest, let moment):
        report.answers += 1
        report.outputs += digest.count
        guard AnswerDigest(engine.advance(to: moment), epoch: engine.epoch) == digest else {
          report.firstDifference = report.records
          return report
        }
      }
    }
    report.isTorn = reader.isTorn
    return report
  }
}

extension Input {
  /// The table that it is about, where it names one by number.
  fileprivate var names: TableID? {
    switch self {
    case .changes(let table, _), .loaded(let table, _, _, _), .failed(let table, _, _, _), .forget(let table, _, _),
      .source(let table, _, _, _), .page(let table, _, _), .sections(let table, _, _), .pageFailed(let table, _, _),
      .sourceChanged(let table):
      table
    default: nil
    }
  }
}
