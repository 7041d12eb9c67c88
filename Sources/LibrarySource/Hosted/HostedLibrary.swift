import Glibc
import ListEngine
import SourceRuntime
import Threads

/// An adapter that makes a shared library speak the line protocol of child processes.
///
///     let library = HostedLibrary("/usr/lib/libclock.so", write: write, log: log, ended: ended)
///     library.begin()
///     library.hear(line)         // each line of the host
///     library.close()            // the host has closed the connection
///
/// `write` may wait, and the plugin then waits, which provides back-pressure.
package final class HostedLibrary: @unchecked Sendable {
  private let path: String
  private let name: String
  private let write: @Sendable ([UInt8]) -> Bool
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let ended: @Sendable (Int32) -> Void
  private let parser = JSONParser()

  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var source: PluginSource?
  private var wasConfigured = false
  private var isClosed = false
  private var hasFailed = false
  private var schema: Schema?

  // Used by the plugin's threads, one at a time.
  private var isStale = false

  /// Creates an adapter without loading the library.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the library.
  ///   - write: Receives lines for the host. Returns false to stop the plugin. [any thread,
  ///     concurrently]
  ///   - ended: Called with a program's exit code when the plugin has ended by itself. [any thread]
  package init(
    _ path: String, write: @escaping @Sendable ([UInt8]) -> Bool,
    log: @escaping @Sendable (PluginLogLevel, String) -> Void, ended: @escaping @Sendable (Int32) -> Void
  ) {
    self.path = path
    var name = path.split(separator: "/").last.map(String.init) ?? path
    if name.hasSuffix(".so") { name.removeLast(3) }
    if name.hasPrefix("lib") { name.removeFirst(3) }
    self.name = name
    self.write = write
    self.log = log
    self.ended = ended
  }

  /// Sends the hello.
  package func begin() { _ = write(PluginLine.hello) }

  /// Processes one line of the host, one call at a time.
  ///
  /// Malformed lines are logged.
  package func receive(_ line: [UInt8]) {
    var padded = line
    padded.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    padded.withUnsafeBytes { bytes in
      do throws(JSONParser.Fault) {
        let message = try parser.parse(UnsafeRawBufferPointer(rebasing: bytes[..<line.count]))
        guard let word = message["type"], word.kind == .text else { return }
        if word.bytes.spells("configure") {
          configure(message["settings"])
        } else if word.bytes.spells("health") {
          _ = write(PluginLine.health(message["id"]?.integer ?? 0))
        } else {
          ask(message, word.bytes)
        }
      } catch {
        log(.warning, "a line of the host is not readable: \(error.reason)")
      }
    }
  }

  private func configure(_ settings: JSONElement?) {
    let isFirst = monitor.withLock {
      defer { wasConfigured = true }
      return !wasConfigured && !isClosed
    }
    guard isFirst else { return }
    var configuration: [String: String] = [:]
    if let settings {
      for (key, value) in settings.members {
        configuration[String(decoding: key, as: UTF8.self)] = value.text ?? value.written
      }
    }
    do throws(PluginError) {
      let source = PluginSource(
        library: try PluginLibrary(path: path), name: name, configuration: configuration, log: log,
        events: { [weak self] in self?.take($0) ?? false })
      monitor.withLock { self.source = source }
      try source.start()
    } catch {
      monitor.withLock { source = nil }
      switch error {
      case .badSetting(_, let key, let message): _ = write(PluginLine.refuse(key, message))
      default: _ = write(PluginLine.refuse(nil, "\(error)"))
      }
      return
    }
    let code = startThread("end-\(name)") { [self] in
      let source = monitor.withLock { self.source }
      source?.waitForEnd()
      let (isOver, failed) = monitor.withLock { (isClosed, hasFailed) }
      if !isOver { ended(failed ? 1 : 0) }
    }
    if code != 0 { log(.error, "no thread to wait for the end (error \(code))") }
  }

  private func take(_ event: SourceEvent) -> Bool {
    switch event {
    case .schema(let schema):
      monitor.withLock { self.schema = schema }
      return write(PluginLine.schema(schema))
    // Only streams and watched commands add columns.
    case .columnsAdded: return true
    case .changes(let changes):
      guard let schema = declared else { return true }
      let lines = PluginLine.changes(changes, schema)
      return lines.isEmpty || write(lines)
    case .state(.failed, let message, _):
      // The host restarts a program that fails and shows this reason.
      monitor.withLock { hasFailed = true }
      return write(PluginLine.state(.stale, message))
    case .state(let state, let message, _):
      // Rows imply that the source is live, so this is reported only after it was stale.
      guard state == .stale || isStale else { return true }
      isStale = state == .stale
      return write(PluginLine.state(state, message))
    case .acted(let id, let outcome): return write(PluginLine.acted(id, outcome))
    case .loaded(let key, let column, let value):
      guard let schema = declared else { return true }
      return write(PluginLine.loaded(key, schema.columns[column], value))
    case .notLoaded(let key, let column, let reason):
      guard let schema = declared else { return true }
      return write(PluginLine.notLoaded(key, schema.columns[column], reason))
    case .forget(let key, let column):
      guard let schema = declared else { return true }
      return write(PluginLine.forget(key, schema.columns[column]))
    case .image(let number, let outcome): return write(PluginLine.image(number, outcome))
    case .page, .sections, .pageFailed, .sourceChanged, .upload:
      return true  // libraries receive no such requests
    }
  }

  private var declared: Schema? { monitor.withLock { schema } }

  // MARK: Requests

  /// Forwards a request of the host.
  ///
  /// Invalid ones are ignored.
  private func ask(_ message: JSONElement, _ word: UnsafeRawBufferPointer) {
    let (source, schema) = monitor.withLock { (self.source, self.schema) }
    guard let source, let schema else { return }
    if word.spells("load") {
      source.send(.load(cells(message["cells"], schema)))
    } else if word.spells("cancel") {
      let cells = cells(message["cells"], schema)
      if !cells.isEmpty { source.send(.cancel(cells)) }
      let images = numbers(message["images"])
      if !images.isEmpty { source.send(.cancelImages(images)) }
    } else if word.spells("image"), let id = message["id"]?.integer, id >= 0, let key = message["key"]?.text {
      source.send(.image(UInt64(id), key: key))
    } else if word.spells("action"), let id = message["id"]?.integer, id >= 0, let name = message["action"]?.text {
      do throws(ActionFault) {
        let request = ActionRequest(
          id: UInt64(id), action: name, key: message["key"]?.key(as: schema.key),
          arguments: try arguments(message["arguments"], of: schema.actions.first { $0.name == name }))
        source.send(.act(request))
      } catch {
        _ = write(PluginLine.acted(UInt64(id), .failed(.badArgument, error.reason)))
      }
    }
  }

  /// Converts the arguments of an action.
  ///
  /// An unknown action gets none, because the plugin itself refuses it.
  private func arguments(
    _ given: JSONElement?, of action: Action?
  ) throws(ActionFault) -> [(name: String, value: Cell)] {
    guard let action else { return [] }
    var values: [(name: String, value: Cell)] = []
    if let given, given.kind == .object {
      for (name, value) in given.members {
        values.append((String(decoding: name, as: UTF8.self), value.plain))
      }
    }
    return try action.complete(values)
  }

  private func numbers(_ list: JSONElement?) -> [UInt64] {
    guard let list, list.kind == .list else { return [] }
    return list.items.compactMap { $0.integer.flatMap(UInt64.init(exactly:)) }
  }

  private func cells(_ list: JSONElement?, _ schema: Schema) -> [DeferredCell] {
    guard let list, list.kind == .list else { return [] }
    return list.items.compactMap { item in
      guard item.kind == .list else { return nil }
      let parts = Array(item.items)
      guard parts.count == 2, let key = parts[0].key(as: schema.key),
        let column = schema.columns.firstIndex(where: { $0.name == parts[1].text })
      else { return nil }
      return DeferredCell(key, column: column)
    }
  }

  /// Stops the plugin after the host has closed the connection; returns false when that took too
  /// long.
  @discardableResult
  package func close(within bound: Duration = .seconds(1)) -> Bool {
    let source = monitor.withLock {
      isClosed = true
      return self.source
    }
    return source?.stop(within: bound) ?? true
  }
}
