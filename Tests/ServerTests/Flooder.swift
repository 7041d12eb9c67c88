import Dispatch
import Foundation

@testable import Server

/// A source that sends changes as fast as possible until the server stops.
final class Flooder: Sendable {
  private let ended = DispatchSemaphore(value: 0)

  init(_ inlet: SourceInlet) {
    Thread.detachNewThread { [ended] in
      var round = 0
      while inlet.report(.changes(RunningServer.rows(0..<500, name: "\(round)"))) { round += 1 }
      ended.signal()
    }
  }

  func hasEnded(within seconds: Double = RawSocket.patience) -> Bool {
    ended.wait(timeout: .now() + seconds) == .success
  }
}
