import Dispatch
import Foundation
import Logging
import Server
import SourceRuntime
import Threads

/// The reloading of the configuration on request.
///
/// It applies the settings that a running server can change. An invalid configuration changes
/// nothing.
final class Reloading: Sendable {
  private struct State {
    var settings: Settings
    var control: ServerControl?
    var keeper: SourceKeeper?
    /// The timer that polls the token file and the file of sign-ins.
    var accessTimer: (any DispatchSourceTimer)?
    /// The sign-ins after the last exchange with their file, the file's stamp, and the minute.
    var signIns: (merged: SignIns, stamp: FileStamp?, minute: Int64) = (SignIns(), nil, 0)
  }

  private let read: @Sendable () throws -> Settings
  private let output: LogOutput
  private let logger = Logger(label: "rowcast")
  private let state: Guarded<State>
  private let queue = DispatchQueue(label: "configuration")

  /// - Parameter read: Reads all settings; the error that it throws is logged.
  init(_ settings: Settings, output: LogOutput, read: @escaping @Sendable () throws -> Settings) {
    state = Guarded(State(settings: settings))
    self.output = output
    self.read = read
  }

  /// Sets the server to which changes are applied.
  func serve(_ control: ServerControl) { state.withLock { $0.control = control } }

  /// Sets the keeper of the sources; without it the sources stay as they are.
  func keep(_ keeper: SourceKeeper) { state.withLock { $0.keeper = keeper } }

  /// Polls a token file and the file of sign-ins next to it, and applies changes of other
  /// processes.
  ///
  /// `rowcast token rotate` and `rowcast sessions --end` change them. A missing or invalid file
  /// changes nothing.
  func watchAccess(at path: String) {
    exchangeSignIns(besideTokens: path, isFirst: true)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler { [self] in
      takeTokens(of: path)
      exchangeSignIns(besideTokens: path, isFirst: false)
    }
    state.withLock { $0.accessTimer = timer }
    timer.resume()
  }

  /// Writes the server's sign-ins to the file, and takes those from it that were ended by another
  /// process.
  private func exchangeSignIns(besideTokens path: String, isFirst: Bool) {
    let (control, previous) = state.withLock { ($0.control, $0.signIns) }
    guard let control else { return }
    let own = control.signIns
    let file = SignInFile.path(besideTokens: path)
    let change = FileStamp(file)
    // Once a minute in any case, so that sign-ins that expire end.
    let minute = WallClock.milliseconds / 60_000
    guard isFirst || own != previous.merged || change != previous.stamp || minute != previous.minute else { return }
    guard let merged = SignInFile.update(file, with: own, at: WallClock.milliseconds) else { return }
    if merged != own || minute != previous.minute { control.merge(merged) }
    state.withLock { $0.signIns = (merged, FileStamp(file), minute) }
  }

  private func takeTokens(of path: String) {
    let (settings, control) = state.withLock { ($0.settings, $0.control) }
    guard let control, settings.noToken != true, let tokens = try? TokenFile.read(path), tokens != control.tokens
    else { return }
    var changes = ServerChanges(settings, Access(tokens))
    changes.certificate = nil
    control.change(changes)
    logger.notice("the tokens were replaced: sessions of the former ones end")
  }

  /// Begins to reload the configuration on a background queue, because reading files may block.
  /// [any thread]
  func begin() {
    queue.async { [self] in
      let (previous, control) = state.withLock { ($0.settings, $0.control) }
      guard let control else { return }
      do {
        let settings = try read()
        let access = try Access(settings, running: control.tokens)
        output.change(settings)
        let keeper = state.withLock { state in
          state.settings = settings
          return state.keeper
        }
        // Change the sources first, so that they are up to date when the server reports the reload.
        if let sources = settings.sources { keeper?.change(to: sources) }
        control.change(ServerChanges(settings, access))
        logger.info("the configuration was reloaded")
        for name in settings.fixedNames(changedFrom: previous) {
          logger.warning("a setting takes effect after a restart", metadata: ["setting": "\(name)"])
        }
      } catch {
        logger.error("the configuration is invalid and was not applied", metadata: ["reason": "\(error)"])
        control.keepChoices()
      }
    }
  }
}

extension LogOutput {
  func change(_ settings: Settings) {
    change(
      level: Logger.Level(rawValue: settings.logLevel ?? "info")!,
      format: LogOutput.Format(rawValue: settings.logFormat ?? "text")!)
  }
}

extension ServerChanges {
  /// Creates the changes that take effect immediately.
  init(_ settings: Settings, _ access: Access) {
    self.init(
      tokens: access.tokens, isReadOnly: settings.readOnly ?? false,
      publicURLs: (settings.publicURLs ?? []).compactMap { PublicURL($0) },
      interval: .milliseconds(settings.interval ?? Settings.standardInterval), certificate: settings.certificate)
  }
}

extension Settings {
  /// Returns the names of changed settings that take effect only after a restart.
  fileprivate func fixedNames(changedFrom previous: Settings) -> [String] {
    var names: [String] = []
    func compare<Value: Equatable>(_ name: String, _ value: KeyPath<Settings, Value>) {
      if self[keyPath: value] != previous[keyPath: value] { names.append(name) }
    }
    compare("port", \.port)
    compare("listen", \.listen)
    compare("unix", \.unix)
    // A server that already uses TLS takes a new certificate immediately.
    if tlsCertificate == nil || previous.tlsCertificate == nil {
      compare("tls-certificate", \.tlsCertificate)
      compare("tls-key", \.tlsKey)
    }
    compare("web", \.web)
    compare("views", \.views)
    compare("history", \.histories)
    compare("changed", \.changeTimes)
    compare("record", \.record)
    compare("publish", \.publish)
    compare("from", \.from)
    compare("nats-credentials", \.natsCredentials)
    compare("nats-ca", \.natsAuthorities)
    compare("nats-replicas", \.natsReplicas)
    compare("publish-retention", \.publishRetention)
    compare("publish-snapshots", \.publishSnapshots)
    compare("sessions-per-token", \.sessionsPerToken)
    compare("exports-per-token", \.exportsPerToken)
    compare("export-rate", \.exportRate)
    compare("export-time", \.exportTime)
    return names
  }
}
