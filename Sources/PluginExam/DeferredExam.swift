import ListEngine

/// The part of the exam for deferred cells, which are requested, cancelled in bursts, and requested
/// again.
struct DeferredExam {
  private let examRun: ExamRun
  private let bench: ExamBench

  private static let cells = 20
  private static let cancelRounds = 30

  init(_ examRun: ExamRun) {
    self.examRun = examRun
    bench = examRun.bench
  }

  /// Runs this part of the exam.
  func run() {
    guard let schema = bench.schema, let column = schema.columns.firstIndex(where: \.isDeferred), !examRun.keys.isEmpty
    else { return }
    bench.seen.formUnion([.answers, .cancel])
    let patience = min(schema.prefetch.patience, bench.options.answer * 4)
    // Cells that the exam's session has requested since the first rows arrived, in the middle of
    // the list.
    guard isAnswered("what was in sight", .answers, within: patience) else { return }
    let keys = examRun.keys.sorted { "\($0)" < "\($1)" }.prefix(Self.cells)
    let cells = keys.map { DeferredCell($0, column: column) }
    examRun.load(cells)
    guard isAnswered("the first rows", .answers, within: patience) else { return }
    for round in 0..<Self.cancelRounds {
      examRun.load(cells)
      if round % 3 == 0 { _ = examRun.receive(within: .milliseconds(5)) }
      examRun.cancel(cells)
    }
    examRun.load(cells)
    guard isAnswered("cells that had been cancelled \(Self.cancelRounds) times before", .cancel, within: patience)
    else {
      return
    }
    examRun.load([DeferredCell(Self.missingKey(schema), column: column)])
    _ = isAnswered("a cell of a row that is not there", .answers, within: patience)
  }

  private func isAnswered(_ what: String, _ rule: ExamRule, within patience: Duration) -> Bool {
    if examRun.receive(for: patience, until: { examRun.pendingCells.isEmpty }) { return true }
    // An exit is reported as a separate finding.
    guard !examRun.isAtEnd, let schema = bench.schema else { return false }
    // The smallest key, so that reports are reproducible.
    let names = examRun.pendingCells.map { (column: $0.column, key: "\($0.key)") }
    guard let cell = names.min(by: { ($0.key, $0.column) < ($1.key, $1.column) }) else { return false }
    examRun.find(
      rule,
      "\(examRun.pendingCells.count) loads were not answered within \(patience), of \(what); one is “\(schema.columns[cell.column].name)” of row \(cell.key)"
    )
    return false
  }

  /// Returns a key that no row has.
  static func missingKey(_ schema: Schema) -> RowKey {
    schema.key == .integer ? .integer(-9_007_199_254_740_881) : .text("rowcast-exam: no such row")
  }
}
