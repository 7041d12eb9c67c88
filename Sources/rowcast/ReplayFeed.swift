import Foundation
import ListEngine
import Logging
import Recording
import Server

/// A feed that replays a recording's source events to a server, on its own thread.
final class ReplayFeed: Sendable {
  private let path: String
  private let speed: Double
  private let control: ServerControl
  private let logger: Logger

  /// Creates a feed without starting it; a speed of 0 replays without pauses.
  init(path: String, speed: Double, control: ServerControl, logger: Logger) {
    self.path = path
    self.speed = speed
    self.control = control
    self.logger = logger
  }

  func start() {
    let thread = Thread { [self] in
      var inlets: [SourceInlet] = []
      var end = "the recording has ended"
      do throws(RecordingError) {
        try report(&inlets)
      } catch {
        end = "\(error)"
      }
      logger.notice("\(end)")
      for inlet in inlets { inlet.report(.state(.stale, message: end)) }
    }
    thread.name = "replay"
    thread.start()
  }

  private func report(_ inlets: inout [SourceInlet]) throws(RecordingError) {
    var replay = try SourceReplay(path: path)
    let clock = ContinuousClock()
    let start = clock.now
    while let event = try replay.next() {
      if speed > 0 {
        let ahead = start.advanced(by: event.after / speed) - clock.now
        if ahead > .zero { Thread.sleep(forTimeInterval: ahead / .seconds(1)) }
      }
      let isAccepted: Bool
      switch event.what {
      case .table(let schema):
        inlets.append(control.addSource(schema.name))
        isAccepted = inlets[inlets.count - 1].report(.schema(schema))
      case .replacement(let table, let schema) where inlets.indices.contains(table.rawValue):
        isAccepted = inlets[table.rawValue].report(.schema(schema))
      case .changes(let table, let changes) where inlets.indices.contains(table.rawValue):
        isAccepted = inlets[table.rawValue].report(.changes(changes))
      case .state(let table, let state, let message) where inlets.indices.contains(table.rawValue):
        isAccepted = inlets[table.rawValue].report(.state(state, message: message))
      case .changes, .state, .loaded, .replacement: isAccepted = true
      }
      guard isAccepted else { return }
    }
  }
}
