import Glibc
import ListEngine
import SourceRuntime

/// A source that reads rows from an open stream, such as standard input.
///
///     let source = StreamSource(0, name: "input", options: TextOptions()) { event in
///       mailbox.put(event)        // may block, and reading pauses; false when stopping
///     }
///     try source.start()
package final class StreamSource: RunningSource {
  private let file: Int32
  private let name: String
  private let options: TextOptions
  private let isFollowing: Bool
  private let ownsFile: Bool
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool
  /// `nil` when no file descriptor was left, and the source fails to start.
  private let stopping = WakeFile()

  /// The interval in milliseconds of polling a followed file at its end.
  private static let followPause: Int32 = 250

  /// Creates a source without starting it.
  ///
  /// - Parameters:
  ///   - isFollowing: Whether to wait for appended data at the end of a file. A file that was
  ///     truncated is then read from its beginning.
  ///   - ownsFile: Whether the source closes the file descriptor after its last read.
  package init(
    _ file: Int32, name: String, options: TextOptions, isFollowing: Bool = false, ownsFile: Bool = false,
    log: @escaping @Sendable (PluginLogLevel, String) -> Void = { _, _ in },
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.file = file
    self.name = name
    self.options = options
    self.isFollowing = isFollowing
    self.ownsFile = ownsFile
    self.log = log
    self.events = events
  }

  deinit { stopping?.wake() }

  /// Starts reading on a separate thread.
  package func start() throws(PluginError) {
    guard let stopping else { throw .noDescriptor(source: name) }
    // The thread must not retain the source, because it stops when the source is released.
    let reading = Reading(
      file: file, feed: TextFeed(name: name, options: options, events: events), stopping: stopping,
      isFollowing: isFollowing, log: log)
    let (file, ownsFile) = (file, ownsFile)
    let code = startThread("in-\(name)") {
      reading.run()
      if ownsFile { close(file) }
    }
    guard code == 0 else { throw .noThread(source: name, code: code) }
  }

  /// Stops reading without waiting for the thread, because a stream may stay silent.
  @discardableResult
  package func stop(within bound: Duration = .zero) -> Bool {
    stopping?.wake()
    return true
  }

  /// The state and the main function of the reading thread.
  private final class Reading: @unchecked Sendable {
    private let file: Int32
    private var feed: TextFeed
    private let stopping: WakeFile
    private let isFollowing: Bool
    private let log: @Sendable (PluginLogLevel, String) -> Void

    init(
      file: Int32, feed: TextFeed, stopping: WakeFile, isFollowing: Bool,
      log: @escaping @Sendable (PluginLogLevel, String) -> Void
    ) {
      self.file = file
      self.feed = feed
      self.stopping = stopping
      self.isFollowing = isFollowing
      self.log = log
    }

    func run() {
      var lines = LineSplitter()
      var decoding = TextDecoding()
      var sampleBegan: Instant?
      while true {
        var timeout: Int32 = -1
        if feed.isSampling {
          let now = monotonicNow
          let began = sampleBegan ?? now
          sampleBegan = began
          let rest = min(.milliseconds(200), now.duration(to: began.advanced(by: .seconds(1))))
          timeout = Int32(max(0, rest.nanoseconds) / 1_000_000)
        } else {
          sampleBegan = nil
        }
        var waiting = [
          pollfd(fd: file, events: Int16(POLLIN), revents: 0),
          pollfd(fd: stopping.file, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&waiting, 2, timeout)
        if waiting[1].revents != 0 { return }
        if ready == 0 || sampleBegan.map({ $0.duration(to: monotonicNow) >= .seconds(1) }) ?? false {
          sampleBegan = nil
          guard feed.settle() else { return }
          if ready == 0 { continue }
        }
        guard waiting[0].revents != 0 else { continue }
        let room = lines.room()
        let count = read(file, room.baseAddress, room.count)
        if count < 0, errno == EAGAIN || errno == EINTR { continue }
        if count <= 0 {
          guard count == 0, isFollowing else { break }
          guard feed.settle() else { return }
          if isShorterThanRead {
            log(.warning, "the file has become shorter: it is read from its beginning again")
            // The incomplete last line will never be completed, so process it now.
            if let line = lines.rest() { guard feed.take(line, lines.limit) else { return } }
            lines = LineSplitter()
            decoding = TextDecoding()
            lseek(file, 0, SEEK_SET)
            continue
          }
          var stop = pollfd(fd: stopping.file, events: Int16(POLLIN), revents: 0)
          if poll(&stop, 1, StreamSource.followPause) > 0 { return }
          continue
        }
        switch decoding.take(UnsafeRawBufferPointer(rebasing: room[..<count])) {
        case .unchanged:
          lines.take(count)
          guard takeLines(&lines) else { return }
        case .text(let bytes):
          feed.encodingNotice = decoding.notice
          var rest = bytes[...]
          while !rest.isEmpty {
            let room = lines.room()
            let part = rest.prefix(room.count)
            room.copyBytes(from: part)
            lines.take(part.count)
            rest = rest.dropFirst(part.count)
            guard takeLines(&lines) else { return }
          }
        case .binary(let reason):
          log(.error, reason)
          return feed.refuse(reason)
        }
        guard feed.flush() else { return }
      }
      if let line = lines.rest() { guard feed.take(line, lines.limit) else { return } }
      _ = feed.end()
    }

    /// Processes complete lines; returns false when an event was refused.
    private func takeLines(_ lines: inout LineSplitter) -> Bool {
      while let line = lines.next() { guard feed.take(line, lines.limit) else { return false } }
      return true
    }

    /// Whether the followed file was truncated, as logrotate does with `copytruncate`.
    private var isShorterThanRead: Bool {
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
      return Int64(status.st_size) < Int64(lseek(file, 0, SEEK_CUR))
    }
  }
}
