import ListEngine

/// The part of the exam for remote tables: a block is requested, cancelled in bursts, and requested
/// again.
struct WindowedExam {
  private let examRun: ExamRun
  private let bench: ExamBench

  private static let cancelRounds = 30
  /// The first request ID of this part.
  ///
  /// The engine counts from 1.
  private static let firstNumber: UInt64 = 1 << 40

  init(_ examRun: ExamRun) {
    self.examRun = examRun
    bench = examRun.bench
  }

  /// Runs this part of the exam.
  func run() {
    guard let schema = bench.schema, let windowed = schema.windowed, var request = examRun.firstQuery else { return }
    bench.seen.formUnion([.answers, .cancel])
    let patience = min(schema.prefetch.patience, bench.options.answer * 4)
    guard isAnswered("what was in sight", .answers, within: patience) else { return }
    request.id = BlockRequestID(rawValue: Self.firstNumber)
    examRun.ask([request])
    guard isAnswered("the first page", .answers, within: patience), windowed.cancels else { return }
    for round in 1...Self.cancelRounds {
      request.id = BlockRequestID(rawValue: Self.firstNumber + UInt64(round))
      examRun.ask([request])
      if round % 3 == 0 { _ = examRun.receive(within: .milliseconds(5)) }
      examRun.cancel([request.id])
    }
    request.id = BlockRequestID(rawValue: Self.firstNumber + UInt64(Self.cancelRounds) + 1)
    examRun.ask([request])
    _ = isAnswered("a page that had been cancelled \(Self.cancelRounds) times before", .cancel, within: patience)
  }

  private func isAnswered(_ what: String, _ rule: ExamRule, within patience: Duration) -> Bool {
    if examRun.receive(for: patience, until: { examRun.queried.isEmpty }) { return true }
    // An exit is reported as a separate finding.
    guard !examRun.isAtEnd, let id = examRun.queried.min(by: { $0.rawValue < $1.rawValue }) else { return false }
    examRun.find(
      rule, "\(examRun.queried.count) queries were not answered within \(patience), of \(what); one is \(id.rawValue)")
    return false
  }
}
