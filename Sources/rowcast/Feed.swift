import Logging
import Server
import SourceRuntime

/// A source that feeds tables, started once and stopped before the command exits.
protocol Feed: Sendable {
  func start() throws
  /// Stops the source; returns when it sends no more events, or after a time limit.
  func stop()
}

extension Logger.Level {
  init(_ level: PluginLogLevel) {
    switch level {
    case .debug: self = .debug
    case .info: self = .info
    case .warning: self = .warning
    case .error: self = .error
    }
  }
}
