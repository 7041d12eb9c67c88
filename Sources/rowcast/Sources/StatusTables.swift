import Dispatch
import Foundation
import ListEngine
import ProcessSource
import Server
import Threads

/// The tables `rowcast-sources` and `rowcast-log`: the state of each source with actions for
/// operators, and the lines that the sources log.
///
///     let tables = StatusTables(control) { name, command in feeds[name].perform(command) }
///     tables.add("jobs", kind: "child")
///     tables.open()                                  // after the sources, which come first
///     tables.note(.state(.live, message: ""), of: "jobs")
final class StatusTables: Sendable {
  /// A command of an operator for a source.
  enum Command: Equatable {
    case restart, stop, start
    /// Run an instance with these settings next to the present one, without showing its rows.
    case test([Settings.Source.Pair])
    /// Start a new instance with these settings in place of the present ones.
    case change([Settings.Source.Pair])
  }

  /// The reason why a command is not carried out.
  struct Refusal: Error { var reason: String }

  /// One source.
  private struct Entry {
    var kind: String
    var state = SourceState.starting
    var message = ""
    /// Nanoseconds since 1970.
    var since = StatusTables.now
    var changes: Int64 = 0
    var starts: Int64 = 0
    var settings: [Settings.Source.Pair] = []
    var form: [ActionArgument] = []
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// The number of checks before the tables are shown.
    var checks = 0
    var inlets: (sources: SourceInlet, log: SourceInlet)?
    var changed: Set<String> = []
    var isFormChanged = false
    /// Lines before the table is open.
    var waiting = Changeset()
    var lines: Int64 = 0
    var timer: (any DispatchSourceTimer)?
  }

  static let sourcesName = "rowcast-sources"
  static let logName = "rowcast-log"
  /// The number of log lines kept.
  private static let lineLimit = 10_000
  /// The prefix of the names of actions that change settings, followed by the source's name.
  private static let settingsPrefix = "settings-"
  /// The prefix of the names of actions that test settings, followed by the source's name.
  private static let testPrefix = "test-"

  /// The number of checks, one per second, after which the tables are shown even though a source
  /// has no table yet.
  private static let greatestChecks = 3

  private let control: ServerControl
  private let state = Guarded(State())
  private let queue = DispatchQueue(label: "status")
  /// Tests of settings take seconds, which the rows of the tables do not wait for.
  private let tests = DispatchQueue(label: "tests of settings")
  private let perform: @Sendable (String, Command) throws(Refusal) -> String

  /// Creates the tables without showing them.
  ///
  /// - Parameter perform: Carries out a command for a source, and returns a message for the user.
  ///   It may wait.
  init(_ control: ServerControl, perform: @escaping @Sendable (String, Command) throws(Refusal) -> String) {
    self.perform = perform
    self.control = control
  }

  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) * 1_000_000 }

  // MARK: Schemas

  private static func schema(_ entries: [String: Entry]) -> Schema {
    let row = [
      Action("restart", title: "Restart", confirm: "Its rows stay until the new ones arrive."),
      Action("stop", title: "Stop", confirm: "Its rows stay, and do not change any more.", isDangerous: true),
      Action("start", title: "Start"),
    ]
    let forms = entries.filter { !$0.value.form.isEmpty }.sorted { $0.key < $1.key }.flatMap { name, entry in
      [
        Action(
          settingsPrefix + name, title: "Change the settings of \(name)",
          confirm: "The present instance stays until the new one has delivered its rows.", appliesToRows: false,
          arguments: entry.form, trial: testPrefix + name),
        Action(
          testPrefix + name, title: "Test settings of \(name)", appliesToRows: false, arguments: entry.form,
          patience: .seconds(60)),
      ]
    }
    return Schema(
      name: sourcesName, title: "Sources", key: .text,
      columns: [
        Column("source", .text, title: "Source", width: 20),
        Column("kind", .text, title: "Kind", style: .badge, width: 9),
        Column(
          "state", .text, title: "State", style: .badge, width: 11,
          presentation: ColumnPresentation(
            warning: .values([.text("stale"), .text("backingOff")]), critical: .values([.text("failed")]))),
        Column("since", .timestamp, title: "In this state", style: .age, width: 12),
        Column("changes", .integer, title: "Changed rows", width: 13),
        Column("starts", .integer, title: "Starts", width: 8),
        Column("message", .text, title: "Message", width: 60),
        Column("settings", .text, title: "Settings", width: 40, audience: .operators),
      ], actions: row + forms,
      presentation: TablePresentation(description: "The state of each source of this server"))
  }

  private static let logSchema = Schema(
    name: logName, title: "Log of the sources", key: .integer,
    columns: [
      Column("time", .timestamp, title: "Time", width: 24), Column("source", .text, title: "Source", width: 16),
      Column("level", .text, title: "Level", style: .badge, width: 10, presentation: LogTable.levels),
      // Programs may log secrets.
      Column("text", .text, title: "Text", width: 120, audience: .operators),
    ], retention: .last(lineLimit))

  private static func cells(_ name: String, _ entry: Entry) -> [Cell] {
    let settings = entry.settings.map { "\($0.key)=\(Self.isSecret($0.key, $0.value) ? "…" : $0.value)" }
    return [
      .text(name), .text(entry.kind), .text(entry.state.rawValue), .timestamp(entry.since), .integer(entry.changes),
      .integer(entry.starts), .text(entry.message), .text(settings.joined(separator: ", ")),
    ]
  }

  /// Returns whether a setting's value must not be shown, judged by its name and its content: a
  /// connection string with a password, or an address with one.
  static func isSecret(_ key: String, _ value: String) -> Bool {
    let names = ["password", "passwd", "secret", "token", "credential", "apikey", "api_key"]
    guard !key.lowercased().hasSuffix("_file") else { return false }
    let hasPassword =
      value.contains(/:\/\/[^\/\s]*:[^\/\s]*@/) || names.contains { value.lowercased().contains("\($0)=") }
    return hasPassword || names.contains { key.lowercased().contains($0) }
  }

  // MARK: Rows

  /// Adds a source, or changes its kind and settings.
  func add(_ name: String, kind: String, settings: [Settings.Source.Pair]) {
    state.withLock {
      $0.entries[name, default: Entry(kind: kind)].kind = kind
      $0.entries[name]?.settings = settings
      $0.changed.insert(name)
    }
  }

  /// Shows the tables as soon as the sources have theirs, because the page shows the first table.
  ///
  /// Afterwards their rows are sent once a second when they have changed.
  func open() {
    state.withLock {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + .milliseconds(200), repeating: 1)
      timer.setEventHandler { [weak self] in self?.send() }
      timer.resume()
      $0.timer = timer
    }
  }

  /// Returns the inlets of the tables, which it declares if it is time; `nil` before. [queue]
  private func inlets() -> (sources: SourceInlet, log: SourceInlet)? {
    let (known, entries, isTime) = state.withLock { state in
      state.checks += 1
      let isTime =
        state.checks > Self.greatestChecks || state.entries.values.allSatisfy { $0.starts > 0 || $0.state == .failed }
      return (state.inlets, state.entries, isTime)
    }
    guard known == nil, isTime else { return known }
    let inlets = (sources: control.addSource(Self.sourcesName), log: control.addSource(Self.logName))
    inlets.sources.listen { [weak self] request in
      guard case .act(let action) = request, let self else { return }
      let queue = action.action.hasPrefix(Self.testPrefix) ? self.tests : self.queue
      queue.async { self.take(action) }
    }
    inlets.sources.report(.schema(Self.schema(entries)))
    inlets.log.report(.schema(Self.logSchema))
    for inlet in [inlets.sources, inlets.log] { inlet.report(.state(.live, message: "")) }
    state.withLock {
      $0.inlets = inlets
      $0.isFormChanged = false
      $0.changed = Set($0.entries.keys)
    }
    return inlets
  }

  /// Records an event of a source. [any thread]
  func note(_ event: SourceEvent, of name: String) {
    state.withLock { state in
      guard var entry = state.entries[name] else { return }
      switch event {
      case .schema: entry.starts += 1
      case .changes(let changes): entry.changes += Int64(changes.count)
      case .state(let now, let message, _):
        guard now != entry.state || message != entry.message else { return }
        if now != entry.state { entry.since = Self.now }
        (entry.state, entry.message) = (now, message)
      default: return
      }
      state.entries[name] = entry
      state.changed.insert(name)
    }
  }

  /// Records the settings that a source offers for change.
  func note(form: [ActionArgument], of name: String) {
    state.withLock { state in
      guard state.entries[name] != nil, state.entries[name]?.form != form else { return }
      state.entries[name]?.form = form
      state.isFormChanged = true
    }
  }

  /// Appends a line to the log. [any thread, never waits]
  func note(line: String, level: String, of name: String) {
    state.withLock { state in
      state.lines += 1
      // Lines beyond the number kept would only push each other out.
      guard state.waiting.count < Self.lineLimit else { return }
      state.waiting.upsert(
        .integer(state.lines),
        [.timestamp(Self.now), .text(name), .text(level), .text(String(line.prefix(8_000)))])
    }
  }

  /// Sends what has changed. [queue]
  private func send() {
    guard let (sources, log) = inlets() else { return }
    let (schema, rows, lines) = state.withLock { state -> (Schema?, Changeset, Changeset) in
      var rows = Changeset()
      let schema = state.isFormChanged ? Self.schema(state.entries) : nil
      // Another schema is another table, which needs all rows again.
      let names = schema == nil ? state.changed : Set(state.entries.keys)
      for name in names.sorted() { rows.upsert(.text(name), Self.cells(name, state.entries[name]!)) }
      let lines = state.waiting
      (state.changed, state.isFormChanged, state.waiting) = ([], false, Changeset())
      return (schema, rows, lines)
    }
    if let schema {
      sources.report(.schema(schema))
      sources.report(.state(.live, message: ""))
    }
    if !rows.isEmpty { sources.report(.changes(rows)) }
    if !lines.isEmpty { log.report(.changes(lines)) }
  }

  // MARK: Commands

  private func take(_ request: ActionRequest) {
    let outcome: ActionOutcome
    do throws(Refusal) {
      outcome = .done(try answer(request))
    } catch {
      outcome = .failed(.failed, error.reason)
    }
    queue.async { [self] in
      send()
      state.withLock { $0.inlets }?.sources.report(.acted(request.id, outcome))
    }
  }

  private func answer(_ request: ActionRequest) throws(Refusal) -> String {
    if request.action.hasPrefix(Self.settingsPrefix) {
      let name = String(request.action.dropFirst(Self.settingsPrefix.count))
      return try perform(name, .change(changed(request.arguments, of: name)))
    }
    if request.action.hasPrefix(Self.testPrefix) {
      let name = String(request.action.dropFirst(Self.testPrefix.count))
      return try perform(name, .test(changed(request.arguments, of: name)))
    }
    guard case .text(let name)? = request.key else { throw Refusal(reason: "the action needs a row") }
    switch request.action {
    case "restart": return try perform(name, .restart)
    case "stop": return try perform(name, .stop)
    case "start": return try perform(name, .start)
    default: throw Refusal(reason: "unknown action")
    }
  }

  /// Returns a source's settings with those of a form in place of the present ones.
  ///
  /// An empty text leaves a setting out. Settings that the form does not offer stay.
  private func changed(_ arguments: [(name: String, value: Cell)], of name: String) -> [Settings.Source.Pair] {
    let before = state.withLock { $0.entries[name]?.settings ?? [] }
    let offered = Set(arguments.map(\.name))
    var settings = before.filter { !offered.contains($0.key) }
    for (key, value) in arguments {
      let text =
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .boolean(let isTrue): isTrue ? "true" : "false"
        default: ""
        }
      if !text.isEmpty { settings.append(.init(key: key, value: text)) }
    }
    return settings
  }
}
