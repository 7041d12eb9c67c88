import Glibc
import ListEngine
import Logging
import PluginHost
import Server
import Synchronization

/// One source, joined to the server: what it tells goes into its inlet, which makes it wait while the server is behind; what the server asks of
/// it goes to its plugin. When the plugin's file changes, or its settings, a new instance takes the place of the old one.
final class SourceFeed: Feed {
  private struct State {
    var source: Settings.Source
    var stamp: FileStamp?
    var swapping: SwappingSource
    var watcher: FileWatcher?
    /// Whether it does not run: it was taken out of the configuration, or it is in quarantine.
    var isRetired = false
    /// Why its library is not loaded, if it is not; another file is another chance.
    var quarantine: String?
  }

  private let inlet: SourceInlet
  private let log: SourceLog
  private let first: SourceMaker?
  private let secrets: Secrets
  private let state: Mutex<State>

  /// A source that is not started yet; a library is loaded.
  init(_ source: Settings.Source, control: ServerControl, _ secrets: Secrets) throws(PluginError) {
    self.secrets = secrets
    let log = SourceLog(source.name)
    self.log = log
    var quarantine: String?
    var maker: SourceMaker?
    do throws(PluginError) {
      maker = try Self.maker(source, log, secrets, isAgain: false)
    } catch .quarantined(let path, let times, let notes) {
      // The others are served.
      quarantine = "\(PluginError.quarantined(path, times: times, notes: notes))"
    }
    first = maker
    let inlet = control.addSource(source.name)
    self.inlet = inlet
    state = Mutex(
      State(
        source: source, stamp: source.file.flatMap { FileStamp($0) }, swapping: Self.swapping(inlet, log),
        isRetired: quarantine != nil, quarantine: quarantine))
    inlet.listenWithSchema { [weak self] wish, schema in
      let swapping = self?.state.withLock { $0.swapping }
      swapping?.send(SourceRequest(wish), of: schema)
    }
  }

  private static func swapping(_ inlet: SourceInlet, _ log: SourceLog) -> SwappingSource {
    SwappingSource(
      log: { level, message in log.log(Logger.Level(level), message) },
      events: { inlet.tell(SourceInlet.Event($0)) })
  }

  /// What makes an instance. A library that was loaded before is loaded from a copy: the loader would take it for the one that it has.
  private static func maker(
    _ source: Settings.Source, _ log: SourceLog, _ secrets: Secrets, isAgain: Bool
  ) throws(PluginError) -> SourceMaker {
    var configuration: [String: String] = [:]
    for pair in source.settings { configuration[pair.key] = pair.value }
    let name = source.name
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

  /// The program with the rights that its source leaves it.
  private static func confined(_ command: ChildCommand, _ source: Settings.Source, _ secrets: Secrets) -> ChildCommand {
    var command = command
    command.isolation = source.isolation ?? command.isolation
    command.secrets = secrets
    return command
  }

  /// Tells the log and the page which restrictions are in force.
  private func tellConfinement(_ source: Settings.Source) {
    guard let child = source.child else { return inlet.describe(confinement: nil) }
    let words = Confinement(Self.confined(child.command, source, secrets)).description
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

  /// Takes other settings, or another file; nothing happens when both are as before.
  func change(to source: Settings.Source) {
    let stamp = source.file.flatMap { FileStamp($0) }
    enum Step { case nothing, swap(SwappingSource), begin(SwappingSource) }
    let step = state.withLock { state -> Step in
      guard state.isRetired || state.source != source || state.stamp != stamp else { return .nothing }
      state.source = source
      state.stamp = stamp
      guard state.isRetired else { return .swap(state.swapping) }
      state.isRetired = false
      state.quarantine = nil
      state.swapping = Self.swapping(inlet, log)
      return .begin(state.swapping)
    }
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

  /// It is not wanted any more. Its rows stay, as a table cannot go.
  func retire() {
    let swapping = state.withLock { state -> SwappingSource? in
      // One in quarantine is not to be begun any more, either.
      state.quarantine = nil
      guard !state.isRetired else { return nil }
      state.isRetired = true
      return state.swapping
    }
    guard let swapping else { return }
    swapping.stop(within: .seconds(5))
    inlet.tell(.state(.disabled, message: "it is not in the configuration any more"))
  }
}
