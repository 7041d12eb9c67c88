import ListEngine
import SourceRuntime

/// The text of one upload or connection, which is converted to rows.
final class PushedText {
  /// The number of the upload; `nil` for a connection of a Unix socket.
  let id: UInt64?
  /// Whether the text is the complete list.
  let replaces: Bool
  var report = UploadReport()
  /// The number of rows and faults found so far.
  private(set) var found = 0

  private var lines = LineSplitter()
  private var decoding = TextDecoding()
  private(set) var reader: TextReader
  /// The reason why the bytes are not text, or `nil`.
  private(set) var refusal: String?

  /// The formats of media types; other types leave the format of the options, or the inference on.
  private static let formats: [String: TextFormat] = [
    "application/x-ndjson": .ndjson, "application/ndjson": .ndjson, "application/jsonl": .ndjson, "text/csv": .csv,
    "text/tab-separated-values": .tsv,
  ]

  init(id: UInt64?, _ head: UploadHead, options: TextOptions) {
    self.id = id
    replaces = head.replaces
    let format = options.pattern == nil ? Self.formats[head.mediaType] ?? options.format : nil
    reader = TextReader(format: format, options: options)
  }

  /// Reads bytes and returns the rows that they complete.
  func read(_ bytes: UnsafeRawBufferPointer) -> [TextReader.Found] {
    guard refusal == nil else { return [] }
    switch decoding.take(bytes) {
    case .unchanged: split(bytes)
    case .text(let text): text.withUnsafeBytes { split($0) }
    case .binary(let reason): refusal = reason
    }
    return taken()
  }

  private func split(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let room = lines.room()
      let part = rest.prefix(room.count)
      room.copyBytes(from: part)
      lines.take(part.count)
      rest = rest.dropFirst(part.count)
      while let line = lines.next() { reader.read(line, limit: lines.limit) }
    }
  }

  /// Whether rows wait for the reader's inference.
  var isSampling: Bool { reader.isSampling }

  /// Ends the line that was begun, as between two datagrams.
  func endLine() -> [TextReader.Found] {
    if let line = lines.rest() { reader.read(line, limit: lines.limit) }
    return taken()
  }

  /// Runs pending inference, because the input has paused, and returns the rows.
  func settle() -> [TextReader.Found] {
    reader.settle()
    return taken()
  }

  /// Reads the rest at the end of the text, and returns the rows.
  ///
  /// - Parameter isWhole: Whether the text was received to its end. Otherwise its last line is
  ///   incomplete, and left out.
  func end(isWhole: Bool) -> [TextReader.Found] {
    guard refusal == nil else { return [] }
    report.lines = lines.number
    if isWhole, let line = lines.rest() { reader.read(line, limit: lines.limit) }
    reader.end()
    return taken()
  }

  private func taken() -> [TextReader.Found] {
    guard reader.hasRows else { return [] }
    let rows = reader.takeRows()
    found += rows.count
    return rows
  }

  /// Completes the report with the number of rows that were left out.
  func finish(failure: UploadReport.Failure? = nil) -> UploadReport {
    report.rejected = max(0, found - report.accepted)
    report.failure = failure ?? refusal.map { .unreadable($0) }
    return report
  }
}
