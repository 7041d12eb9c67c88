import ListEngine
import Testing

@testable import Server

/// Tests of the notifications for systemd.
@Suite struct SystemManagerTests {
  @Test(arguments: [false, true]) func `notifies systemd when the server is ready and when it stops`(_ isAbstract: Bool)
    throws
  {
    let socket = DatagramSocket(isAbstract: isAbstract)
    let server = try RunningServer {
      $0.systemManager = SystemManager(socket: socket.path, watchdogMicroseconds: nil)
    }
    #expect(socket.message() == "READY=1\nSTATUS=listening on http://127.0.0.1:\(server.port)/")
    #expect(server.stop())
    #expect(socket.message() == "STOPPING=1")
    #expect(socket.message(within: 0) == nil)
  }

  @Test func `sends keepalives at half the interval that systemd requires`() throws {
    let socket = DatagramSocket()
    let manager = try #require(SystemManager(socket: socket.path, watchdogMicroseconds: 2_000_000))
    func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
    var received: [Int64] = []
    for moment: Int64 in [5_000, 5_500, 5_999, 6_000, 6_001, 7_500, 8_499, 8_500] {
      manager.advance(to: at(moment))
      if socket.message(within: 0) == "WATCHDOG=1" { received.append(moment) }
    }
    #expect(received == [5_000, 6_000, 7_500, 8_500])
    #expect(manager.deadline == at(9_500))
  }

  @Test func `the running server sends systemd keepalives`() throws {
    let socket = DatagramSocket()
    let server = try RunningServer {
      $0.systemManager = SystemManager(socket: socket.path, watchdogMicroseconds: 20_000)
    }
    #expect(socket.message()?.hasPrefix("READY=1") == true)
    for _ in 0..<5 { #expect(socket.message() == "WATCHDOG=1") }
    #expect(server.stop())
  }

  @Test func `is disabled without a valid socket or interval`() {
    #expect(SystemManager(socket: nil, watchdogMicroseconds: 1) == nil)
    for path in ["", "relative", "@" + String(repeating: "x", count: 120)] {
      #expect(SystemManager(socket: path, watchdogMicroseconds: nil) == nil, "\(path)")
    }
    #expect(SystemManager(socket: "/nowhere", watchdogMicroseconds: 0)?.deadline == nil)
    SystemManager(socket: "/nowhere", watchdogMicroseconds: nil)?.notifyStopping()
  }
}
