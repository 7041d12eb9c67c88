import Glibc
import ListEngine
import ProcessSource
import SourceRuntime

/// One start of a plugin under test.
///
/// The server's decoder and engine process its output, and each line is judged.
final class ExamRun {
  /// The name of this start in reports.
  let part: String
  let bench: ExamBench
  let pluginUnderTest: any PluginUnderTest

  private var decoder: ChildDecoder
  private var lines = LineSplitter()
  private var texts: [Int: String] = [:]
  private var badReasons: Set<String> = []
  private var sampleBegan: Instant?
  private var hasBegunList = false
  private var isBeingEnded = false
  private var isLastLine = false

  /// The plugin's hello, once received.
  private(set) var hello: ChildHello?
  /// Whether the output has ended.
  private(set) var isAtEnd = false
  /// The reason why the plugin is unusable, from the plugin or the host.
  ///
  /// Unless it is about settings, the violation of a rule was reported, too.
  private(set) var refusal: String?
  /// Whether a complete list, or rows outside a reload, have arrived.
  private(set) var isListed = false
  /// The time of the last output, or of the start.
  private(set) var receivedAt: Instant
  /// The number of chunks of output received.
  private(set) var receivedCount = 0
  /// The pending requests for deferred cells.
  private(set) var pendingCells: Set<DeferredCell> = []
  /// The pending queries.
  private(set) var queried: Set<BlockRequestID> = []
  /// The first query of the engine, which parts of the exam repeat with changes.
  private(set) var firstQuery: BlockRequest?
  /// The answers to the exam's own queries; see ``ask(_:keepingAnswers:)``.
  private(set) var answers: [BlockRequestID: QueryAnswer] = [:]
  /// The output lines of these answers.
  private(set) var answerLines: [BlockRequestID: Int] = [:]
  private var storedQueries: Set<BlockRequestID> = []
  /// The outcomes of image requests by number.
  private(set) var images: [UInt64: ImageOutcome] = [:]
  /// The image keys in the plugin's rows, up to a limit.
  private(set) var imageKeys: Set<String> = []
  /// The outcomes of actions by ID.
  private(set) var outcomes: [UInt64: ActionOutcome] = [:]
  /// The row keys received, up to a limit.
  private(set) var keys: Set<RowKey> = []
  /// A function that returns the configure message for the plugin.
  private let settings: (ChildHello) -> [UInt8]?

  /// The answer to one of the exam's own queries.
  enum QueryAnswer {
    case block(RowBlock)
    case sections([SectionCount])
    case failed(String)
  }

  private static let otherColumns = "it came back with other columns than before"
  private static let keyLimit = 1_000
  private static let imageLimit = 100
  private static let textLimit = 5_000
  private static let shownBytes = 160

  init(
    _ part: String, _ pluginUnderTest: any PluginUnderTest, _ bench: ExamBench, isReloading: Bool = false,
    settings: @escaping (ChildHello) -> [UInt8]?
  ) {
    self.part = part
    self.bench = bench
    self.pluginUnderTest = pluginUnderTest
    receivedAt = pluginUnderTest.now
    self.settings = settings
    decoder = ChildDecoder(
      name: "plugin", known: bench.schema, isReloading: isReloading,
      refusalOfOtherColumns: Self.otherColumns)
    _ = bench.supervise(.spawned)
    // The host's first message is sent in two pieces, because a line may arrive in parts.
    sendInPieces(HostLine.hello)
  }

  // MARK: Sending

  func sendInPieces(_ line: [UInt8]) {
    let middle = line.count / 2
    send(Array(line[..<middle]))
    // No output is read meanwhile, because an answer would be written in the middle of the line.
    _ = poll(nil, 0, 20)
    send(Array(line[middle...]))
  }

  func send(_ bytes: [UInt8]) { pluginUnderTest.send(bytes, within: bench.options.answer) }

  /// Requests deferred cells.
  func load(_ cells: [DeferredCell]) {
    guard let schema = bench.schema, !cells.isEmpty else { return }
    pendingCells.formUnion(cells)
    send(HostLine.deferred("load", cells, schema))
  }

  /// Cancels requests for deferred cells.
  func cancel(_ cells: [DeferredCell]) {
    guard let schema = bench.schema, !cells.isEmpty else { return }
    pendingCells.subtract(cells)
    send(HostLine.deferred("cancel", cells, schema))
  }

  /// Sends queries on a remote table.
  func ask(_ requests: [BlockRequest], keepingAnswers: Bool = false) {
    guard let schema = bench.schema, schema.windowed != nil else { return }
    firstQuery = firstQuery ?? requests.first
    for request in requests {
      queried.insert(request.id)
      if keepingAnswers { storedQueries.insert(request.id) }
      send(HostLine.query(request, schema))
    }
  }

  /// Discards an answer that was processed.
  func forgetAnswer(to id: BlockRequestID) { (answers[id], answerLines[id]) = (nil, nil) }

  /// Cancels queries.
  func cancel(_ queries: [BlockRequestID]) {
    guard !queries.isEmpty else { return }
    queried.subtract(queries)
    if bench.schema?.windowed?.cancels == true { send(HostLine.cancel(queries)) }
  }

  /// Requests an image.
  func ask(image number: UInt64, _ key: String) { send(HostLine.image(number, key)) }

  /// Cancels an image request.
  func cancel(image number: UInt64) { send(HostLine.cancel(images: [number])) }

  // MARK: Receiving

  /// The current time of the plugin's clock.
  var now: Instant { pluginUnderTest.now }
  /// Whether the plugin has ended other than by completing its list.
  var hasFailed: Bool { isAtEnd && pluginUnderTest.exit.map { $0 != .code(0) || !hasDecodedRows } ?? false }
  private var hasDecodedRows: Bool { isListed || bench.rowCount > 0 }
  /// Whether the plugin is inside a reload.
  var isInsideList: Bool { decoder.isInsideReload }

  /// Reads output until `isEnough` returns true; returns false at the timeout.
  @discardableResult
  func receive(for bound: Duration, atMost count: Int = 1 << 16, until isEnough: () -> Bool) -> Bool {
    let deadline = now.advanced(by: bound)
    while !isEnough() {
      let rest = now.duration(to: deadline)
      guard rest > .zero, !isAtEnd, refusal == nil else { return isEnough() }
      _ = receive(within: min(rest, .milliseconds(50)), atMost: count)
    }
    return true
  }

  /// Reads output once; returns false when none arrived.
  func receive(within bound: Duration, atMost count: Int = 1 << 16) -> Bool {
    guard !isAtEnd else { return false }
    let bytes = pluginUnderTest.read(atMost: count, within: bound)
    bench.keep(log: pluginUnderTest.takeLog())
    defer { settleSample() }
    guard let bytes else {
      bench.pass(bound)
      forwardRequests()
      return false
    }
    receivedAt = now
    guard !bytes.isEmpty else {
      takeEnd()
      return false
    }
    receivedCount += 1
    _ = bench.supervise(.received)
    bench.pass(.milliseconds(10))
    bytes.withUnsafeBytes { source in
      let room = lines.room()
      precondition(room.count >= source.count, "room for \(room.count) of \(source.count) bytes")
      room.copyMemory(from: source)
    }
    lines.take(bytes.count)
    while let line = lines.next() { take(line) }
    forwardRequests()
    return true
  }

  private func takeEnd() {
    isAtEnd = true
    // A plugin ended in the middle of a line is not at fault.
    if let line = lines.rest(), !isBeingEnded {
      isLastLine = true
      take(line)
    }
    bench.seen.insert(.wholeLines)
    decoder.settle()
    takeEvents(line: nil)
    // Fail pending queries, as a host does. The engine repeats them in the next start.
    for id in queried.sorted(by: { $0.rawValue < $1.rawValue }) {
      _ = bench.apply(.pageFailed(id, reason: "its source has ended"))
    }
    queried = []
  }

  /// Whether the output ends in the middle of a line.
  var isInsideLine: Bool { lines.isInsideLine }

  /// Whether the output has paused in the middle of a line.
  var isStuckInLine: Bool { lines.isInsideLine && receivedAt.duration(to: now) >= bench.options.quiet }

  /// Asks the plugin to end.
  ///
  /// From now on its output may end in the middle of a line.
  func terminate() {
    isBeingEnded = true
    pluginUnderTest.terminate()
  }

  /// Kills the plugin at once.
  func kill() {
    isBeingEnded = true
    pluginUnderTest.kill()
  }

  private func shown(_ line: LineSplitter.Line) -> String {
    guard case .whole(let bytes, _) = line else { return "" }
    let text = String(decoding: bytes.prefix(Self.shownBytes), as: UTF8.self)
    return bytes.count > Self.shownBytes ? text + "..." : text
  }

  private func take(_ line: LineSplitter.Line) {
    guard refusal == nil else { return }
    bench.seen.insert(.lines)
    let number = lines.number
    texts[number - Self.textLimit] = nil
    texts[number] = shown(line)
    switch line {
    case .whole(let bytes, let number): decoder.read(bytes, number: number)
    case .tooLong(let number): decoder.noteTooLong(number, limit: lines.limit)
    }
    decoder.flush()
    takeEvents(line: number)
  }

  /// Runs the schema inference when the output pauses.
  private func settleSample() {
    guard decoder.isSampling else { return sampleBegan = nil }
    let began = sampleBegan ?? now
    sampleBegan = began
    guard
      now.duration(to: began.advanced(by: .seconds(1))) <= .zero
        || receivedAt.duration(to: now) >= .milliseconds(200)
    else { return }
    decoder.settle()
    takeEvents(line: nil)
  }

  /// Forwards the engine's requests to the plugin.
  ///
  /// Cancellations of cells are ignored: the exam's session does not scroll, so a cancelled load
  /// has timed out.
  private func forwardRequests() {
    for request in bench.takeRequests() {
      switch request {
      case .load(let cells): load(cells)
      case .ask(let requests): ask(requests)
      case .cancelBlocks(let ids): cancel(ids)
      case .cancel, .image, .cancelImages, .act, .upload: break
      }
    }
  }

  // MARK: Judging

  private func takeEvents(line: Int?) {
    for event in decoder.takeEvents() {
      switch event {
      case .hello(let hello): handleHello(hello)
      case .source(let event): take(event, line)
      case .listed: if hasBegunList { isListed = true }
      case .refused(let reason): refuse(reason, line)
      case .badLine(let reason):
        badReasons.insert(reason)
        find(rule(ofBadLine: reason), reason, line)
      case .badRow(let reason):
        badReasons.insert(reason)
        find(.rows, reason, line)
      }
    }
  }

  private func take(_ event: SourceEvent, _ line: Int?) {
    switch event {
    case .schema(let schema): take(schema, line)
    case .columnsAdded(let schema): if let reason = bench.addColumns(schema) { find(.schema, reason, line) }
    case .changes(let changes): take(changes, line)
    case .loaded(let key, let column, let value):
      pendingCells.remove(DeferredCell(key, column: column))
      bench.seen.insert(.values)
      keep(image: value)
      bench.handle(event)
    case .notLoaded(let key, let column, let reason):
      pendingCells.remove(DeferredCell(key, column: column))
      bench.handle(event)
      if reason.hasPrefix("the value ") { find(.values, "cell of row \(key): \(reason)", line) }
    case .page(let id, _), .sections(let id, _), .pageFailed(let id, _): takeAnswer(event, to: id, line)
    case .sourceChanged: _ = bench.apply(event)
    case .state, .forget, .upload: break
    case .image(let number, let outcome): images[number] = outcome
    case .acted(let id, let outcome):
      if outcomes.updateValue(outcome, forKey: id) != nil {
        find(.actions, "the action \(id) is answered twice", line)
      }
    }
  }

  /// Returns the rule that a malformed line violates.
  ///
  /// The reason begins with the line number.
  private func rule(ofBadLine reason: String) -> ExamRule {
    let words = reason.split(separator: ": ", maxSplits: 1).last ?? ""
    if isLastLine, words.hasPrefix("it is ") { return .wholeLines }
    if words.hasPrefix("it is ") || words.hasPrefix("it has more than ") { return .lines }
    return words.contains("schema was said before") ? .schema : .messages
  }

  private func handleHello(_ hello: ChildHello) {
    self.hello = hello
    bench.level = max(bench.level, 1)
    bench.seen.formUnion([.hello, .messages])
    for fault in hello.settingFaults { bench.find(.settings, in: part, fault, line: 1, output: texts[1] ?? "") }
    if hello.capabilities.contains("health") { _ = bench.supervise(.answersHealth) }
    if let line = settings(hello) { sendInPieces(line) }
  }

  private func take(_ schema: Schema, _ line: Int?) {
    if hello != nil { bench.seen.insert(.schema) }
    if schema.columns.contains(where: \.isDeferred) || schema.windowed != nil || schema.loadsImages {
      bench.level = max(bench.level, 2)
    }
    if !schema.actions.isEmpty { bench.level = max(bench.level, 3) }
    if let reason = bench.add(schema) {
      refusal = reason
      find(.schema, reason, line)
    } else if schema.windowed != nil {
      // A remote table sends no rows by itself, so the session must query it, also after a restart.
      _ = bench.apply(.sourceChanged)
    }
  }

  /// Processes the answer to a query, including failures.
  private func takeAnswer(_ event: SourceEvent, to id: BlockRequestID, _ line: Int?) {
    queried.remove(id)
    if storedQueries.remove(id) != nil {
      answerLines[id] = line
      switch event {
      case .page(_, let block): answers[id] = .block(block)
      case .sections(_, let sections): answers[id] = .sections(sections)
      case .pageFailed(_, let reason): answers[id] = .failed(reason)
      default: preconditionFailure("\(event) answers no query")
      }
    }
    if case .page(_, let block) = event {
      bench.seen.formUnion([.rows, .values])
      for row in block.rows where keys.count < Self.keyLimit {
        keys.insert(row.key)
        row.cells.forEach { keep(image: $0) }
      }
      isListed = true
    }
    if let reason = bench.apply(event), !badReasons.contains(reason) { find(.rows, reason, line) }
  }

  private func take(_ changes: Changeset, _ line: Int?) {
    bench.seen.insert(.rows)
    if !hasBegunList, changes.beginsReload || changes.count > 0 {
      hasBegunList = true
      // After a restart, a list without a reload would leave deleted rows in the table.
      if hello != nil, !bench.keys.isEmpty, !changes.beginsReload {
        find(
          .restart, "it came back and did not begin its list with reload: rows that are gone by now would stay", line)
      }
    }
    changes.forEachRow { row in
      guard row.verb == .upsert, keys.count < Self.keyLimit else { return }
      keys.insert(row.key)
      for case let cell? in row.cells { keep(image: cell) }
    }
    if let reason = bench.apply(.changes(changes)), !badReasons.contains(reason) { find(.rows, reason, line) }
  }

  private func keep(image cell: Cell) {
    if case .image(let key) = cell, imageKeys.count < Self.imageLimit { imageKeys.insert(key) }
  }

  private func refuse(_ reason: String, _ line: Int?) {
    refusal = reason
    if reason == Self.otherColumns {
      find(.restart, reason, line)
    } else if reason.hasPrefix("its schema is invalid") {
      find(.schema, reason, line)
    } else if reason.contains("of the protocol") {
      bench.level = max(bench.level, 1)
      find(.hello, reason, line)
    }
  }

  /// Records a finding, with the line named in the message or else `line`.
  func find(_ rule: ExamRule, _ message: String, _ line: Int? = nil) {
    let named = message.split(separator: "line ", maxSplits: 1).dropFirst().first.flatMap {
      Int($0.prefix(while: \.isNumber))
    }
    let number = named ?? line
    bench.find(rule, in: part, message, line: number, output: number.flatMap { texts[$0] } ?? "")
  }
}
