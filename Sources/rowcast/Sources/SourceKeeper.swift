import Cluster
import Logging
import ProcessSource
import Server
import Threads

/// The sources of a server by name, kept in step with the configuration.
final class SourceKeeper: Sendable {
  private let control: ServerControl
  private let ending: Ending
  private let feeds = Guarded<[String: SourceFeed]>([:])
  private let logger = Logger(label: "rowcast")
  /// The paths that source programs must not read.
  private let secrets: Secrets
  /// The tables about the sources, if they are wanted.
  private let status = Guarded<StatusTables?>(nil)

  /// The publisher of the tables, if they are published.
  private let publisher: Publisher?

  init(_ control: ServerControl, _ ending: Ending, tokenFile: String?, publisher: Publisher?) {
    self.control = control
    self.publisher = publisher
    self.ending = ending
    var secrets = Secrets()
    // The folder must exist so that it can be hidden from programs.
    _ = try? TokenFile.stateFolder()
    secrets.folder = TokenFile.realStateFolder
    secrets.file = tokenFile.flatMap { TokenFile.real($0) }
    self.secrets = secrets
  }

  /// Loads all sources and then starts them.
  ///
  /// - Throws: `PluginError` for the first source that fails to load; then no source is started.
  ///
  /// - Parameter showsStatus: Whether to serve the tables of ``StatusTables``, too.
  func start(_ sources: [Settings.Source], showsStatus: Bool = false) throws {
    let tables = showsStatus ? makeStatus() : nil
    status.withLock { $0 = tables }
    let made = try sources.map { source in
      (
        source.name,
        try SourceFeed(source, control: control, secrets, status: tables, publisher: publisher, refuse: refuse)
      )
    }
    for (name, feed) in made {
      feeds.withLock { $0[name] = feed }
      try ending.start(feed)
    }
    tables?.open()
  }

  /// Ends the command, because an option does not fit what a source shows.
  private var refuse: @Sendable (String) -> Void {
    { [control, ending] reason in
      ending.refuse(reason)
      control.stop()
    }
  }

  private func makeStatus() -> StatusTables {
    StatusTables(control) { [weak self] name, command throws(StatusTables.Refusal) in
      guard let self, let feed = self.feeds.withLock({ $0[name] }) else {
        throw StatusTables.Refusal(reason: "no source of this name")
      }
      switch command {
      case .restart:
        try? feed.halt()
        try feed.resume()
        return "\(name) was restarted"
      case .stop:
        try feed.halt()
        return "\(name) is stopped"
      case .start:
        try feed.resume()
        return "\(name) was started"
      case .test(let settings): return try feed.test(settings)
      case .change(let settings):
        try feed.change(to: settings)
        return "A new instance of \(name) takes over once it has delivered its rows; the log reports a failure"
      }
    }
  }

  /// Applies a changed configuration to each source that differs.
  ///
  /// A failed change leaves the old instance running and is logged.
  func change(to sources: [Settings.Source]) {
    let before = feeds.withLock { $0 }
    for source in sources {
      if let feed = before[source.name] {
        feed.change(to: source)
        continue
      }
      do {
        let feed = try SourceFeed(
          source, control: control, secrets, status: status.withLock { $0 }, publisher: publisher, refuse: refuse)
        feeds.withLock { $0[source.name] = feed }
        try ending.start(feed)
      } catch {
        logger.error("a source cannot be started", metadata: ["source": "\(source.name)", "reason": "\(error)"])
      }
    }
    let names = Set(sources.map(\.name))
    for (name, feed) in before where !names.contains(name) { feed.retire() }
  }
}
