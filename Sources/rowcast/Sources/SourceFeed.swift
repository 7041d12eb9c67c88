import Glibc
import LibrarySource
import ListEngine
import Logging
import ProcessSource
import Server
import SourceRuntime
import Synchronization

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
    /// The reason why the library is not loaded; `nil` if it is. A changed file is tried again.
    var quarantine: String?
  }

  private let inlet: SourceInlet
  private let log: SourceLog
  private let first: SourceMaker?
  private let secrets: Secrets
  private let state: Mutex<State>

  /// Creates a source without starting it; a shared library is loaded.
  init(_ source: Settings.Source, control: ServerControl, _ secrets: Secrets) throws(PluginError) {
    self.secrets = secrets
    let log = SourceLog(source.name)
    self.log = log
    var quarantine: String?
    var maker: SourceMaker?
    do throws(PluginError) {
      maker = try Self.maker(source, log, secrets, isAgain: false)
    } catch .quarantined(let path, let times, let notes) {
      // A source in quarantine does not keep the server from starting the others.
      quarantine = "\(PluginError.quarantined(path, times: times, notes: notes))"
    }
    first = maker
    let inlet = control.addSource(source.name)
    inlet.takesUploads = source.text?.takesUploads ?? false
    self.inlet = inlet
    state = Mutex(
      State(
        source: source, stamp: source.file.flatMap { FileStamp($0) }, swapping: Self.swapping(inlet, log),
        isRetired: quarantine != nil, quarantine: quarantine))
    inlet.listenWithSchema { [weak self] request, schema in
      let swapping = self?.state.withLock { $0.swapping }
      swapping?.send(request, of: schema)
    }
  }

  private static func swapping(_ inlet: SourceInlet, _ log: SourceLog) -> SwappingSource {
    SwappingSource(
      log: { level, message in log.log(Logger.Level(level), message) },
      events: { inlet.tell($0) })
  }

  /// Returns a closure that creates instances of the source.
  ///
  /// A library that was loaded before is loaded from a copy, because the dynamic loader would
  /// return the old one for the same file.
  private static func maker(
    _ source: Settings.Source, _ log: SourceLog, _ secrets: Secrets, isAgain: Bool
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
          log: { level, message in log.log(Logger.Level(level), message) }, events: events)
      }
    }
    child.command = confined(child.command, source, secrets)
    child.command.sha256 = source.sha256
    if child.isPlugin { try child.command.checkTrust() }
    return { [configuration, child] events in
      ChildSource(
        child.command, name: name, configuration: configuration,
        log: { level, message in log.log(Logger.Level(level), message) }, events: events)
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
  private func tellConfinement(_ source: Settings.Source) {
    guard let program = source.program else { return inlet.describe(confinement: nil) }
    let words = Confinement(Self.confined(program, source, secrets)).description
    inlet.describe(confinement: words)
    log.log(.info, "isolation \(words)")
  }

  func start() throws {
    tellConfinement(state.withLock { $0.source })
    if let first {
      try state.withLock { $0.swapping }.start(first)
    } else if let quarantine = state.withLock({ $0.quarantine }) {
      log.log(.error, "\(quarantine)")
      inlet.tell(.state(.failed, message: quarantine))
    }
    guard let file = state.withLock({ $0.source.file }) else { return }
    let watcher = FileWatcher([file]) { [weak self] in self?.noteChangedFile() }
    state.withLock { $0.watcher = watcher }
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
  func change(to source: Settings.Source) {
    let stamp = source.file.flatMap { FileStamp($0) }
    enum Step { case nothing, swap(SwappingSource), begin(SwappingSource) }
    var former: SwappingSource?
    let step = state.withLock { state -> Step in
      guard state.isRetired || state.source != source || state.stamp != stamp else { return .nothing }
      state.source = source
      state.stamp = stamp
      inlet.takesUploads = source.text?.takesUploads ?? false
      // Clients send the rows when they want, so a new instance has no list to wait for.
      if !state.isRetired, source.text?.takesUploads ?? false {
        former = state.swapping
        state.isRetired = true
      }
      guard state.isRetired else { return .swap(state.swapping) }
      state.isRetired = false
      state.quarantine = nil
      state.swapping = Self.swapping(inlet, log)
      return .begin(state.swapping)
    }
    former?.stop(within: .seconds(1))
    do throws(PluginError) {
      switch step {
      case .nothing: break
      case .swap(let swapping): swapping.swap(try Self.maker(source, log, secrets, isAgain: true))
      case .begin(let swapping): try swapping.start(try Self.maker(source, log, secrets, isAgain: true))
      }
      tellConfinement(source)
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
    inlet.tell(.state(.disabled, message: "it is not in the configuration any more"))
  }
}
