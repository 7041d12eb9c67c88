import Foundation
import Testing

@testable import Server

/// Tests of a server on a Unix socket.
@Suite struct UnixSocketTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "rc-\(UUID().uuidString.prefix(8))").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var socket: String { "\(path)/rowcast" }
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
  }

  private func get(_ path: String, host: String = "localhost", on socketPath: String) throws -> HTTPAnswer? {
    let socket = try RawSocket(path: socketPath)
    socket.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    return socket.readToEnd().flatMap(HTTPAnswer.init)
  }

  @Test func `the socket is private to its owner and removed on stop`() throws {
    let folder = try Folder()
    let server = try RunningServer { $0.address = .unix(folder.socket) }
    var status = stat()
    #expect(lstat(folder.socket, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFSOCK)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(folder.names == ["rowcast"])
    #expect(try get("/", on: folder.socket)?.status == 200)
    #expect(try get("/", host: "127.0.0.1", on: folder.socket)?.status == 403)
    let client = try WebSocketClient(
      socket: RawSocket(path: folder.socket),
      lines: WebSocketClient.upgrade(port: 0, host: ["localhost"], origin: ["http://localhost"]))
    #expect(client.handshake.contains(" 101 "))
    #expect(server.stop())
    #expect(folder.names == [])
  }

  @Test func `refuses a path in use and replaces a stale socket`() throws {
    let folder = try Folder()
    let first = try RunningServer { $0.address = .unix(folder.socket) }
    var configuration = ServerConfiguration()
    configuration.address = .unix(folder.socket)
    #expect(throws: ServerError.socketUnavailable(folder.socket)) { _ = try Server(configuration) }
    #expect(try get("/", on: folder.socket)?.status == 200)
    #expect(first.stop())
    // Leave a socket without a listener, as after a crash.
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(folder.socket.utf8)) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(isBound == 0)
    close(descriptor)
    let second = try RunningServer { $0.address = .unix(folder.socket) }
    #expect(try get("/", on: folder.socket)?.status == 200)
    #expect(second.stop())
  }

  @Test func `refuses unusable paths and leaves their files unchanged`() throws {
    let folder = try Folder()
    try Data("mine".utf8).write(to: URL(filePath: folder.socket))
    for path in [folder.socket, "\(folder.path)/nowhere/s", "/" + String(repeating: "x", count: 200)] {
      var configuration = ServerConfiguration()
      configuration.address = .unix(path)
      #expect(throws: ServerError.socketUnavailable(path)) { _ = try Server(configuration) }
    }
    #expect(try String(contentsOfFile: folder.socket, encoding: .utf8) == "mine")
    #expect(folder.names == ["rowcast"])
  }
}
