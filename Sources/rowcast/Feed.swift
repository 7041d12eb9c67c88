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

extension SourceInlet.Event {
  /// Creates the server's event from a source's event.
  init(_ event: SourceEvent) {
    switch event {
    case .schema(let schema): self = .schema(schema)
    case .columnsAdded(let schema): self = .columnsAdded(schema)
    case .changes(let changes): self = .changes(changes)
    case .state(let state, let message, let retry): self = .state(state, message: message, retry: retry)
    case .loaded(let key, let column, let cell): self = .loaded(key, column: column, cell)
    case .notLoaded(let key, let column, let reason): self = .notLoaded(key, column: column, reason: reason)
    case .forget(let key, let column): self = .forget(key, column: column)
    case .page(let id, let page): self = .page(id, page)
    case .sections(let id, let sections): self = .sections(id, sections)
    case .pageFailed(let id, let reason): self = .pageFailed(id, reason: reason)
    case .sourceChanged: self = .sourceChanged
    case .image(let number, let outcome): self = .image(number, outcome)
    case .acted(let number, let outcome): self = .acted(number, outcome)
    }
  }
}

extension SourceRequest {
  /// Creates the source's request from the server's request.
  init(_ wish: SourceInlet.Wish) {
    switch wish {
    case .load(let cells): self = .load(cells)
    case .cancel(let cells): self = .cancel(cells)
    case .ask(let requests): self = .ask(requests)
    case .cancelPages(let ids): self = .cancelPages(ids)
    case .image(let number, let key): self = .image(number, key: key)
    case .cancelImages(let numbers): self = .cancelImages(numbers)
    case .act(let request): self = .act(request)
    }
  }
}
