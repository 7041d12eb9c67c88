import Glibc
import ListEngine
import SourceRuntime
import Wire

/// A Unix socket on which a source receives rows.
///
/// Only its owner may connect. A stream socket takes any number of lines of each connection, and
/// answers the end of a connection with one line of JSON. A datagram holds whole lines.
package final class PushSocket {
  /// The path and the kind of a socket.
  package struct Place: Hashable, Sendable {
    /// The path, of at most 107 bytes.
    package var path: String
    /// Whether the socket takes datagrams instead of connections.
    package var isDatagram: Bool

    /// Creates a place.
    package init(path: String, isDatagram: Bool = false) {
      self.path = path
      self.isDatagram = isDatagram
    }
  }

  struct Failure: Error { var reason: String }

  let place: Place
  let file: Int32
  private var isClosed = false
  /// Whether a connection or a datagram waits.
  var isReady = false
  /// The text of all datagrams; `nil` before the first one.
  var datagrams: PushedText?

  /// Creates and binds the socket; replaces one that no process listens on.
  init(_ place: Place) throws(Failure) {
    self.place = place
    let kind = (place.isDatagram ? SOCK_DGRAM : SOCK_STREAM).rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    guard var address = Self.address(place.path) else {
      throw Failure(reason: "the path of a socket has at most 107 bytes")
    }
    var status = stat()
    if lstat(place.path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else { throw Failure(reason: "a file of another kind exists there") }
      let probe = socket(AF_UNIX, Int32(kind), 0)
      defer { Glibc.close(probe) }
      guard Self.with(&address, { connect(probe, $0, $1) }) != 0 else {
        throw Failure(reason: "another process listens there")
      }
      unlink(place.path)
    }
    let file = socket(AF_UNIX, Int32(kind), 0)
    guard file >= 0 else { throw Failure(reason: String(cString: strerror(errno)).lowercased()) }
    // The mode of the open socket limits that of the path which bind() creates.
    fchmod(file, 0o600)
    guard Self.with(&address, { bind(file, $0, $1) }) == 0, place.isDatagram || listen(file, 64) == 0 else {
      let reason = String(cString: strerror(errno)).lowercased()
      Glibc.close(file)
      throw Failure(reason: reason)
    }
    self.file = file
  }

  deinit { close() }

  /// Closes the socket and removes its path.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    Glibc.close(file)
    unlink(place.path)
  }

  /// Accepts one connection, or returns `nil` when none waits.
  func accept() -> Int32? {
    isReady = false
    let connection = Glibc.accept(file, nil, nil)
    guard connection >= 0 else { return nil }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    return connection
  }

  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  private static func with(
    _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}

/// A connection to a stream socket.
final class PushConnection {
  let file: Int32
  let text: PushedText
  var isReady = false

  init(_ file: Int32, _ text: PushedText) {
    self.file = file
    self.text = text
  }

  deinit { close(file) }

  /// Sends the report, unless the sender does not read it.
  func send(_ report: UploadReport) {
    let line = report.json() + [0x0A]
    _ = Glibc.send(file, line, line.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
  }
}
