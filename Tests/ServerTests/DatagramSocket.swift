import Foundation
import Glibc

/// A socket that receives the messages of a service to its manager.
final class DatagramSocket {
  let path: String
  private let descriptor: Int32

  /// Creates a socket in the file system, or one with an abstract name (`@name`).
  init(isAbstract: Bool = false) {
    let name = "rowcast-\(UUID().uuidString)"
    path = isAbstract ? "@\(name)" : FileManager.default.temporaryDirectory.appending(path: name).path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = isAbstract ? [0] + Array(name.utf8) : Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)))
      }
    }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// Returns the next message; `nil` if none arrives in time.
  func message(within seconds: Double = RawSocket.patience) -> String? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(seconds * 1_000)) > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}
