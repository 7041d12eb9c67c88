import ListEngine
import Locales

/// Replays a recording with a new engine and compares all outputs.
///
///     let report = try Verification.run(path: "monday.rowcast")
///     report.firstDifference    // nil: all outputs are identical
public enum Verification {
  /// The result of a verification.
  public struct Report: Hashable, Sendable {
    /// The number of records that were read.
    public var records = 0
    /// The number of compared answers.
    public var answers = 0
    /// The number of messages and source requests in these answers.
    public var outputs = 0
    /// The time that the recording covers.
    public var length: Duration = .zero
    /// The number of the first record with a different answer, counted from 1; later records are
    /// not checked.
    public var firstDifference: Int?
    /// Whether the file ends within a record.
    public var isTorn = false
  }

  /// Replays a recording with a new engine.
  ///
  /// - Throws: ``RecordingError`` if the file is unreadable, or at the first damaged byte.
  public static func run(path: String) throws(RecordingError) -> Report {
    var reader = try RecordingReader(path: path)
    let header = reader.header
    var engine = Engine(
      epoch: header.epoch, limits: header.limits, sharesRowIDs: header.sharesRowIDs ?? false,
      collators: LocaleCollator.find)
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
        // A schema that was refused in the recorded run is refused again.
        if (try? engine.addTable(schema, at: moment)) != nil { tables += 1 }
      case .replacement(let table, let schema, let moment):
        guard (0..<tables).contains(table.rawValue) else { throw .damaged(atByte: place) }
        try? engine.replaceTable(table, with: schema, at: moment)
      case .input(let input, let moment):
        guard input.names.map({ $0.rawValue < tables && $0.rawValue >= 0 }) ?? true else {
          throw .damaged(atByte: place)
        }
        engine.handle(input, at: moment)
      case .interval(let interval, let moment): engine.setInterval(interval, at: moment)
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
  /// The table that the input refers to by number, or nil.
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
