import ListEngine
import Logging
import PluginHost
import Server

/// One child process's source, joined to the server: what it tells goes into its inlet, which makes it wait while the server is behind; what
/// the server asks of it goes to the process.
final class ChildFeed: Feed {
  private let source: ChildSource

  /// A source that is not started yet.
  init(_ child: Child, settings: [Setting], control: ServerControl) {
    var configuration: [String: String] = [:]
    for setting in settings where setting.plugin == child.name { configuration[setting.key] = setting.value }
    let inlet = control.addSource(child.name)
    let sourceLog = SourceLog(child.name)
    let source = ChildSource(
      child.command, name: child.name, configuration: configuration,
      log: { level, message in sourceLog.log(Logger.Level(level), message) },
      events: { inlet.tell(SourceInlet.Event($0)) })
    self.source = source
    inlet.listen { [weak source] wish in
      switch wish {
      case .load(let cells): source?.send(.load(cells))
      case .cancel(let cells): source?.send(.cancel(cells))
      case .ask(let requests): source?.send(.ask(requests))
      case .cancelPages(let ids): source?.send(.cancelPages(ids))
      case .image(let number, let key): source?.send(.image(number, key: key))
      case .cancelImages(let numbers): source?.send(.cancelImages(numbers))
      case .act(let request): source?.send(.act(request))
      }
    }
  }

  func start() throws { try source.start() }

  func stop() { source.stop(within: .seconds(1)) }
}
