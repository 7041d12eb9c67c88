import Glibc
import ListEngine
import SourceRuntime
import Threads
import Wire

/// Records everything exchanged between a host and a plugin in a file, as JSON lines specified in
/// docs/plugins/tutorial.md.
///
/// A write error, such as a full disk, ends only the trace.
package final class TraceWriter: @unchecked Sendable {
  private let file: Int32
  private let began = monotonicNow
  private let failed: @Sendable (String) -> Void
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var rests: [Stream: [UInt8]] = [:]
  private var instances = 0
  private var isOver = false

  /// One channel between the host and one instance of the plugin.
  private struct Stream: Hashable {
    var instance: Int
    var direction: TraceDirection
  }

  /// The trace listener of one instance.
  private final class Instance: TraceListener {
    private let writer: TraceWriter
    private let number: Int

    init(_ writer: TraceWriter, _ number: Int) {
      self.writer = writer
      self.number = number
    }

    func begin() { writer.begin(number) }
    func end() { writer.end(number) }
    func note(_ direction: TraceDirection, _ bytes: UnsafeRawBufferPointer) { writer.note(number, direction, bytes) }
  }

  /// The maximum length of a line in bytes.
  ///
  /// Longer ones are split.
  private static let lineLimit = 1 << 20

  /// Creates a trace file, replacing an existing trace.
  ///
  /// - Parameter failed: Called with the reason when the trace ends early. [any thread]
  /// - Throws: ``PluginError/noTrace(_:reason:)`` when the file is not writable or contains other
  ///   data, which is never overwritten.
  package init(_ path: String, failed: @escaping @Sendable (String) -> Void) throws(PluginError) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    self.failed = failed
    guard file >= 0 else { throw .noTrace(path, reason: String(cString: strerror(errno))) }
    guard Self.isReplaceable(file) else { throw .noTrace(path, reason: "the file exists and is not a trace") }
    _ = ftruncate(file, 0)
  }

  /// Returns whether the file is not a regular one, is empty, or begins like a trace.
  private static func isReplaceable(_ file: Int32) -> Bool {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
    var beginning = [UInt8](repeating: 0, count: TraceReader.beginning.count)
    let count = pread(file, &beginning, beginning.count, 0)
    return count > 0 && TraceReader.beginning.starts(with: beginning.prefix(count))
  }

  deinit { if file >= 0 { close(file) } }

  /// Returns a listener for the next instance of the plugin.
  ///
  /// During a hot swap there are two, which must not be mixed.
  package func instance() -> any TraceListener {
    let number = monitor.withLock {
      instances += 1
      return instances
    }
    return Instance(self, number)
  }

  private func begin(_ instance: Int) { monitor.withLock { write(instance) { $0.member("event", "start") } } }

  private func end(_ instance: Int) {
    monitor.withLock {
      for direction in [TraceDirection.host, .plugin, .log] {
        let stream = Stream(instance: instance, direction: direction)
        if let rest = rests.removeValue(forKey: stream), !rest.isEmpty { writeLine(stream, rest) }
      }
      write(instance) { $0.member("event", "end") }
    }
  }

  private func note(_ instance: Int, _ direction: TraceDirection, _ bytes: UnsafeRawBufferPointer) {
    let stream = Stream(instance: instance, direction: direction)
    monitor.withLock {
      var rest = rests[stream] ?? []
      for byte in bytes {
        if byte != 0x0A { rest.append(byte) }
        guard byte == 0x0A || rest.count >= Self.lineLimit else { continue }
        writeLine(stream, rest)
        rest = []
      }
      rests[stream] = rest
    }
  }

  private func writeLine(_ stream: Stream, _ line: [UInt8]) {
    write(stream.instance) { writer in
      writer.member("from", stream.direction.rawValue)
      if let text = String(validating: line, as: UTF8.self) {
        writer.member("line", text)
      } else {
        // Record invalid UTF-8 exactly, because it may be the problem being investigated.
        writer.member("bytes", line) { $0.integer(Int64($1)) }
      }
    }
  }

  private func write(_ instance: Int, _ body: (inout JSONWriter) -> Void) {
    guard !isOver else { return }
    var writer = JSONWriter()
    writer.object {
      $0.name("at")
      $0.cell(.number(Double(began.duration(to: monotonicNow).nanoseconds / 1_000) / 1_000))
      if instance > 1 { $0.member("instance", instance) }
      body(&$0)
    }
    writer.byte("\n")
    var rest = writer.bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        isOver = true
        return failed("the trace ends here: \(String(cString: strerror(errno)))")
      }
      rest = rest.dropFirst(count)
    }
  }
}
