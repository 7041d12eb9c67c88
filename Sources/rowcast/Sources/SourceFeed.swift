import Cluster
import Glibc
import LibrarySource
import ListEngine
import Logging
import ProcessSource
import Server
import SourceRuntime
import Threads

/// The log of one source: lines for the server's log and for the table of lines.
struct FeedLog: Sendable {
  private let name: String
  private let log: SourceLog
  private let status: StatusTables?

  init(_ name: String, _ status: StatusTables?) {
    self.name = name
    log = SourceLog(name)
    self.status = status
  }

  func log(_ level: Logger.Level, _ message: String) {
    log.log(level, message)
    status?.note(line: message, level: level.rawValue, of: name)
  }
}

/// The connection of one source to the server.
///
/// The source's events go into its inlet, which blocks the source while the server is behind. The
/// server's requests go to the plugin. When the plugin's file or its settings change, a new
/// instance replaces the old one (hot swap).
final class SourceFeed: Feed {
  private struct State {
    var source: Settings.Source
    var stamp: FileStamp?
    var swapping: SwappingSource
    var watcher: FileWatcher?
    /// Whether the source is stopped: it was removed from the configuration, or is in quarantine.
    var isRetired = false
    /// Whether an operator has stopped the source. A reload of the configuration leaves it stopped.
    var isHalted = false
    /// The reason why the library is not loaded; `nil` if it is. A changed file is tried again.
    var quarantine: String?
  }

  /// The time within which an instance that is tested must deliver its rows.
  private static let trialTime = Duration.seconds(25)

  private let inlet: SourceInlet
  private let log: FeedLog
  private let status: StatusTables?
  private let first: SourceMaker?
  private let secrets: Secrets
  /// Ends the command, because an option does not fit the source's columns.
  private let refuse: @Sendable (String) -> Void
  private let state: Guarded<State>

  /// Creates a source without starting it; a shared library is loaded.
  init(
    _ source: Settings.Source, control: ServerControl, _ secrets: Secrets, status: StatusTables? = nil,
    publisher: Publisher? = nil, refuse: @escaping @Sendable (String) -> Void
  ) throws(PluginError) {
    self.secrets = secrets
    self.refuse = refuse
    self.status = status
    let log = FeedLog(source.name, status)
    self.log = log
    status?.add(source.name, kind: source.kind, settings: source.settings)
    var quarantine: String?
    var maker: SourceMaker?
    do throws(PluginError) {
      maker = try Self.maker(source, log, secrets, status, isAgain: false)
    } catch .quarantined(let path, let times, let notes) {
      // A source in quarantine does not keep the server from starting the others.
      quarantine = "\(PluginError.quarantined(path, times: times, notes: notes))"
    }
    first = maker
    let inlet = control.addSource(source.name)
    inlet.takesUploads = source.text?.takesUploads ?? false
    self.inlet = inlet
    state = Guarded(
      State(
        source: source, stamp: source.file.flatMap { FileStamp($0) },
        swapping: Self.swapping(source, inlet, log, status, refuse),
        isRetired: quarantine != nil, quarantine: quarantine))
    let published = publisher?.add(source.name) { [weak self] request, schema in
      let swapping = self?.state.withLock { $0.swapping }
      swapping?.send(request, of: schema)
    }
    inlet.listenWithSchema { [weak self] request, schema in
      let swapping = self?.state.withLock { $0.swapping }
      guard let request = published.map({ $0.forward(request) }) ?? request else { return }
      swapping?.send(request, of: schema)
    }
    if let published { inlet.copyEvents(to: { published.report($0) }) }
  }

  private static func swapping(
    _ source: Settings.Source, _ inlet: SourceInlet, _ log: FeedLog, _ status: StatusTables?,
    _ refuse: @escaping @Sendable (String) -> Void
  ) -> SwappingSource {
    let hasFilterText = source.text.map { !$0.options.filterText.isEmpty } ?? false
    return SwappingSource(
      log: { level, message in log.log(Logger.Level(level), message) },
      events: { event in
        if hasFilterText, case .schema(let schema) = event, let fault = schema.textFault {
          refuse("--where, \(fault)")
          return false
        }
        status?.note(event, of: inlet.name)
        return inlet.report(event)
      })
  }

  /// Returns a closure that creates instances of the source.
  ///
  /// A library that was loaded before is loaded from a copy, because the dynamic loader would
  /// return the old one for the same file.
  private static func maker(
    _ source: Settings.Source, _ log: FeedLog, _ secrets: Secrets, _ status: StatusTables?, isAgain: Bool
  ) throws(PluginError) -> SourceMaker {
    var configuration: [String: String] = [:]
    for pair in source.settings { configuration[pair.key] = pair.value }
    let name = source.name
    if let text = source.text {
      let command = source.program.map { confined($0, source, secrets) }
      return { events throws(PluginError) in
        try text.make(command, log: { level, message in log.log(Logger.Level(level), message) }, events: events)
      }
    }
    guard var child = source.child else {
      let library = try PluginLibrary(
        path: Installation.pluginPath(source.plugin), sha256: source.sha256, isCopied: isAgain)
      return { [configuration] events in
        PluginSource(
          library: library, name: name, configuration: configuration,
          log: { level, message in log.log(Logger.Level(level), message) },
          events: { events($0.renamingTable(to: source.givenName)) })
      }
    }
    child.command = confined(child.command, source, secrets)
    child.command.sha256 = source.sha256
    if child.isPlugin { try child.command.checkTrust() }
    return { [configuration, child] events in
      let latest = Latest()
      let made = ChildSource(
        child.command, name: name, table: source.givenName, configuration: configuration,
        log: { level, message in log.log(Logger.Level(level), message) },
        events: { event in
          // The rules of the settings precede the schema.
          if case .schema = event,
            let form = latest.source?.settingRules?.form(
              present: { configuration[$0] }, leavingOut: StatusTables.isSecret)
          {
            status?.note(form: form, of: name)
          }
          return events(event)
        })
      latest.source = made
      return made
    }
  }

  /// The instance that a closure creates, for the closure of its events.
  private final class Latest: @unchecked Sendable {
    private let lock = Guarded(())
    private weak var made: ChildSource?
    var source: ChildSource? {
      get { lock.withLock { _ in made } }
      set { lock.withLock { _ in made = newValue } }
    }
  }

  /// Returns the program with the isolation that the source's settings select.
  private static func confined(_ command: ChildCommand, _ source: Settings.Source, _ secrets: Secrets) -> ChildCommand {
    var command = command
    command.isolation = source.isolation ?? command.isolation
    command.secrets = secrets
    return command
  }

  /// Reports the restrictions in force to the log and to clients.
  private func logConfinement(_ source: Settings.Source) {
    guard let program = source.program else { return inlet.describe(confinement: nil) }
    let words = Confinement(Self.confined(program, source, secrets)).description
    inlet.describe(confinement: words)
    log.log(.info, "isolation \(words)")
  }

  func start() throws {
    logConfinement(state.withLock { $0.source })
    if let first {
      try state.withLock { $0.swapping }.start(first)
    } else if let quarantine = state.withLock({ $0.quarantine }) {
      log.log(.error, "\(quarantine)")
      report(.state(.failed, message: quarantine))
    }
    guard let file = state.withLock({ $0.source.file }) else { return }
    let watcher = FileWatcher([file]) { [weak self] in self?.noteChangedFile() }
    state.withLock { $0.watcher = watcher }
  }

  private func report(_ event: SourceEvent) {
    status?.note(event, of: inlet.name)
    inlet.report(event)
  }

  func stop() {
    let swapping = state.withLock { state in
      state.watcher?.stop()
      return state.swapping
    }
    swapping.stop(within: .seconds(1))
  }

  private func noteChangedFile() {
    let source = state.withLock { $0.isRetired && $0.quarantine == nil ? nil : $0.source }
    guard let source else { return }
    log.log(.info, "its file has changed")
    change(to: source)
  }

  /// Applies changed settings or a changed file; does nothing if both are the same.
  ///
  /// - Parameter onRefusal: Called if the new instance is discarded because it failed.
  func change(to source: Settings.Source, onRefusal: @escaping @Sendable () -> Void = {}) {
    let stamp = source.file.flatMap { FileStamp($0) }
    enum Step { case nothing, swap(SwappingSource), begin(SwappingSource) }
    var previous: SwappingSource?
    let step = state.withLock { state -> Step in
      guard state.isRetired || state.source != source || state.stamp != stamp else { return .nothing }
      state.source = source
      state.stamp = stamp
      guard !state.isHalted else { return .nothing }
      inlet.takesUploads = source.text?.takesUploads ?? false
      // Clients send the rows when they want, so a new instance has no list to wait for.
      if !state.isRetired, source.text?.takesUploads ?? false {
        previous = state.swapping
        state.isRetired = true
      }
      guard state.isRetired else { return .swap(state.swapping) }
      state.isRetired = false
      state.quarantine = nil
      state.swapping = Self.swapping(source, inlet, log, status, refuse)
      return .begin(state.swapping)
    }
    previous?.stop(within: .seconds(1))
    status?.add(source.name, kind: source.kind, settings: source.settings)
    do throws(PluginError) {
      switch step {
      case .nothing: break
      case .swap(let swapping):
        swapping.swap(try Self.maker(source, log, secrets, status, isAgain: true), onRefusal: onRefusal)
      case .begin(let swapping): try swapping.start(try Self.maker(source, log, secrets, status, isAgain: true))
      }
      logConfinement(source)
    } catch {
      log.log(.error, "the new instance is not used, the old one stays: \(error)")
    }
  }

  /// Stops a source that was removed from the configuration.
  ///
  /// Its rows stay, because tables are never removed.
  func retire() {
    let swapping = state.withLock { state -> SwappingSource? in
      // A source in quarantine must not be started again, either.
      state.quarantine = nil
      guard !state.isRetired else { return nil }
      state.isRetired = true
      return state.swapping
    }
    guard let swapping else { return }
    swapping.stop(within: .seconds(5))
    inlet.takesUploads = false
    report(.state(.disabled, message: "it was removed from the configuration"))
  }

  // MARK: Commands of operators

  /// Stops the source until it is started again; its rows stay.
  func halt() throws(StatusTables.Refusal) {
    let swapping = state.withLock { state -> SwappingSource? in
      guard !state.isRetired else { return nil }
      (state.isRetired, state.isHalted) = (true, true)
      return state.swapping
    }
    guard let swapping else { throw StatusTables.Refusal(reason: "it does not run") }
    inlet.takesUploads = false
    swapping.stop(within: .seconds(5))
    log.log(.notice, "stopped by an operator")
    report(.state(.disabled, message: "stopped by an operator"))
  }

  /// Starts a source that was stopped, is in quarantine, or has ended.
  func resume() throws(StatusTables.Refusal) {
    let begun = state.withLock { state -> (SwappingSource, Settings.Source)? in
      guard state.isRetired else { return nil }
      (state.isRetired, state.isHalted) = (false, false)
      state.quarantine = nil
      state.swapping = Self.swapping(state.source, inlet, log, status, refuse)
      return (state.swapping, state.source)
    }
    guard let (swapping, source) = begun else { throw StatusTables.Refusal(reason: "it runs already") }
    inlet.takesUploads = source.text?.takesUploads ?? false
    do throws(PluginError) {
      log.log(.notice, "started by an operator")
      report(.state(.starting, message: ""))
      try swapping.start(try Self.maker(source, log, secrets, status, isAgain: true))
    } catch {
      state.withLock { ($0.isRetired, $0.isHalted) = (true, true) }
      report(.state(.failed, message: "\(error)"))
      throw StatusTables.Refusal(reason: "\(error)")
    }
  }

  /// Runs an instance with these settings next to the present one until it has delivered its rows,
  /// and returns what it delivered. It shows nothing.
  func test(_ settings: [Settings.Source.Pair]) throws(StatusTables.Refusal) -> String {
    var source = state.withLock { $0.source }
    source.settings = settings
    let outcome: TrialRun.Outcome
    do throws(PluginError) {
      // Its lines go to the log of the sources, where they explain a failure.
      let maker = try Self.maker(source, log, secrets, nil, isAgain: true)
      outcome = TrialRun.outcome(of: maker, within: Self.trialTime)
    } catch {
      outcome = .fails("\(error)")
    }
    switch outcome {
    case .works(let columns, let rows):
      let width = "\(columns) \(columns == 1 ? "column" : "columns")"
      guard let rows else { return "It works: \(width); rows are read when they are shown." }
      return "It works: \(width) and \(rows) \(rows == 1 ? "row" : "rows")."
    case .fails(let reason): throw StatusTables.Refusal(reason: reason)
    }
  }

  /// Starts a new instance with these settings next to the present one, which stays if the new one
  /// delivers no rows.
  func change(to settings: [Settings.Source.Pair]) throws(StatusTables.Refusal) {
    let (previous, isHalted) = state.withLock { ($0.source, $0.isHalted) }
    var source = previous
    guard !isHalted else { throw StatusTables.Refusal(reason: "it is stopped: start it first") }
    guard Set(source.settings.map { "\($0)" }) != Set(settings.map { "\($0)" }) else {
      throw StatusTables.Refusal(reason: "the settings are unchanged")
    }
    source.settings = settings
    log.log(.notice, "its settings were changed by an operator: \(settings.map(\.key).joined(separator: ", "))")
    let wanted = source
    change(to: wanted) { [weak self] in
      // The next start must not use settings with which the source failed.
      self?.state.withLock { if $0.source == wanted { $0.source = previous } }
      self?.status?.add(previous.name, kind: previous.kind, settings: previous.settings)
    }
  }
}

extension SourceEvent {
  /// Returns the event with another name of the table, if one is given.
  fileprivate func renamingTable(to name: String?) -> SourceEvent {
    guard let name else { return self }
    switch self {
    case .schema(var schema):
      schema.name = name
      return .schema(schema)
    case .columnsAdded(var schema):
      schema.name = name
      return .columnsAdded(schema)
    default: return self
    }
  }
}
