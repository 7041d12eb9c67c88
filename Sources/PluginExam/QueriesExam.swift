import ListEngine

/// The part of the exam for remote tables: answers must have the requested order, filter and number
/// of rows.
///
/// Rows are first read without a filter, up to a limit. Answers to other queries are compared with
/// them, and each block with its query. Since the table may change meanwhile, everything is checked
/// several times, and only persistent faults become findings. Faults found by comparing answers
/// count only when the rows were the same before and afterwards.
struct QueriesExam {
  /// A fault in one or several answers.
  private struct Fault {
    var rule: ExamRule
    var message: String
    var line: Int?
    /// Whether the fault shows only by comparing several answers.
    var comparesAnswers = false
  }

  /// A missing answer, which is reported as a separate finding.
  private struct Silence: Error {}

  /// The rows of one query, read block by block.
  private struct Reading: Equatable {
    var rows: [RowBlock.Row] = []
    /// Whether the query has no further rows.
    var isWhole = false
    var lastLine: Int?

    static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.isWhole == rhs.isWhole
        && lhs.rows.elementsEqual(rhs.rows) { $0.key == $1.key && $0.cells == $1.cells }
    }
  }

  private let examRun: ExamRun
  private let bench: ExamBench
  private let schema: Schema
  private let windowed: WindowedCapabilities
  private var number = UInt64(1) << 42
  private var faults: [ExamRule: Fault] = [:]
  /// The rows of the unfiltered table.
  private var known = Reading()

  private static let attempts = 3
  private static let pause = Duration.seconds(1)
  private static let blockRows = 100
  private static let knownRows = 1_000
  private static let comparedRows = 200
  private static let columns = 4

  /// Creates this part of the exam; `nil` when the table is not remote or was never queried.
  init?(_ examRun: ExamRun) {
    guard let schema = examRun.bench.schema, let windowed = schema.windowed, examRun.firstQuery != nil else {
      return nil
    }
    (self.examRun, bench, self.schema, self.windowed) = (examRun, examRun.bench, schema, windowed)
  }

  /// Runs this part of the exam.
  mutating func run() {
    // Unanswered or unreadable queries are findings already, and leave nothing more to check.
    guard !bench.hasFound(.answers), !bench.hasFound(.cancel), !bench.hasFound(.rows) else { return }
    bench.seen.formUnion([.pages])
    if windowed.count == .exact { bench.seen.insert(.counts) }
    if !windowed.sort.isEmpty { bench.seen.insert(.order) }
    if !windowed.filters.isEmpty || windowed.searches { bench.seen.insert(.filter) }
    var lasting: [ExamRule: Fault]?
    for attempt in 0..<Self.attempts {
      if attempt > 0 { examRun.receive(for: Self.pause) { false } }
      do throws(Silence) { try check() } catch { return }
      lasting = faults.filter { lasting == nil || lasting![$0.key] != nil }
      if lasting!.isEmpty { return }
    }
    for fault in lasting!.sorted(by: { $0.key < $1.key }).map(\.value) {
      examRun.find(fault.rule, fault.message, fault.line)
    }
  }

  /// Checks everything once.
  mutating private func check() throws(Silence) {
    faults = [:]
    known = try read(Query(), rows: Self.knownRows, "without a filter")
    try checkPlaces()
    try checkOrders()
    try checkFilters()
    try checkSections()
    guard faults.values.contains(where: \.comparesAnswers) else { return }
    let before = known
    let found = faults
    let after = try read(Query(), rows: Self.knownRows, "without a filter")
    faults = found.filter { !$0.value.comparesAnswers || before == after }
  }

  mutating private func note(_ rule: ExamRule, _ message: String, _ line: Int?, comparesAnswers: Bool = false) {
    // A fault in a single answer is more certain and takes precedence.
    if let fault = faults[rule], comparesAnswers || !fault.comparesAnswers { return }
    faults[rule] = Fault(rule: rule, message: message, line: line, comparesAnswers: comparesAnswers)
  }

  // MARK: Positions

  /// Checks that offsets and cursors return the same rows.
  mutating private func checkPlaces() throws(Silence) {
    let rows = known.rows
    guard rows.count > 1 else { return }
    if windowed.paging != .keyset {
      for skip in Set([0, 1, rows.count / 2, rows.count - 1]).sorted() {
        let count = min(7, rows.count - skip)
        guard let (block, line) = try ask(Query(), skip: skip, count: count, .pages, "of rows \(skip + 1) and on")
        else {
          return
        }
        // A source that supports keyset paging may return fewer rows if they are large.
        let expected = windowed.paging != .offset && block.hasMore && !block.rows.isEmpty ? block.rows.count : count
        compare(block.rows, with: rows[skip..<skip + expected], "after \(skip) rows were skipped", line)
      }
    }
    if windowed.paging != .offset {
      let half = max(1, min(rows.count, Self.blockRows) / 2)
      guard let (first, _) = try ask(Query(), count: half, .pages, "of the first rows"), let end = first.end else {
        return
      }
      let middle = rows.count - first.rows.count
      guard let (rest, line) = try ask(Query(), after: end, count: min(half, max(1, middle)), .pages, "behind a place")
      else { return }
      compare(
        rest.rows, with: rows.dropFirst(first.rows.count).prefix(max(1, rest.rows.count)),
        "behind the place of row \(first.rows.count)", line)
      guard
        let (again, ending) = try ask(
          Query(), upTo: end, count: min(Self.blockRows, half + 5), .pages, "through a place")
      else { return }
      compare(again.rows, with: rows.prefix(first.rows.count), "through the place of row \(first.rows.count)", ending)
    }
    // Check the last rows against the count.
    guard windowed.paging != .keyset, !known.isWhole, windowed.count == .exact else { return }
    guard let (block, _) = try ask(Query(), count: 1, .pages, "of the first row"), let count = block.count,
      !block.isCountEstimated, count > 5
    else { return }
    guard let (last, line) = try ask(Query(), skip: count - 5, count: 10, .counts, "of the last rows") else { return }
    if last.rows.count != 5 || last.hasMore, last.count == count {
      note(
        .counts,
        "it counts \(count) rows, and after \(count - 5) of them \(last.rows.count) came instead of 5"
          + (last.hasMore ? ", with more behind them" : ""), line, comparesAnswers: true)
    }
  }

  mutating private func compare(
    _ rows: [RowBlock.Row], with expected: ArraySlice<RowBlock.Row>, _ where: String, _ line: Int?
  ) {
    guard !rows.map(\.key).elementsEqual(expected.map(\.key)) else { return }
    let place = zip(rows, expected).enumerated().first { $0.element.0.key != $0.element.1.key }
    let words =
      if let place {
        "row \(Self.written(place.element.0.key)) came where row \(Self.written(place.element.1.key)) is"
      } else {
        "\(rows.count) rows came instead of \(expected.count)"
      }
    note(.pages, "\(`where`), \(words) when all rows are read from the first", line, comparesAnswers: true)
  }

  // MARK: Orders

  mutating private func checkOrders() throws(Silence) {
    let columns = windowed.sort.sorted().prefix(Self.columns)
    var sorts = columns.flatMap { [[SortTerm($0)], [SortTerm($0, descending: true)]] }
    if columns.count > 1 { sorts.append([SortTerm(columns[0]), SortTerm(columns[1], descending: true)]) }
    if columns.count > 1 {
      sorts.append([SortTerm(columns[columns.count - 1], descending: true), SortTerm(columns[0])])
    }
    for sort in sorts {
      let query = Query(sort: sort)
      let words = "sorted by \(Self.words(sort, schema))"
      let reading = try read(query, rows: Self.comparedRows, words)
      expect(known.rows, in: reading, of: query, words, .pages)
      // The order of ties is up to the source, but it must be stable.
      guard let (again, line) = try ask(query, count: Self.blockRows, .order, words) else { continue }
      let first = reading.rows.prefix(again.rows.count)
      if !again.rows.map(\.key).elementsEqual(first.map(\.key)) {
        note(
          .order, "\(words), the first rows came in another order when they were asked for again", line,
          comparesAnswers: true)
      }
    }
  }

  /// Checks that the rows that match a query are in the part of the answer that was read.
  mutating private func expect(
    _ rows: [RowBlock.Row], in reading: Reading, of query: Query, _ words: String, _ rule: ExamRule
  ) {
    let keys = Set(reading.rows.map(\.key))
    let check = BlockCheck(schema, query)
    for row in rows where !keys.contains(row.key) && check.passes(row.cells) == true {
      if reading.isWhole {
        return note(
          rule, "\(words), row \(Self.written(row.key)) is missing", reading.lastLine, comparesAnswers: true)
      }
      guard let last = reading.rows.last, !query.sort.isEmpty, check.fault(in: [last, row]) != nil else { continue }
      return note(
        .order, "\(words), row \(Self.written(row.key)) belongs before row \(Self.written(last.key)), and did not come",
        reading.lastLine, comparesAnswers: true)
    }
    guard reading.isWhole, known.isWhole, query.filter == nil, query.search.isEmpty else { return }
    let all = Set(rows.map(\.key))
    if let unexpected = reading.rows.first(where: { !all.contains($0.key) }) {
      note(
        rule, "\(words), row \(Self.written(unexpected.key)) came, which is not there without", reading.lastLine,
        comparesAnswers: true)
    }
  }

  // MARK: Filters

  mutating private func checkFilters() throws(Silence) {
    let samples = FilterSamples(schema, windowed, known.rows)
    for filter in samples.filters {
      let words = "filtered by \(Self.words(filter, schema))"
      let query = Query(filter: filter)
      expect(known.rows, in: try read(query, rows: Self.comparedRows, words), of: query, words, .filter)
    }
    if windowed.searches, let needle = samples.needle {
      let words = "with the search “\(needle)”"
      let query = Query(search: needle)
      expect(known.rows, in: try read(query, rows: Self.comparedRows, words), of: query, words, .filter)
    }
  }

  // MARK: Sections

  /// Checks the sections against the complete list of rows.
  mutating private func checkSections() throws(Silence) {
    guard known.isWhole else { return }
    let columns = windowed.group.sorted().prefix(2).filter { schema.columns[$0].type != .number }
    var groups = columns.map { [$0] }
    if columns.count > 1 { groups.append(Array(columns)) }
    for group in groups {
      let words = group.map { "“\(schema.columns[$0].name)”" }.joined(separator: " and ")
      let (answer, line) = try answer(Query(group: group), .sections(limit: Limits().windowedSections))
      guard case .sections(let sections) = answer else { continue }
      let expected = Dictionary(grouping: known.rows) { row in group.map { row.cells[$0] } }.mapValues(\.count)
      for section in sections where expected[section.values] != section.count {
        note(
          .sections,
          "it tells \(section.count) rows in the section \(Self.words(section.values)) by \(words), where there are \(expected[section.values] ?? 0)",
          line, comparesAnswers: true)
      }
      let reported = Set(sections.map(\.values))
      if let missing = expected.keys.first(where: { !reported.contains($0) }) {
        note(.sections, "it does not list the section \(Self.words(missing)) by \(words)", line, comparesAnswers: true)
      }
    }
  }

  // MARK: Queries

  /// Reads the rows of a query block by block from the first, and checks each block.
  mutating private func read(_ query: Query, rows limit: Int, _ words: String) throws(Silence) -> Reading {
    var reading = Reading()
    var keys: Set<RowKey> = []
    var after: BlockCursor?
    let check = BlockCheck(schema, query)
    let isExact = windowed.count == .exact
    let rule: ExamRule = !query.sort.isEmpty ? .order : query == Query() ? .pages : .filter
    while reading.rows.count < limit {
      let skip = windowed.paging == .offset ? reading.rows.count : 0
      guard let (block, line) = try ask(query, after: after, skip: skip, count: Self.blockRows, rule, words) else {
        break
      }
      reading.lastLine = line
      // A malformed row is reported as a separate finding.
      guard block.rows.allSatisfy({ $0.cells.count == schema.columns.count }) else { throw Silence() }
      switch check.fault(in: reading.rows.suffix(1) + block.rows) {
      case .order(let row, let previous, let column):
        note(
          .order,
          "\(words), row \(Self.written(row)) came after row \(Self.written(previous)): by “\(schema.columns[column].name)” it belongs before it",
          line)
      case .filter(let row): note(.filter, "\(words), row \(Self.written(row)) came, which does not pass", line)
      case .section, nil: break
      }
      if let twice = block.rows.first(where: { !keys.insert($0.key).inserted }) {
        note(.pages, "\(words), row \(Self.written(twice.key)) is in two pages", line)
        break
      }
      reading.rows += block.rows
      if isExact, !block.isCountEstimated, let count = block.count,
        block.hasMore ? count <= reading.rows.count : count != reading.rows.count
      {
        note(
          .counts,
          "\(words), it counts \(count) rows, and \(reading.rows.count) came"
            + (block.hasMore ? " with more behind them" : ""),
          line)
      }
      reading.isWhole = !block.hasMore
      guard block.hasMore else { break }
      if block.rows.isEmpty || windowed.paging == .offset && block.rows.count < Self.blockRows {
        note(
          .pages, "\(words), a page has \(block.rows.count) of \(Self.blockRows) rows, and says that more follow", line)
        break
      }
      guard windowed.paging != .offset else { continue }
      guard let end = block.end, end != after else {
        note(.pages, "\(words), more rows follow, and it does not say the place (“end”) behind which they do", line)
        break
      }
      after = end
    }
    return reading
  }

  /// Requests rows; returns `nil` after noting a fault when the answer is a failure or unsuitable.
  mutating private func ask(
    _ query: Query, after: BlockCursor? = nil, upTo: BlockCursor? = nil, skip: Int = 0, count: Int, _ rule: ExamRule,
    _ words: String
  ) throws(Silence) -> (RowBlock, line: Int?)? {
    let (answer, line) = try answer(query, .rows(after: after, upTo: upTo, skip: skip, count: count))
    switch answer {
    case .block(let block):
      if block.rows.count > count {
        note(.pages, "\(words), \(block.rows.count) rows came where \(count) were asked for", line)
        return nil
      }
      return (block, line)
    case .failed(let reason): note(rule, "\(words), it could not answer: \(reason)", line)
    case .sections: note(rule, "\(words), sections came where rows were asked for", line)
    }
    return nil
  }

  mutating private func answer(
    _ query: Query, _ what: BlockRequest.What
  ) throws(Silence) -> (ExamRun.QueryAnswer, line: Int?) {
    number += 1
    guard var request = examRun.firstQuery else { throw Silence() }
    request.id = BlockRequestID(rawValue: number)
    (request.query, request.section, request.what) = (query, [], what)
    let patience = min(schema.prefetch.patience, bench.options.answer * 4)
    examRun.ask([request], keepingAnswers: true)
    examRun.receive(for: patience) { examRun.answers[request.id] != nil }
    guard let answer = examRun.answers[request.id] else {
      if !examRun.isAtEnd { examRun.find(.answers, "query \(number) was not answered within \(patience)") }
      throw Silence()
    }
    defer { examRun.forgetAnswer(to: request.id) }
    return (answer, examRun.answerLines[request.id])
  }
}
