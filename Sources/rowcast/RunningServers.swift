import Glibc
import Server

/// A running server of this user, as recorded in the state folder.
struct RunningServer {
  /// The port; 0 for a Unix socket.
  var port: Int
  /// The base URL for browsers, with a trailing `/`.
  var url: String
  /// The path of the token file; `nil` if the server accepts every client.
  var tokenFile: String?
  /// Whether the server accepts every client without a token.
  var isOpen: Bool { tokenFile == nil }
}

/// The running servers of this user.
///
/// Each server keeps a locked file in the state folder. The lock marks the server as running,
/// because the kernel releases it however the process ends.
enum RunningServers {
  /// A server's entry, locked until the process ends.
  struct Entry {
    fileprivate let path: String
    fileprivate let file: Int32

    /// Deletes the entry.
    func remove() {
      unlink(path)
      close(file)
    }
  }

  private static let suffix = ".server"

  /// Records this server in the state folder.
  ///
  /// Returns `nil` if the state folder is unusable; then `rowcast url` does not find the server.
  static func enter(_ server: RunningServer) -> Entry? {
    guard let folder = try? TokenFile.stateFolder() else { return nil }
    let path = "\(folder)/\(server.port > 0 ? "\(server.port)" : "process-\(getpid())")\(suffix)"
    // If a server on another address with the same port holds the entry, use one named by process
    // ID.
    for path in [path, "\(folder)/process-\(getpid())\(suffix)"] {
      let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard file >= 0 else { continue }
      guard flock(file, LOCK_EX | LOCK_NB) == 0, ftruncate(file, 0) == 0 else {
        close(file)
        continue
      }
      let text = "\(server.port)\n\(server.url)\n\(server.tokenFile ?? "")\n"
      _ = text.withCString { write(file, $0, strlen($0)) }
      return Entry(path: path, file: file)
    }
    return nil
  }

  /// Returns all running servers of this user, ordered by port.
  static func all() -> [RunningServer] {
    guard let folder = try? TokenFile.stateFolder(), let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var servers: [RunningServer] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(suffix), let server = read("\(folder)/\(name)") { servers.append(server) }
    }
    return servers.sorted { ($0.port, $0.url) < ($1.port, $1.url) }
  }

  /// Reads one entry; returns `nil` if its server has ended.
  private static func read(_ path: String) -> RunningServer? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
    // The shared lock is granted only if the server's exclusive lock is gone.
    if flock(file, LOCK_SH | LOCK_NB) == 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, let port = Int(lines[0]) else { return nil }
    return RunningServer(port: port, url: String(lines[1]), tokenFile: lines[2].isEmpty ? nil : String(lines[2]))
  }

  /// Returns the running server that the settings select: by its port, or the only one.
  ///
  /// - Throws: `EnvironmentFailure` that lists the running servers if none or several match.
  static func one(_ settings: Settings) throws -> RunningServer {
    let all = all()
    let fitting = settings.port.map { port in all.filter { $0.port == port } } ?? all
    if fitting.count == 1 { return fitting[0] }
    let list = all.map { "\($0.url) (--port \($0.port))" }.joined(separator: ", ")
    if fitting.count > 1 {
      throw EnvironmentFailure(description: "several servers run: \(list); name one with --port")
    }
    let missing = settings.port.map { "no server of this user runs on port \($0)" } ?? "no server of this user runs"
    throw EnvironmentFailure(
      description: all.isEmpty ? "\(missing); start one with “rowcast serve”" : "\(missing); running: \(list)")
  }
}
