import Dispatch
import Glibc
import ListEngine
import Logging
import ProcessSource
import Server
import SourceRuntime
import Threads

/// A plugin under development, with its table and its log.
///
/// A new instance replaces the running one whenever a file of the plugin changes (hot swap).
final class RunFeed: Feed {
  private let command: ChildCommand
  private let settings: [String: String]
  private let name: String
  private let files: [String]
  private let trace: TraceWriter?
  private let swapping: SwappingSource
  private let table: LogTable
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let watcher = Guarded<FileWatcher?>(nil)

  init(
    _ command: ChildCommand, name: String, settings: [String: String], files: [String], trace: TraceWriter?,
    control: ServerControl
  ) {
    self.command = command
    self.name = name
    self.settings = settings
    self.files = files
    self.trace = trace
    let inlet = control.addSource(name)
    let table = LogTable(control)
    let sourceLog = SourceLog(name)
    let log: @Sendable (PluginLogLevel, String) -> Void = { level, message in
      sourceLog.log(Logger.Level(level), message)
      table.add("\(level)", message)
    }
    let confinement = Confinement(command).description
    inlet.describe(confinement: confinement)
    self.table = table
    self.log = log
    let swapping = SwappingSource(
      log: log,
      events: { event in
        if case .state(let state, let message, _) = event, !message.isEmpty {
          table.add(state == .live ? "info" : "warning", "\(name) is \(state.rawValue): \(message)")
        }
        let isAccepted = inlet.report(event)
        switch event {
        case .schema, .state(.backingOff, _, _), .state(.failed, _, _): table.open()
        default: break
        }
        return isAccepted
      })
    self.swapping = swapping
    // Leave the server's thread, because adding a line may block.
    inlet.readNotes { line in DispatchQueue.global().async { table.add("warning", line) } }
    inlet.listenWithSchema { [weak swapping] request, schema in
      swapping?.send(request, of: schema)
    }
  }

  private var maker: SourceMaker {
    { [command, name, settings, log, trace] events in
      ChildSource(command, name: name, configuration: settings, trace: trace?.instance(), log: log, events: events)
    }
  }

  func start() throws {
    try swapping.start(maker)
    // Show the log of a plugin that fails to declare a schema; slow plugins get time to declare
    // theirs first.
    DispatchQueue.global().asyncAfter(deadline: .now() + 8) { [table] in table.open() }
    let watcher = FileWatcher(files) { [weak self] in
      guard let self else { return }
      log(.info, "a file has changed")
      swapping.swap(maker)
    }
    self.watcher.withLock { $0 = watcher }
  }

  func stop() {
    watcher.withLock { $0?.stop() }
    swapping.stop(within: .seconds(1))
  }
}
