import Glibc
import ListEngine

/// Notifications for systemd about the server's state (sd_notify(3)).
///
/// Each message is one datagram to a socket named in the environment, which needs no library.
///
/// It may be created on any thread, and is then used only on the loop.
public final class SystemManager: @unchecked Sendable {
  private let address: sockaddr_un
  private let length: socklen_t
  private let descriptor: Int32
  /// The interval of keepalive messages that systemd expects; `nil` for none.
  let watchdogInterval: Duration?
  private var lastSign: Instant?

  /// Creates the notifier; returns `nil` if the process does not run under systemd.
  public convenience init?() {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    // The watchdog variables may be inherited from another process, which `WATCHDOG_PID` reveals.
    let isForUs = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = isForUs ? variable("WATCHDOG_USEC").flatMap { Int64($0) } : nil
    self.init(socket: variable("NOTIFY_SOCKET"), watchdogMicroseconds: microseconds)
  }

  init?(socket path: String?, watchdogMicroseconds: Int64?) {
    guard let path, path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // An abstract socket name begins with a zero byte.
    let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    self.address = address
    length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
    descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    // Half of the required interval, as sd_watchdog_enabled(3) recommends.
    watchdogInterval = watchdogMicroseconds.flatMap {
      (1...Int64.max / 500).contains($0) ? .nanoseconds($0 * 500) : nil
    }
  }

  deinit { close(descriptor) }

  /// Sends one message, ignoring errors.
  func notify(_ message: String) {
    let bytes = Array(message.utf8)
    _ = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }

  /// Reports that the server listens, also after a reload of the configuration.
  func notifyReady(_ status: String) { notify("READY=1\nSTATUS=\(status)") }

  /// Reports that a reload has begun; ``notifyReady(_:)`` follows.
  func notifyReloading(at now: Instant) { notify("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1_000)") }

  func notifyStopping() { notify("STOPPING=1") }

  /// The time of the next keepalive message.
  var deadline: Instant? {
    guard let watchdogInterval else { return nil }
    return lastSign.map { $0.advanced(by: watchdogInterval) } ?? .zero
  }

  /// Sends a keepalive message if one is due; a blocked loop sends none.
  func advance(to now: Instant) {
    guard let deadline, now >= deadline else { return }
    lastSign = now
    notify("WATCHDOG=1")
  }
}
