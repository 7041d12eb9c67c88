import ListEngine

/// The part of the exam for remote tables: a block is requested, cancelled in bursts, and requested
/// again.
struct WindowedExam {
  private let run: ExamRun
  private let bench: ExamBench

  private static let storms = 30
  /// The first request ID of this part.
  ///
  /// The engine counts from 1.
  private static let firstNumber: UInt64 = 1 << 40

  init(_ run: ExamRun) {
    self.run = run
    bench = run.bench
  }

  /// Runs this part of the exam.
  func run() {
    guard let schema = bench.schema, let windowed = schema.windowed, var request = run.firstQuery else { return }
    bench.seen.formUnion([.answers, .cancel])
    let patience = min(schema.prefetch.patience, bench.options.answer * 4)
    guard isAnswered("what was in sight", .answers, within: patience) else { return }
    request.id = PageRequestID(rawValue: Self.firstNumber)
    run.ask([request])
    guard isAnswered("the first page", .answers, within: patience), windowed.cancels else { return }
    for storm in 1...Self.storms {
      request.id = PageRequestID(rawValue: Self.firstNumber + UInt64(storm))
      run.ask([request])
      if storm % 3 == 0 { _ = run.hear(within: .milliseconds(5)) }
      run.cancel([request.id])
    }
    request.id = PageRequestID(rawValue: Self.firstNumber + UInt64(Self.storms) + 1)
    run.ask([request])
    _ = isAnswered("a page that had been cancelled \(Self.storms) times before", .cancel, within: patience)
  }

  private func isAnswered(_ what: String, _ rule: ExamRule, within patience: Duration) -> Bool {
    if run.hear(for: patience, until: { run.queried.isEmpty }) { return true }
    // An exit is reported as a separate finding.
    guard !run.isAtEnd, let id = run.queried.min(by: { $0.rawValue < $1.rawValue }) else { return false }
    run.find(
      rule, "\(run.queried.count) queries were not answered within \(patience), of \(what); one is \(id.rawValue)")
    return false
  }
}
