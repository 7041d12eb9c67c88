import Glibc
import ListEngine

/// One start of an examined plugin: what it says is heard by the decoder and the engine that a server has, and each line is judged.
final class ExamRun {
  /// What reports call it.
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

  /// What it has introduced itself with.
  private(set) var hello: ChildHello?
  /// Whether nothing more will come.
  private(set) var isAtEnd = false
  /// Why it cannot be used, in its own words or in ours; a rule was found broken then, but for settings.
  private(set) var refusal: String?
  /// Whether a whole list, or rows of which no end is told, has come.
  private(set) var isListed = false
  /// When something came last, or when it was started.
  private(set) var heardAt: Instant
  /// How many pieces of output have come.
  private(set) var heardCount = 0
  /// Cells that it was asked for and has not answered.
  private(set) var asked: Set<DeferredCell> = []
  /// Queries that it was asked and has not answered.
  private(set) var queried: Set<PageRequestID> = []
  /// The first of the queries that the engine has had asked: what an exam of its own can ask again.
  private(set) var firstQuery: PageRequest?
  /// Answers to queries of the exam's own, by their ids; see ``ask(_:keepingAnswers:)``.
  private(set) var answers: [PageRequestID: QueryAnswer] = [:]
  /// The lines that they stood in.
  private(set) var answerLines: [PageRequestID: Int] = [:]
  private var keptQueries: Set<PageRequestID> = []
  /// What was answered to requests for images, by their numbers.
  private(set) var images: [UInt64: ImageOutcome] = [:]
  /// The images that its rows name, as far as they are kept.
  private(set) var imageKeys: Set<String> = []
  /// What became of actions, by their ids.
  private(set) var outcomes: [UInt64: ActionOutcome] = [:]
  /// Rows that were named, as far as they are kept.
  private(set) var keys: Set<RowKey> = []
  /// Settings that it is given, as JSON.
  private let settings: (ChildHello) -> [UInt8]?

  /// What a query of the exam's own was answered with.
  enum QueryAnswer {
    case page(RowPage)
    case sections([SectionCount])
    case failed(String)
  }

  private static let keptKeys = 1_000
  private static let keptImages = 100
  private static let keptTexts = 5_000
  private static let shownBytes = 160

  init(
    _ part: String, _ pluginUnderTest: any PluginUnderTest, _ bench: ExamBench, isReloading: Bool = false,
    settings: @escaping (ChildHello) -> [UInt8]?
  ) {
    self.part = part
    self.bench = bench
    self.pluginUnderTest = pluginUnderTest
    heardAt = pluginUnderTest.now
    self.settings = settings
    decoder = ChildDecoder(name: "plugin", known: bench.schema, isReloading: isReloading)
    _ = bench.supervise(.spawned)
    // The first thing that a host says, in two pieces: a line need not come as a whole.
    sayInPieces(HostLine.hello)
  }

  // MARK: Talking

  func sayInPieces(_ line: [UInt8]) {
    let middle = line.count / 2
    say(Array(line[..<middle]))
    // Nothing is heard meanwhile: an answer to it would stand in the middle of the line.
    _ = poll(nil, 0, 20)
    say(Array(line[middle...]))
  }

  func say(_ bytes: [UInt8]) { pluginUnderTest.say(bytes, within: bench.options.answer) }

  /// Asks for deferred cells.
  func load(_ cells: [DeferredCell]) {
    guard let schema = bench.schema, !cells.isEmpty else { return }
    asked.formUnion(cells)
    say(HostLine.deferred("load", cells, schema))
  }

  /// Says that nobody wants them any more.
  func cancel(_ cells: [DeferredCell]) {
    guard let schema = bench.schema, !cells.isEmpty else { return }
    asked.subtract(cells)
    say(HostLine.deferred("cancel", cells, schema))
  }

  /// Asks for pages of a windowed table.
  func ask(_ requests: [PageRequest], keepingAnswers: Bool = false) {
    guard let schema = bench.schema, schema.windowed != nil else { return }
    firstQuery = firstQuery ?? requests.first
    for request in requests {
      queried.insert(request.id)
      if keepingAnswers { keptQueries.insert(request.id) }
      say(HostLine.query(request, schema))
    }
  }

  /// Lets go of an answer that was looked at.
  func forgetAnswer(to id: PageRequestID) { (answers[id], answerLines[id]) = (nil, nil) }

  /// Says that nobody waits for them any more.
  func cancel(_ queries: [PageRequestID]) {
    guard !queries.isEmpty else { return }
    queried.subtract(queries)
    if bench.schema?.windowed?.cancels == true { say(HostLine.cancel(queries)) }
  }

  /// Asks for an image.
  func ask(image number: UInt64, _ key: String) { say(HostLine.image(number, key)) }

  /// Says that nobody waits for it any more.
  func cancel(image number: UInt64) { say(HostLine.cancel(images: [number])) }

  // MARK: Hearing

  /// The moment, as the plugin's time goes.
  var now: Instant { pluginUnderTest.now }
  /// Whether it has ended otherwise than a list that is complete ends.
  var hasFailed: Bool { isAtEnd && pluginUnderTest.exit.map { $0 != .code(0) || !decoderHasSaid } ?? false }
  private var decoderHasSaid: Bool { isListed || bench.rowCount > 0 }
  /// Whether it is in the middle of a list.
  var isInsideList: Bool { decoder.isInsideReload }

  /// Hears until `isEnough`, or until the time is over; false then.
  @discardableResult
  func hear(for bound: Duration, atMost count: Int = 1 << 16, until isEnough: () -> Bool) -> Bool {
    let deadline = now.advanced(by: bound)
    while !isEnough() {
      let rest = now.duration(to: deadline)
      guard rest > .zero, !isAtEnd, refusal == nil else { return isEnough() }
      _ = hear(within: min(rest, .milliseconds(50)), atMost: count)
    }
    return true
  }

  /// Reads once. False: nothing came.
  func hear(within bound: Duration, atMost count: Int = 1 << 16) -> Bool {
    guard !isAtEnd else { return false }
    let bytes = pluginUnderTest.read(atMost: count, within: bound)
    bench.keep(log: pluginUnderTest.takeLog())
    defer { settleSample() }
    guard let bytes else {
      bench.pass(bound)
      forwardRequests()
      return false
    }
    heardAt = now
    guard !bytes.isEmpty else {
      takeEnd()
      return false
    }
    heardCount += 1
    _ = bench.supervise(.heard)
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
    // What was ended in the middle of a line could do nothing about it.
    if let line = lines.rest(), !isBeingEnded {
      isLastLine = true
      take(line)
    }
    bench.seen.insert(.wholeLines)
    decoder.settle()
    takeEvents(line: nil)
    // As a host does; the engine asks the next start again.
    for id in queried.sorted(by: { $0.rawValue < $1.rawValue }) {
      _ = bench.answer(.pageFailed(id, reason: "its source has ended"))
    }
    queried = []
  }

  /// Whether it has written the beginning of a line.
  var isInsideLine: Bool { lines.isInsideLine }

  /// Whether it has written the beginning of a line, and nothing for a while.
  var isStuckInLine: Bool { lines.isInsideLine && heardAt.duration(to: now) >= bench.options.quiet }

  /// Asks it to end, or ends it: what it says from now on need not be whole.
  func terminate() {
    isBeingEnded = true
    pluginUnderTest.terminate()
  }

  /// Ends it in the middle of whatever it does.
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
    texts[number - Self.keptTexts] = nil
    texts[number] = shown(line)
    switch line {
    case .whole(let bytes, let number): decoder.read(bytes, number: number)
    case .tooLong(let number): decoder.noteTooLong(number, limit: lines.limit)
    }
    decoder.flush()
    takeEvents(line: number)
  }

  /// Rows that nobody has described are understood when it is quiet.
  private func settleSample() {
    guard decoder.isSampling else { return sampleBegan = nil }
    let began = sampleBegan ?? now
    sampleBegan = began
    guard
      now.duration(to: began.advanced(by: .seconds(1))) <= .zero
        || heardAt.duration(to: now) >= .milliseconds(200)
    else { return }
    decoder.settle()
    takeEvents(line: nil)
  }

  /// The exam's page does not scroll: what the engine cancels has taken too long, and is a finding all the same.
  private func forwardRequests() {
    for wish in bench.takeRequests() {
      switch wish {
      case .load(let cells): load(cells)
      case .ask(let requests): ask(requests)
      case .cancelPages(let ids): cancel(ids)
      case .cancel, .image, .cancelImages, .act: break
      }
    }
  }

  // MARK: Judging

  private func takeEvents(line: Int?) {
    for event in decoder.takeEvents() {
      switch event {
      case .hello(let hello): greet(hello)
      case .schema(let schema): take(schema, line)
      case .columnsAdded(let schema): if let reason = bench.addColumns(schema) { find(.schema, reason, line) }
      case .changes(let changes, let isWhole): take(changes, isWhole: isWhole, line)
      case .state: break
      case .loaded(let key, let column, let value):
        asked.remove(DeferredCell(key, column: column))
        bench.seen.insert(.values)
        keep(image: value)
        bench.loaded(DeferredCell(key, column: column), value)
      case .notLoaded(let key, let column, let reason):
        asked.remove(DeferredCell(key, column: column))
        bench.notLoaded(DeferredCell(key, column: column), reason)
        if reason.hasPrefix("the value ") { find(.values, "cell of row \(key): \(reason)", line) }
      case .page(let id, _), .sections(let id, _), .pageFailed(let id, _): takeAnswer(event, to: id, line)
      case .sourceChanged: _ = bench.answer(event)
      case .forget: break
      case .image(let number, let outcome): images[number] = outcome
      case .acted(let id, let outcome):
        if outcomes.updateValue(outcome, forKey: id) != nil {
          find(.actions, "the action \(id) is answered twice", line)
        }
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

  /// The reason begins with the line's number.
  private func rule(ofBadLine reason: String) -> ExamRule {
    let words = reason.split(separator: ": ", maxSplits: 1).last ?? ""
    if isLastLine, words.hasPrefix("it is ") { return .wholeLines }
    if words.hasPrefix("it is ") || words.hasPrefix("it has more than ") { return .lines }
    return words.contains("schema was said before") ? .schema : .messages
  }

  private func greet(_ hello: ChildHello) {
    self.hello = hello
    bench.level = max(bench.level, 1)
    bench.seen.formUnion([.hello, .messages])
    for fault in hello.settingFaults { bench.find(.settings, in: part, fault, line: 1, output: texts[1] ?? "") }
    if hello.capabilities.contains("health") { _ = bench.supervise(.answersHealth) }
    if let line = settings(hello) { sayInPieces(line) }
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
      // It tells no rows by itself: a page looks, also at one that has come back.
      _ = bench.answer(.sourceChanged)
    }
  }

  /// An answer to a query. One that failed is an answer, too; but the first page of all rows must come.
  private func takeAnswer(_ event: ChildDecoder.Event, to id: PageRequestID, _ line: Int?) {
    queried.remove(id)
    if keptQueries.remove(id) != nil {
      answerLines[id] = line
      switch event {
      case .page(_, let page): answers[id] = .page(page)
      case .sections(_, let sections): answers[id] = .sections(sections)
      case .pageFailed(_, let reason): answers[id] = .failed(reason)
      default: preconditionFailure("\(event) answers no query")
      }
    }
    if case .page(_, let page) = event {
      bench.seen.formUnion([.rows, .values])
      for row in page.rows where keys.count < Self.keptKeys {
        keys.insert(row.key)
        row.cells.forEach { keep(image: $0) }
      }
      isListed = true
    }
    if let reason = bench.answer(event), !badReasons.contains(reason) { find(.rows, reason, line) }
  }

  private func take(_ changes: Changeset, isWhole: Bool, _ line: Int?) {
    bench.seen.insert(.rows)
    if !hasBegunList, changes.beginsReload || changes.count > 0 {
      hasBegunList = true
      // A second start that only adds can never take away what is gone.
      if hello != nil, !bench.keys.isEmpty, !changes.beginsReload {
        find(
          .restart, "it came back and did not begin its list with reload: rows that are gone by now would stay", line)
      }
    }
    changes.forEachRow { row in
      guard row.verb == .upsert, keys.count < Self.keptKeys else { return }
      keys.insert(row.key)
      for case let cell? in row.cells { keep(image: cell) }
    }
    if isWhole, hasBegunList { isListed = true }
    if let reason = bench.apply(changes), !badReasons.contains(reason) { find(.rows, reason, line) }
  }

  private func keep(image cell: Cell) {
    if case .image(let key) = cell, imageKeys.count < Self.keptImages { imageKeys.insert(key) }
  }

  private func refuse(_ reason: String, _ line: Int?) {
    refusal = reason
    if reason.hasPrefix("it came back with other columns") {
      find(.restart, "it came back with other columns than before", line)
    } else if reason.hasPrefix("its schema cannot be") {
      find(.schema, reason, line)
    } else if reason.contains("of the protocol") {
      bench.level = max(bench.level, 1)
      find(.hello, reason, line)
    }
  }

  /// Notes a finding, with the line that the message speaks of if there is no other.
  func find(_ rule: ExamRule, _ message: String, _ line: Int? = nil) {
    let named = message.split(separator: "line ", maxSplits: 1).dropFirst().first.flatMap {
      Int($0.prefix(while: \.isNumber))
    }
    let number = named ?? line
    bench.find(rule, in: part, message, line: number, output: number.flatMap { texts[$0] } ?? "")
  }
}
