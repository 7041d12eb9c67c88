import ListEngine

/// The part of the exam for deferred cells, which are requested, cancelled in bursts, and requested
/// again.
struct DeferredExam {
  private let run: ExamRun
  private let bench: ExamBench

  private static let cells = 20
  private static let storms = 30

  init(_ run: ExamRun) {
    self.run = run
    bench = run.bench
  }

  /// Runs this part of the exam.
  func run() {
    guard let schema = bench.schema, let column = schema.columns.firstIndex(where: \.isDeferred), !run.keys.isEmpty
    else { return }
    bench.seen.formUnion([.answers, .cancel])
    let patience = min(schema.prefetch.patience, bench.options.answer * 4)
    // Cells that the exam's session has requested since the first rows arrived, in the middle of
    // the list.
    guard isAnswered("what was in sight", .answers, within: patience) else { return }
    let keys = run.keys.sorted { "\($0)" < "\($1)" }.prefix(Self.cells)
    let cells = keys.map { DeferredCell($0, column: column) }
    run.load(cells)
    guard isAnswered("the first rows", .answers, within: patience) else { return }
    for storm in 0..<Self.storms {
      run.load(cells)
      if storm % 3 == 0 { _ = run.hear(within: .milliseconds(5)) }
      run.cancel(cells)
    }
    run.load(cells)
    guard isAnswered("cells that had been cancelled \(Self.storms) times before", .cancel, within: patience) else {
      return
    }
    run.load([DeferredCell(Self.missingKey(schema), column: column)])
    _ = isAnswered("a cell of a row that is not there", .answers, within: patience)
  }

  private func isAnswered(_ what: String, _ rule: ExamRule, within patience: Duration) -> Bool {
    if run.hear(for: patience, until: { run.asked.isEmpty }) { return true }
    // An exit is reported as a separate finding.
    guard !run.isAtEnd, let schema = bench.schema else { return false }
    // The smallest key, so that reports are reproducible.
    let names = run.asked.map { (column: $0.column, key: "\($0.key)") }
    guard let cell = names.min(by: { ($0.key, $0.column) < ($1.key, $1.column) }) else { return false }
    run.find(
      rule,
      "\(run.asked.count) loads were not answered within \(patience), of \(what); one is “\(schema.columns[cell.column].name)” of row \(cell.key)"
    )
    return false
  }

  /// Returns a key that no row has.
  static func missingKey(_ schema: Schema) -> RowKey {
    schema.key == .integer ? .integer(-9_007_199_254_740_881) : .text("rowcast-exam: no such row")
  }
}
