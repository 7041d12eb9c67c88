import Glibc
import ListEngine

/// Tells systemd how the server is, when it runs under it (sd_notify(3)); otherwise does nothing.
///
/// The protocol is one datagram per message to a socket that the environment names: not worth a library.
///
/// It is made anywhere, and then belongs to the loop.
public final class SystemManager: @unchecked Sendable {
  private let address: sockaddr_un
  private let length: socklen_t
  private let descriptor: Int32
  /// How often it wants to hear that the loop turns; `nil` when it does not.
  let watchdogInterval: Duration?
  private var lastSign: Instant?

  /// `nil` when nobody wants to know.
  public convenience init?() {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    // Who has set the interval for somebody else says for whom.
    let isForUs = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = isForUs ? variable("WATCHDOG_USEC").flatMap { Int64($0) } : nil
    self.init(socket: variable("NOTIFY_SOCKET"), watchdogMicroseconds: microseconds)
  }

  init?(socket path: String?, watchdogMicroseconds: Int64?) {
    guard let path, path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // An abstract name begins with a zero byte.
    let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    self.address = address
    length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
    descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    // Twice as often as has to be, as the manual says.
    watchdogInterval = watchdogMicroseconds.flatMap {
      (1...Int64.max / 500).contains($0) ? .nanoseconds($0 * 500) : nil
    }
  }

  deinit { close(descriptor) }

  /// Says one thing; whether anyone hears it is not our concern.
  func tell(_ message: String) {
    let bytes = Array(message.utf8)
    _ = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }

  /// The server listens; also after it has read its configuration again.
  func tellReady(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

  /// The server reads its configuration again; ``tellReady(_:)`` follows.
  func tellReloading(at now: Instant) { tell("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1_000)") }

  func tellStopping() { tell("STOPPING=1") }

  /// When the next sign of life is due.
  var deadline: Instant? {
    guard let watchdogInterval else { return nil }
    return lastSign.map { $0.advanced(by: watchdogInterval) } ?? .zero
  }

  /// Gives a sign of life, when one is due. The loop calls it, so that a loop that hangs gives none.
  func advance(to now: Instant) {
    guard let deadline, now >= deadline else { return }
    lastSign = now
    tell("WATCHDOG=1")
  }
}
