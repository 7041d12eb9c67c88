import CListPlugin

/// A source's instance as the C interface holds it.
///
/// It is created, configured and run by one thread at a time. Other threads only use the stop
/// handlers, the actions and the load requests.
final class Instance {
  let host: ListHost
  private let type: any DataSource.Type
  private var source: (any DataSource)?
  /// The offered actions. They do not change after the offer, because other threads read them.
  var actions: [Action] = []
  /// The pending loads of deferred cells. See ``actions`` for the threading rule.
  var requests: LoadRequests<CellPlace>?
  /// The pending loads of images. See ``actions`` for the threading rule.
  var imageRequests: LoadRequests<PendingImage>?

  init(_ type: any DataSource.Type, _ host: ListHost) {
    self.type = type
    self.host = host
  }

  func configure(_ settings: [String: String]) -> Int32 {
    let configuration = Configuration(settings)
    do {
      source = try type.init(configuration)
      try configuration.checkUnknown()
      return 0
    } catch let error as ConfigurationError {
      host.fail(error.key, error.description)
    } catch {
      host.fail(nil, "\(error)")
    }
    return 1
  }

  func run() -> Int32 {
    do {
      guard var source else { return 1 }
      self.source = nil
      try offer(source)
      try host.declare(source.schema)
      try source.run(host)
      return 0
    } catch HostError.stopping {
      return 0
    } catch {
      host.fail(nil, "\(error)")
      return 1
    }
  }
}
