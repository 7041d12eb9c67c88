import Glibc
import ListEngine
import SourceRuntime
import TextSource
import Threads

/// A source that runs a command repeatedly and shows the table it prints.
///
/// Rows are matched by key between runs.
///
///     let source = WatchSource(
///       ChildCommand("df", []), name: "df", pause: .seconds(2), options: TextOptions(), log: log
///     ) { event in mailbox.put(event) }
///     try source.start()
package final class WatchSource: RunningSource {
  private let core: Core

  /// Creates a source without starting it.
  ///
  /// - Parameters:
  ///   - pause: The time between the end of a run and the start of the next one.
  ///   - patience: The duration of a run after which the previous rows count as stale. Defaults to
  ///     three pauses, but at least ten seconds.
  package init(
    _ command: ChildCommand, name: String, pause: Duration, patience: Duration? = nil, options: TextOptions,
    log: @escaping @Sendable (PluginLogLevel, String) -> Void, events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    core = Core(
      command, name: name, pause: pause, patience: patience ?? max(.seconds(10), pause * 3), options: options, log: log,
      events: events)
  }

  deinit { core.requestStop() }

  /// Starts running the command on a separate thread.
  package func start() throws(PluginError) {
    let core = core
    guard core.stopping != nil else { throw .noDescriptor(source: core.name) }
    core.isRunning = true
    let code = startThread("watch-\(core.name)") { core.run() }
    guard code == 0 else {
      core.isRunning = false
      throw .noThread(source: core.name, code: code)
    }
  }

  /// Ends a running command and waits; returns false when that took too long.
  @discardableResult
  package func stop(within bound: Duration = .seconds(5)) -> Bool {
    core.requestStop()
    return core.waitUntilFinished(within: bound)
  }

  /// The state and the main function of the source's thread.
  private final class Core: @unchecked Sendable {
    let name: String
    private let command: ChildCommand
    private let pause: Duration
    private let patience: Duration
    private let options: TextOptions
    private let log: @Sendable (PluginLogLevel, String) -> Void
    private let events: @Sendable (SourceEvent) -> Bool
    /// `nil` when no file descriptor was left, and the source fails to start.
    let stopping = WakeFile()
    private let monitor = Monitor()
    // Guarded by `monitor`.
    private var runs = false
    private var isStopping = false
    // Used by the source's thread only.
    private var table: InferredTable?
    private var hasSentSchema = false
    private var state: (SourceState, String)?

    /// The maximum size of the output in bytes.
    private static let outputLimit = 64 << 20

    init(
      _ command: ChildCommand, name: String, pause: Duration, patience: Duration, options: TextOptions,
      log: @escaping @Sendable (PluginLogLevel, String) -> Void, events: @escaping @Sendable (SourceEvent) -> Bool
    ) {
      self.command = command
      self.name = name
      self.pause = pause
      self.patience = patience
      self.options = options
      self.log = log
      self.events = events
    }

    func requestStop() {
      monitor.withLock { isStopping = true }
      stopping?.wake()
    }

    func waitUntilFinished(within bound: Duration) -> Bool {
      monitor.withLock { monitor.wait(nanoseconds: UInt64(max(0, bound.nanoseconds))) { !runs } }
    }

    /// Whether the thread is running.
    var isRunning: Bool {
      get { monitor.withLock { runs } }
      set {
        monitor.withLock {
          runs = newValue
          monitor.wakeAll()
        }
      }
    }

    func run() {
      while !isStopRequested {
        guard runOnce(), !waitForStop(pause) else { break }
      }
      isRunning = false
    }

    private var isStopRequested: Bool { monitor.withLock { isStopping } }

    private func waitForStop(_ pause: Duration) -> Bool {
      var stop = pollfd(fd: stopping?.file ?? -1, events: Int16(POLLIN), revents: 0)
      return poll(&stop, 1, Int32(clamping: pause.nanoseconds / 1_000_000)) > 0
    }

    /// Runs the command once and emits its rows; returns false when the source is stopping.
    private func runOnce() -> Bool {
      let process: ChildProcess
      do throws(ChildProcess.Fault) {
        process = try ChildProcess(command)
      } catch {
        return report(.stale, error.reason)
      }
      process.closeInput()
      var output: [UInt8] = []
      var errors = ErrorLog()
      var isTooLong = false
      let exit = read(process, &output, &errors, &isTooLong)
      process.reap()  // together with the rest of its group
      close(process.output)
      errors.end { log(.info, $0) }
      guard let exit, !isStopRequested else { return false }
      guard exit == .code(0) else {
        let words =
          switch exit {
          case .code(let code): "exited with code \(code)"
          case .signal(let signal): "killed by signal \(signal)"
          }
        return report(.stale, words)
      }
      guard !isTooLong else { return report(.stale, "it has printed more than \(Self.outputLimit) bytes") }
      return show(output)
    }

    /// Reads the output until the process ends; returns `nil` when the source is stopping.
    private func read(
      _ process: ChildProcess, _ output: inout [UInt8], _ errors: inout ErrorLog, _ isTooLong: inout Bool
    ) -> Supervisor.Exit? {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var isOpen = true
      let began = monotonicNow
      var isOverdue = false
      while true {
        var files = [
          pollfd(fd: stopping?.file ?? -1, events: Int16(POLLIN), revents: 0),
          pollfd(fd: isOpen ? process.output : -1, events: Int16(POLLIN), revents: 0),
          pollfd(fd: process.errors, events: Int16(POLLIN), revents: 0),
          pollfd(fd: process.watch, events: Int16(POLLIN), revents: 0),
        ]
        let rest = max(.zero, monotonicNow.duration(to: began.advanced(by: patience)))
        let timeout = isOverdue ? -1 : Int32(clamping: (rest.nanoseconds + 999_999) / 1_000_000)
        _ = poll(&files, 4, process.watch >= 0 ? timeout : 50)
        if !isOverdue, began.duration(to: monotonicNow) >= patience {
          isOverdue = true
          guard
            report(hasSentSchema ? .stale : .starting, "it has been running for \(patience.components.seconds) seconds")
          else {
            process.send(SIGKILL)
            return nil
          }
        }
        if files[0].revents != 0 {
          process.send(SIGKILL)
          return nil
        }
        let (exit, _) = process.status()
        // After the exit all output is in the pipe, so read until the pipe is empty.
        repeat {
          let count = isOpen ? Glibc.read(process.output, &buffer, buffer.count) : 0
          if count > 0, output.count + count <= Self.outputLimit {
            output.append(contentsOf: buffer[..<count])
          } else if count > 0 {
            isTooLong = true
          } else {
            if count == 0 { isOpen = false }
            break
          }
        } while exit != nil
        let count = process.errors >= 0 ? Glibc.read(process.errors, &buffer, buffer.count) : -1
        if count > 0 { errors.take(buffer[..<count], at: monotonicNow) { log(.info, $0) } }
        if count == 0 { process.closeErrors() }
        if let exit { return exit }
      }
    }

    /// Emits the rows of a run as a reload.
    private func show(_ output: [UInt8]) -> Bool {
      var output = output.starts(with: TextReader.mark) ? Array(output.dropFirst(TextReader.mark.count)) : output
      var decoding = TextDecoding()
      switch output.withUnsafeBytes({ decoding.take($0) }) {
      case .unchanged: break
      case .text(let bytes): output = bytes
      case .binary(let reason):
        log(.error, reason)
        return report(table == nil ? .failed : .stale, reason)
      }
      var reader = TextReader(format: options.format ?? TextFormat.guess(output: output), options: options)
      var number = 0
      let padded = output + [UInt8](repeating: 0, count: JSONParser.padding)
      padded.withUnsafeBytes { bytes in
        var rest = UnsafeRawBufferPointer(rebasing: bytes[..<output.count])
        while !rest.isEmpty {
          let end = rest.firstIndex(of: 0x0A) ?? rest.count
          number += 1
          let isReturned = end > 0 && rest[end - 1] == 0x0D  // Windows line ending
          reader.read(UnsafeRawBufferPointer(rebasing: rest[..<(isReturned ? end - 1 : end)]), number: number)
          rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
        }
      }
      reader.end()
      let found = reader.takeRows()
      if table == nil {
        guard found.contains(where: { if case .row = $0 { true } else { false } }) else {
          if case .fault(let reason)? = found.last {
            return report(.stale, options.reason(reason, takenFor: reader.format))
          }
          return report(.live, "it prints no rows")
        }
        var table = InferredTable(
          name: name, title: options.title, key: options.key, columns: options.columns, isTextual: reader.isTextual,
          hints: options.allHints(reader.hints))
        if options.key.isEmpty, options.guessesKey { table.findsKey = .always }
        table.settlesEarly = false
        table.addsColumns = true
        table.presentation = options.presentation
        self.table = table
      }
      table!.beginReload()
      for item in withoutReplaced(found, of: table!) {
        switch item {
        case .row(let row, let place): table!.add(row, at: place)
        case .fault(let reason): table!.reject(reason)
        }
      }
      table!.settle()
      table!.endReload()
      guard let schema = table!.schema, table!.pendingRows > 0 || found.isEmpty else {
        // All rows were rejected, so the list stays as it was. Without a schema the next run starts
        // over.
        let reason = table!.lastRejection
        _ = table!.takeChanges()
        if table!.schema == nil { table = nil }
        return report(.stale, found.count == 1 ? reason : "\(reason) (\(found.count) were left out)")
      }
      if !hasSentSchema {
        hasSentSchema = true
        guard events(.schema(schema)) else { return false }
      }
      for addition in table!.takeAddedColumns() {
        guard addition.before.isEmpty || events(.changes(addition.before)), events(.columnsAdded(addition.schema))
        else {
          return false
        }
        self.state = nil
      }
      if let changes = table!.takeChanges() { guard events(.changes(changes)) else { return false } }
      let notices = [decoding.notice, reader.notice, table!.keyNotice]
      return report(.live, notices.filter { !$0.isEmpty }.joined(separator: ". "))
    }

    /// Keeps the last of the rows with equal keys, at the position of the first, because a reload
    /// must not repeat a key.
    private func withoutReplaced(_ found: [TextReader.Found], of table: InferredTable) -> [TextReader.Found] {
      guard !table.key.isEmpty, !table.isKeyGuessed else { return found }
      var places: [RowKey: Int] = [:]
      var unique: [TextReader.Found] = []
      for item in found {
        if case .row(let row, _) = item, let key = table.rowKey(row, as: table.schema?.key ?? .text) {
          if let place = places[key] {
            unique[place] = item
            continue
          }
          places[key] = unique.count
        }
        unique.append(item)
      }
      return unique
    }

    private func report(_ state: SourceState, _ message: String) -> Bool {
      guard self.state?.0 != state || self.state?.1 != message else { return true }
      self.state = (state, message)
      return events(.state(state, message: message))
    }
  }
}
