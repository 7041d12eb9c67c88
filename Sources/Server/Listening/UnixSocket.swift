import Glibc

/// A listening Unix socket that only its owner can open at any time.
///
/// libwebsockets creates sockets that the group may open. The socket is therefore created in a
/// private folder, restricted to its owner, and then moved to its path.
final class UnixSocket {
  let path: String
  private let folder: String
  private var isPublished = false
  /// The path at which the socket is created.
  var draftPath: String { "\(folder)/s" }

  /// - Throws: ``ServerError/socketUnavailable(_:)`` if the path is in use.
  init(path: String) throws(ServerError) {
    self.path = path
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK, !Self.isListening(at: path) else { throw .socketUnavailable(path) }
    }
    var template = Array("\(path).XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .socketUnavailable(path) }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    unlink(draftPath)
    rmdir(folder)
    if isPublished { unlink(path) }
  }

  /// Moves the socket to its path.
  func publish() throws(ServerError) {
    guard chmod(draftPath, 0o600) == 0, rename(draftPath, path) == 0 else { throw .socketUnavailable(path) }
    isPublished = true
    rmdir(folder)
  }

  /// Returns whether a process listens on the socket.
  private static func isListening(at path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0
  }
}
