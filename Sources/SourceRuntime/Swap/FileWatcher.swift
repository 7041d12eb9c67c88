import Dispatch

/// Polls files four times a second and reports completed changes.
///
/// Polling is cheap. inotify would miss changes on network folders and files replaced by editors
/// and compilers.
package final class FileWatcher: @unchecked Sendable {
  private let paths: [String]
  private let queue = DispatchQueue(label: "files")
  private let timer: any DispatchSourceTimer
  private var watch: FileWatch

  /// Starts polling.
  ///
  /// `changed` is called on a separate thread, one call at a time.
  package init(_ paths: [String], changed: @escaping @Sendable () -> Void) {
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

  /// Stops polling.
  package func stop() { timer.cancel() }
}
