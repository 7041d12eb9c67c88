import Dispatch
import Foundation
import Logging
import Server

/// Reads the configuration again, each time somebody asks for it, and changes what can be changed while the server runs. One that is
/// wrong changes nothing.
final class Reloading: Sendable {
  private struct State {
    var settings: Settings
    var control: ServerControl?
    var keeper: SourceKeeper?
    /// Looks at the token file and the file of sign-ins while the server runs.
    var accessTimer: (any DispatchSourceTimer)?
    /// The sign-ins after the last exchange with their file, the file then, and the minute.
    var signIns: (merged: SignIns, stamp: FileStamp?, minute: Int64) = (SignIns(), nil, 0)
  }

  private let read: @Sendable () throws -> Settings
  private let output: LogOutput
  private let logger = Logger(label: "rowcast")
  private let state: NSLockedState
  private let queue = DispatchQueue(label: "configuration")

  private final class NSLockedState: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State
    init(_ state: State) { self.state = state }
    func withLock<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&state) } }
  }

  /// - Parameter read: reads all settings; what it throws says what is wrong.
  init(_ settings: Settings, output: LogOutput, read: @escaping @Sendable () throws -> Settings) {
    state = NSLockedState(State(settings: settings))
    self.output = output
    self.read = read
  }

  /// Names the server, once there is one.
  func serve(_ control: ServerControl) { state.withLock { $0.control = control } }

  /// Names who keeps the sources, if they can be changed.
  func keep(_ keeper: SourceKeeper) { state.withLock { $0.keeper = keeper } }

  /// Takes the tokens of this file whenever it is replaced, as `rowcast token rotate` does, and shares the sign-ins with the file beside
  /// it. A file that is missing or wrong changes nothing.
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

  /// Writes the server's sign-ins to the file, and takes those from it that were ended by another process.
  private func exchangeSignIns(besideTokens path: String, isFirst: Bool) {
    let (control, former) = state.withLock { ($0.control, $0.signIns) }
    guard let control else { return }
    let own = control.signIns
    let file = SignInFile.path(besideTokens: path)
    let change = FileStamp(file)
    // Once a minute in any case, so that sign-ins that expire end.
    let minute = WallClock.milliseconds / 60_000
    guard isFirst || own != former.merged || change != former.stamp || minute != former.minute else { return }
    guard let merged = SignInFile.update(file, with: own, at: WallClock.milliseconds) else { return }
    if merged != own || minute != former.minute { control.merge(merged) }
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

  /// Reads it again, on a thread of its own: a file can take its time, and the loop has none. [any thread]
  func begin() {
    queue.async { [self] in
      let (former, control) = state.withLock { ($0.settings, $0.control) }
      guard let control else { return }
      do {
        let settings = try read()
        let access = try Access(settings, running: control.tokens)
        output.change(settings)
        let keeper = state.withLock { state in
          state.settings = settings
          return state.keeper
        }
        // First: whoever is told that all was read again finds it so.
        if let sources = settings.sources { keeper?.change(to: sources) }
        control.change(ServerChanges(settings, access))
        logger.info("the configuration was read again")
        for name in settings.fixedNames(changedFrom: former) {
          logger.warning("a setting will hold after a restart", metadata: ["setting": "\(name)"])
        }
      } catch {
        logger.error("the configuration is not used, and all stays as it was", metadata: ["reason": "\(error)"])
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
  /// What of the settings holds at once.
  init(_ settings: Settings, _ access: Access) {
    self.init(
      tokens: access.tokens, isReadOnly: settings.readOnly ?? false,
      publicURLs: (settings.publicURLs ?? []).compactMap { PublicURL($0) },
      interval: .milliseconds(settings.interval ?? Settings.standardInterval), certificate: settings.certificate)
  }
}

extension Settings {
  /// What differs and is looked at only at the start.
  fileprivate func fixedNames(changedFrom former: Settings) -> [String] {
    var names: [String] = []
    func compare<Value: Equatable>(_ name: String, _ value: KeyPath<Settings, Value>) {
      if self[keyPath: value] != former[keyPath: value] { names.append(name) }
    }
    compare("port", \.port)
    compare("listen", \.listen)
    compare("unix", \.unix)
    // A server that speaks TLS takes another certificate at once.
    if tlsCertificate == nil || former.tlsCertificate == nil {
      compare("tls-certificate", \.tlsCertificate)
      compare("tls-key", \.tlsKey)
    }
    compare("web", \.web)
    compare("record", \.record)
    compare("sessions-per-token", \.sessionsPerToken)
    compare("exports-per-token", \.exportsPerToken)
    compare("export-rate", \.exportRate)
    compare("export-time", \.exportTime)
    return names
  }
}
