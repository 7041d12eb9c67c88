import Glibc

/// A TCP connection to the loopback address with time limits on all operations.
final class RawSocket {
  let descriptor: Int32
  private(set) var received: [UInt8] = []
  private(set) var isClosedByPeer = false
  /// A generous time limit for shared machines; it is reached only if something is wrong.
  static let patience = 60.0

  /// - Parameter receiveBuffer: The size of the receive buffer in bytes; the system's default if
  ///   omitted.
  init(port: Int, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure.notConnected(errno) }
  }

  /// Connects to a Unix socket.
  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Failure.notConnected(errno) }
  }

  enum Failure: Error, Equatable {
    case notConnected(Int32)
    case closed
    case nothingCame
  }

  deinit { close(descriptor) }

  /// Sends all bytes; returns `false` if the peer has closed or does not read in time.
  @discardableResult
  func send(_ bytes: [UInt8], within seconds: Double = RawSocket.patience) -> Bool {
    let deadline = Self.now() + seconds
    var sent = 0
    while sent < bytes.count {
      guard wait(for: POLLOUT, until: deadline) else { return false }
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EAGAIN { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Waits for more data.
  ///
  /// - Returns: `false` if nothing arrives in time or the peer has closed the connection.
  func receive(until deadline: Double) -> Bool {
    guard !isClosedByPeer, wait(for: POLLIN, until: deadline) else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else {
      isClosedByPeer = true
      return false
    }
    received.append(contentsOf: buffer[..<count])
    return true
  }

  /// Removes and returns the first bytes received.
  func take(_ count: Int) -> [UInt8] {
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// Returns everything until the peer closes; `nil` if it does not close in time.
  func readToEnd(within seconds: Double = RawSocket.patience) -> [UInt8]? {
    let deadline = Self.now() + seconds
    while receive(until: deadline) {}
    return isClosedByPeer ? take(received.count) : nil
  }

  /// Returns whether the peer has closed the connection, without waiting.
  func isClosedByNow() -> Bool {
    while receive(until: 0) {}
    return isClosedByPeer
  }

  /// Closes the sending direction.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  private func wait(for event: Int32, until deadline: Double) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    let remaining = max(0, deadline - Self.now())
    return poll(&entry, 1, Int32(remaining * 1_000)) > 0
  }

  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
