import ListEngine

/// The part of the exam for sections of remote tables, which must be complete and contain the rows
/// they claim.
///
/// Since the table may change meanwhile, faults are checked again, and only persistent ones become
/// findings.
struct SectionsExam {
  private let examRun: ExamRun
  private let bench: ExamBench

  private static let attempts = 3
  private static let pause = Duration.seconds(1)
  /// The limit that the engine uses.
  private static let limit = Limits().windowedSections
  private static let blockRows = 100
  private static let firstNumber: UInt64 = 1 << 41

  init(_ examRun: ExamRun) {
    self.examRun = examRun
    bench = examRun.bench
  }

  /// Runs this part of the exam.
  func run() {
    guard let schema = bench.schema, let windowed = schema.windowed, let column = windowed.group.min() else { return }
    bench.seen.insert(.sections)
    var number = Self.firstNumber
    var fault: String?
    for attempt in 0..<Self.attempts {
      // A source may update its counts asynchronously after a change.
      if attempt > 0 { examRun.receive(for: Self.pause) { false } }
      fault = check(schema, windowed, column, &number)
      guard let fault, !examRun.isAtEnd, !bench.hasFound(.answers) else { return }
      // A missing answer will not arrive by asking again.
      if fault.isEmpty { return }
    }
    if let fault { examRun.find(.sections, fault) }
  }

  /// Checks once; returns the fault, or an empty text when there was no answer.
  private func check(
    _ schema: Schema, _ windowed: WindowedCapabilities, _ column: Int, _ number: inout UInt64
  ) -> String? {
    let name = schema.columns[column].name
    let all = BlockRequest.What.rows(after: nil, upTo: nil, skip: 0, count: 1)
    let grouped = Query(group: [column])
    guard case .block(let before)? = ask(Query(), [], all, &number) else { return "" }
    guard let answer = ask(grouped, [], .sections(limit: Self.limit), &number) else { return "" }
    guard case .block(let after)? = ask(Query(), [], all, &number) else { return "" }
    let count = windowed.count == .exact && before.count == after.count ? before.count : nil

    let sections: [SectionCount]
    switch answer {
    case .sections(let reported): sections = reported
    case .failed(let reason):
      // A table with so few rows has no more sections than the limit.
      guard let count, count <= Self.limit else { return nil }
      return "it failed to list the sections by “\(name)” of its \(count) rows: \(reason)"
    case .block: return "it answered with rows when it was asked for sections"
    }
    guard sections.count <= Self.limit else {
      return "it returned \(sections.count) sections; \(Self.limit) were allowed"
    }
    if let wrong = sections.first(where: { $0.values.count != 1 }) {
      return "a section by one column has \(wrong.values.count) values"
    }
    if let twice = Dictionary(grouping: sections, by: \.values).first(where: { $0.value.count > 1 }) {
      return "it returned the section \(Self.words(twice.key)) by “\(name)” \(twice.value.count) times"
    }
    let sum = sections.reduce(0) { $0 + $1.count }
    if let count, sum != count {
      return "its sections by “\(name)” have \(sum) rows, and the table has \(count)"
    }
    guard let section = sections.max(by: { $0.count < $1.count }) else { return nil }
    return check(into: section, column, grouped, windowed, name, &number)
  }

  private func check(
    into section: SectionCount, _ column: Int, _ query: Query, _ windowed: WindowedCapabilities, _ name: String,
    _ number: inout UInt64
  ) -> String? {
    let what = BlockRequest.What.rows(after: nil, upTo: nil, skip: 0, count: Self.blockRows)
    guard let answer = ask(query, section.values, what, &number) else { return "" }
    let words = Self.words(section.values)
    guard case .block(let block) = answer else {
      return "it returned the section \(words) by “\(name)”, but not its rows"
    }
    if let unexpected = block.rows.first(where: {
      $0.cells.indices.contains(column) && $0.cells[column] != section.values[0]
    }) {
      return "row \(unexpected.key) was sent for the section \(words) by “\(name)”, and does not belong there"
    }
    if windowed.count == .exact, let count = block.count, count != section.count {
      return "the section \(words) by “\(name)” has \(section.count) rows, and its page says \(count)"
    }
    guard !block.rows.isEmpty || section.count == 0 else {
      return "the section \(words) by “\(name)” has \(section.count) rows, and none came when they were asked for"
    }
    return nil
  }

  /// Sends a query and waits for the answer; `nil` when there is none, which is a separate finding
  /// or an exit.
  private func ask(
    _ query: Query, _ section: [Cell], _ what: BlockRequest.What, _ number: inout UInt64
  ) -> ExamRun.QueryAnswer? {
    number += 1
    // Every remote table has been queried before.
    guard var request = examRun.firstQuery else { return nil }
    request.id = BlockRequestID(rawValue: number)
    (request.query, request.section, request.what) = (query, section, what)
    let patience = min(bench.schema?.prefetch.patience ?? .zero, bench.options.answer * 4)
    examRun.ask([request], keepingAnswers: true)
    if examRun.receive(for: patience, until: { examRun.answers[request.id] != nil }) {
      return examRun.answers[request.id]
    }
    if !examRun.isAtEnd {
      examRun.find(.answers, "query \(number), of sections and their rows, was not answered within \(patience)")
    }
    return nil
  }

  private static func words(_ values: [Cell]) -> String {
    values.map { value in
      switch value {
      case .null: "“”"
      case .text(let text), .image(let text): "“\(text.prefix(80))”"
      case .integer(let number): "“\(number)”"
      case .number(let number): "“\(number)”"
      case .boolean(let flag): "“\(flag)”"
      case .timestamp(let moment): "“\(moment)”"
      case .series: "“...”"
      }
    }.joined(separator: ", ")
  }
}
