import Testing

@testable import Server

/// Tests of stopping a server, and of failures to start.
@Suite struct StopTests {
  /// A time limit far below that of the keepalive, but long enough for a busy machine.
  private static let patience = 60.0

  @Test func `stopping closes clients with 1001 and ends the server`() throws {
    let server = try RunningServer()
    let inlet = server.addNumbers(1_000)
    let clients = try (0..<20).map { _ in try WebSocketClient.open("numbers", port: server.port) }
    server.control.stop()
    for client in clients { #expect(client.closeCode() == 1001) }
    #expect(server.stop(within: Self.patience))
    #expect(!inlet.report(.state(.live, message: "")), "a source may still speak")
  }

  @Test func `stopping does not wait for unresponsive clients`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let silent = try (0..<20).map { _ in try WebSocketClient.open("numbers", port: server.port) }
    let half = try RawSocket(port: server.port)
    half.send("GET / HTTP/1.1\r\n")
    #expect(server.stop(within: Self.patience))
    #expect(silent.count == 20)
  }

  @Test func `an idle server stops in time`() throws {
    for _ in 0..<10 {
      let server = try RunningServer()
      #expect(server.stop(within: Self.patience))
    }
  }

  /// libwebsockets closes a descriptor twice when a server ends; see `descriptors.h`.
  @Test func `servers that end do not close descriptors of servers that start`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var servers: [RunningServer] = []
          for _ in 0..<40 {
            servers.append(try RunningServer())
            if servers.count == 3 { servers.removeFirst().control.stop() }
          }
          for server in servers { #expect(server.stop(within: Self.patience)) }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `throws portUnavailable if the port is in use`() throws {
    let server = try RunningServer()
    var configuration = ServerConfiguration()
    configuration.port = server.port
    #expect(throws: ServerError.portUnavailable("127.0.0.1", server.port)) { _ = try Server(configuration) }
    #expect(try HTTPAnswer.get("/", port: server.port)?.status == 200)
  }
}
