import LibrarySource
import ListEngine
import Wire

/// The part of the exam for images, which are requested, cancelled in bursts, and requested again.
struct ImagesExam {
  private let examRun: ExamRun
  private let bench: ExamBench

  private static let images = 3
  private static let cancelRounds = 30
  /// The maximum length of a key that a client may request, in bytes.
  private static let greatestKey = 1_024
  private static let missing = "rowcast-exam: no such image"

  init(_ examRun: ExamRun) {
    self.examRun = examRun
    bench = examRun.bench
  }

  /// Runs this part of the exam.
  func run() {
    guard bench.schema?.loadsImages ?? false else { return }
    bench.seen.insert(.images)
    var number: UInt64 = 0
    for key in examRun.imageKeys.sorted().prefix(Self.images) {
      guard key.utf8.count <= Self.greatestKey else {
        return find("a cell has an image's key of \(key.utf8.count) bytes, more than \(Self.greatestKey)")
      }
      number += 1
      examRun.ask(image: number, key)
      guard let outcome = answer(to: number, "the image “\(key.prefix(80))”") else { return }
      // A host in between refuses large images, but the plugin is responsible.
      if case .failed(let reason) = outcome, reason.hasPrefix(ImageCallbacks.tooLarge) {
        return find("the image “\(key.prefix(80))” is not shown: \(reason)")
      }
      // A failure or a missing image is a valid answer.
      guard case .bytes(let bytes) = outcome else { continue }
      if bytes.count > ImageKind.greatestByteCount {
        return find("the image “\(key.prefix(80))” has \(bytes.count) bytes, more than \(ImageKind.greatestByteCount)")
      }
      guard ImageKind(of: bytes) != nil else {
        return find("the image “\(key.prefix(80))” is neither PNG nor JPEG nor WebP nor GIF")
      }
    }
    guard let key = examRun.imageKeys.min() else { return requestMissingImage(&number) }
    for round in 1...Self.cancelRounds {
      number += 1
      examRun.ask(image: number, key)
      if round % 3 == 0 { _ = examRun.receive(within: .milliseconds(5)) }
      examRun.cancel(image: number)
    }
    number += 1
    examRun.ask(image: number, key)
    guard answer(to: number, "an image that had been cancelled \(Self.cancelRounds) times before") != nil else {
      return
    }
    requestMissingImage(&number)
  }

  private func requestMissingImage(_ number: inout UInt64) {
    number += 1
    examRun.ask(image: number, Self.missing)
    if case .bytes? = answer(to: number, "an image that there is not") {
      find("it gave an image for the key “\(Self.missing)”, which it has never sent")
    }
  }

  /// Waits for an answer; reports a finding and returns `nil` when there is none.
  private func answer(to number: UInt64, _ what: String) -> ImageOutcome? {
    let patience = min(.seconds(10), bench.options.answer * 2)
    if examRun.receive(for: patience, until: { examRun.images[number] != nil }) { return examRun.images[number] }
    // An exit is reported as a separate finding.
    if !examRun.isAtEnd { find("request \(number), for \(what), was not answered within \(patience)") }
    return nil
  }

  private func find(_ message: String) { examRun.find(.images, message) }
}
