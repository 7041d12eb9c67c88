import Logging
import PluginHost
import Server

/// One plugin's source, joined to the server: what it tells goes into its inlet, which makes it wait while the server is behind.
final class PluginFeed: Feed {
  private let source: PluginSource

  /// Loads the plugin; it is not started yet.
  init(_ nameOrPath: String, settings: [Setting], control: ServerControl) throws(PluginError) {
    let library = try PluginLibrary(path: Installation.pluginPath(nameOrPath))
    let name = Installation.pluginName(nameOrPath)
    var configuration: [String: String] = [:]
    for setting in settings where setting.plugin == name { configuration[setting.key] = setting.value }
    let inlet = control.addSource(name)
    let logger = Logger(label: name)
    source = PluginSource(
      library: library, name: name, configuration: configuration,
      log: { level, message in logger.log(level: Logger.Level(level), "\(message)") },
      events: { inlet.tell(SourceInlet.Event($0)) })
  }

  func start() throws(PluginError) { try source.start() }

  /// Ends the source, and returns when nothing is told any more, or after a while.
  func stop() { source.stop(within: .seconds(1)) }
}
