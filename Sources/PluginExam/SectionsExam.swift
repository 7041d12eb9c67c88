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
  private static let pageRows = 100
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
      if attempt > 0 { examRun.hear(for: Self.pause) { false } }
      fault = look(schema, windowed, column, &number)
      guard let fault, !examRun.isAtEnd, !bench.hasFound(.answers) else { return }
      // A missing answer will not arrive by asking again.
      if fault.isEmpty { return }
    }
    if let fault { examRun.find(.sections, fault) }
  }

  /// Checks once; returns the fault, or an empty text when there was no answer.
  private func look(
    _ schema: Schema, _ windowed: WindowedCapabilities, _ column: Int, _ number: inout UInt64
  ) -> String? {
    let name = schema.columns[column].name
    let all = PageRequest.What.rows(after: nil, upTo: nil, skip: 0, count: 1)
    let grouped = Query(group: [column])
    guard case .page(let before)? = ask(Query(), [], all, &number) else { return "" }
    guard let answer = ask(grouped, [], .sections(limit: Self.limit), &number) else { return "" }
    guard case .page(let after)? = ask(Query(), [], all, &number) else { return "" }
    let count = windowed.count == .exact && before.count == after.count ? before.count : nil

    let sections: [SectionCount]
    switch answer {
    case .sections(let told): sections = told
    case .failed(let reason):
      // A table with so few rows has no more sections than the limit.
      guard let count, count <= Self.limit else { return nil }
      return "it failed to list the sections by “\(name)” of its \(count) rows: \(reason)"
    case .page: return "it answered with rows when it was asked for sections"
    }
    guard sections.count <= Self.limit else { return "it told \(sections.count) sections; \(Self.limit) were allowed" }
    if let wrong = sections.first(where: { $0.values.count != 1 }) {
      return "a section by one column has \(wrong.values.count) values"
    }
    if let twice = Dictionary(grouping: sections, by: \.values).first(where: { $0.value.count > 1 }) {
      return "it told the section \(Self.words(twice.key)) by “\(name)” \(twice.value.count) times"
    }
    let sum = sections.reduce(0) { $0 + $1.count }
    if let count, sum != count {
      return "its sections by “\(name)” have \(sum) rows, and the table has \(count)"
    }
    guard let section = sections.max(by: { $0.count < $1.count }) else { return nil }
    return look(into: section, column, grouped, windowed, name, &number)
  }

  private func look(
    into section: SectionCount, _ column: Int, _ query: Query, _ windowed: WindowedCapabilities, _ name: String,
    _ number: inout UInt64
  ) -> String? {
    let what = PageRequest.What.rows(after: nil, upTo: nil, skip: 0, count: Self.pageRows)
    guard let answer = ask(query, section.values, what, &number) else { return "" }
    let words = Self.words(section.values)
    guard case .page(let page) = answer else {
      return "it told the section \(words) by “\(name)”, and could not tell its rows"
    }
    if let stranger = page.rows.first(where: {
      $0.cells.indices.contains(column) && $0.cells[column] != section.values[0]
    }) {
      return "row \(stranger.key) was sent for the section \(words) by “\(name)”, and does not belong there"
    }
    if windowed.count == .exact, let count = page.count, count != section.count {
      return "the section \(words) by “\(name)” has \(section.count) rows, and its page says \(count)"
    }
    guard !page.rows.isEmpty || section.count == 0 else {
      return "the section \(words) by “\(name)” has \(section.count) rows, and none came when they were asked for"
    }
    return nil
  }

  /// Sends a query and waits for the answer; `nil` when there is none, which is a separate finding
  /// or an exit.
  private func ask(
    _ query: Query, _ section: [Cell], _ what: PageRequest.What, _ number: inout UInt64
  ) -> ExamRun.QueryAnswer? {
    number += 1
    // Every remote table has been queried before.
    guard var request = examRun.firstQuery else { return nil }
    request.id = PageRequestID(rawValue: number)
    (request.query, request.section, request.what) = (query, section, what)
    let patience = min(bench.schema?.prefetch.patience ?? .zero, bench.options.answer * 4)
    examRun.ask([request], keepingAnswers: true)
    if examRun.hear(for: patience, until: { examRun.answers[request.id] != nil }) { return examRun.answers[request.id] }
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
