import Dispatch

/// Looks at files four times a second, and tells when they have changed and are whole.
///
/// Not inotify: editors and compilers put new files in the place of old ones, network folders tell nothing, and to look costs nothing.
public final class FileWatcher: @unchecked Sendable {
  private let paths: [String]
  private let queue = DispatchQueue(label: "files")
  private let timer: any DispatchSourceTimer
  private var watch: FileWatch

  /// Begins to look. `changed` is called on a thread of its own, one call at a time.
  public init(_ paths: [String], changed: @escaping @Sendable () -> Void) {
    self.paths = paths
    watch = FileWatch(paths.map { FileStamp($0) })
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + .milliseconds(250), repeating: .milliseconds(250))
    timer.setEventHandler { [weak self] in
      guard let self, self.watch.look(self.paths.map { FileStamp($0) }) else { return }
      changed()
    }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Looks no more.
  public func stop() { timer.cancel() }
}
