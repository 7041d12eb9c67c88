import Dispatch
import Glibc

/// The folder with a file for each view, written by a serial queue.
///
/// A file is named by the view's id, never by a text of a client. It is replaced atomically: a
/// crash leaves the old or the new content.
final class ViewFolder: Sendable {
  /// The maximum size of a file, in bytes.
  static let greatestByteCount = 64 << 10

  let path: String
  private let queue = DispatchQueue(label: "views")
  private let put: @Sendable (Int32, UnsafeRawPointer, Int) -> Int

  /// Creates the folder if it is missing.
  ///
  /// - Parameter put: The system call that writes bytes to a file.
  /// - Throws: ``ServerError`` if the folder is not usable.
  init(path: String, put: @escaping @Sendable (Int32, UnsafeRawPointer, Int) -> Int = { Glibc.write($0, $1, $2) })
    throws(ServerError)
  {
    self.path = path
    self.put = put
    var status = stat()
    guard mkdir(path, 0o700) == 0 || errno == EEXIST, stat(path, &status) == 0 else {
      throw .viewsUnavailable(path, Self.text(of: errno))
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .viewsUnavailable(path, Self.text(of: ENOTDIR)) }
    guard access(path, R_OK | W_OK | X_OK) == 0 else { throw .viewsUnavailable(path, Self.text(of: errno)) }
  }

  /// Reads all views.
  ///
  /// - Returns: The views, and the files that are not used with the reasons.
  /// - Complexity: O(*n*) in the files, of which at most 4,096 are read.
  func load() -> (views: ViewLibrary, faults: [(file: String, reason: String)]) {
    var library = ViewLibrary()
    var faults: [(file: String, reason: String)] = []
    for file in names() {
      guard let bytes = read(file) else {
        faults.append((file, "it is not a readable file of at most \(Self.greatestByteCount) bytes"))
        continue
      }
      do throws(ViewFault) {
        let view = try SavedView(yaml: bytes)
        if "\(view.id).yaml" != file {
          faults.append((file, "it must be called \(view.id).yaml, like its id"))
        } else if !library.add(view) {
          faults.append((file, "its name is taken by another file, or there are too many views"))
        }
      } catch {
        faults.append((file, error.reason))
      }
    }
    return (library, faults)
  }

  private func names() -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while names.count < 4_096, let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".yaml"), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private func read(_ name: String) -> [UInt8]? {
    let file = open("\(path)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.greatestByteCount else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Self.greatestByteCount + 1)
    let count = Glibc.read(file, &bytes, bytes.count)
    return (0...Self.greatestByteCount).contains(count) ? Array(bytes[..<count]) : nil
  }

  /// Makes a change on the queue, then calls `done` there with the fault, or `nil`.
  func perform(_ change: ViewLibrary.Change, _ done: @escaping @Sendable (String?) -> Void) {
    queue.async { [self] in
      switch change {
      case .write(let view): done(store(view))
      case .remove(let view): done(remove(view.id))
      }
    }
  }

  private func store(_ view: SavedView) -> String? {
    let (name, new) = ("\(path)/\(view.id).yaml", "\(path)/.\(view.id).new")
    unlink(new)  // of a process that was killed
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return Self.text(of: errno) }
    var failure: Int32 = write(Array(view.yaml.utf8), to: file)
    if failure == 0, fsync(file) != 0 { failure = errno }
    if close(file) != 0, failure == 0 { failure = errno }
    if failure == 0, rename(new, name) != 0 { failure = errno }
    if failure == 0 { return syncFolder() }
    unlink(new)
    return Self.text(of: failure)
  }

  private func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { put(file, $0.baseAddress!, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : ENOSPC }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  private func remove(_ id: String) -> String? {
    guard unlink("\(path)/\(id).yaml") == 0 || errno == ENOENT else { return Self.text(of: errno) }
    return syncFolder()
  }

  /// Makes the new names of the folder lasting.
  private func syncFolder() -> String? {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return Self.text(of: errno) }
    defer { close(folder) }
    return fsync(folder) == 0 ? nil : Self.text(of: errno)
  }

  private static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
