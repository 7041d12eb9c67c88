import CListPlugin

/// One source as the C side holds it. Created, configured and run by one thread after the other; what comes from elsewhere
/// touches nothing but the stop handlers, the actions and the desks of loads.
final class Instance {
  let host: ListHost
  private let type: any DataSource.Type
  private var source: (any DataSource)?
  /// Written before they are offered, and not any more then: other threads may read them.
  var actions: [Action] = []
  /// See ``actions``.
  var requests: LoadRequests<CellPlace>?
  /// See ``actions``.
  var imageDesk: LoadRequests<PendingImage>?

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
