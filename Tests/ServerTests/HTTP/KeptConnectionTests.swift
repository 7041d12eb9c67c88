import Foundation
import Testing

@testable import Server

/// Tests of persistent connections, on which the page's many files load faster.
@Suite struct KeptConnectionTests {
  /// A connection that sends one request after another.
  private final class Browser {
    let socket: RawSocket
    private let server: RunningServer
    private var port: Int { server.port }

    init(_ server: RunningServer) throws {
      self.server = server
      socket = try RawSocket(port: server.port)
    }

    func send(_ path: String = "/", method: String = "GET", headers: [String] = ["Connection: keep-alive"]) {
      socket.send(
        ([
          "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)",
        ] + headers).joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Returns the next response, of the length that it declares.
    func answer() -> HTTPAnswer? {
      let deadline = RawSocket.now() + RawSocket.patience
      while true {
        if let answer = HTTPAnswer(socket.received), let length = answer.headers["content-length"].flatMap({ Int($0) })
        {
          let head = socket.received.count - answer.body.count
          if answer.body.count >= length {
            return HTTPAnswer(socket.take(head + length))
          }
        }
        guard socket.receive(until: deadline) else { return nil }
      }
    }

    /// Whether the server has closed the connection without further data.
    var isOver: Bool { socket.readToEnd() == [] }
  }

  @Test func `keeps a connection open until a request lacks keep-alive`() throws {
    let browser = try Browser(try RunningServer())
    for _ in 0..<3 {
      browser.send()
      let answer = try #require(browser.answer())
      #expect(answer.status == 200)
      #expect(answer.headers["connection"] == "keep-alive")
      #expect(answer.body.isEmpty == false)
    }
    browser.send(headers: [])
    #expect(browser.answer()?.headers["connection"] == "close", "who does not ask for more gets no more")
    #expect(browser.isOver)
  }

  @Test func `answers each of several pipelined requests`() throws {
    let browser = try Browser(try RunningServer())
    for _ in 0..<5 { browser.send() }
    browser.send(headers: [])
    for _ in 0..<5 { #expect(browser.answer()?.headers["connection"] == "keep-alive") }
    #expect(browser.answer()?.headers["connection"] == "close")
    #expect(browser.isOver)
  }

  @Test func `closes a persistent connection after 100 responses`() throws {
    let browser = try Browser(try RunningServer())
    for number in 1...Connections.greatestRequestCount {
      browser.send()
      let isLast = number == Connections.greatestRequestCount
      #expect(browser.answer()?.headers["connection"] == (isLast ? "close" : "keep-alive"), "\(number)")
    }
    #expect(browser.isOver)
  }

  @Test func `closes a persistent connection after a refused request`() throws {
    let server = try RunningServer()
    let keep = "Connection: keep-alive"
    for (path, method, headers, status) in [
      ("/nothing", "GET", [keep], 404), ("/", "POST", [keep], 405),
      ("/", "GET", [keep, "Origin: http://evil.example"], 403),
      ("/", "GET", [keep, "Content-Length: 5"], 400), ("/", "GET", [keep, "Transfer-Encoding: chunked"], 400),
    ] {
      let browser = try Browser(server)
      browser.send()
      #expect(browser.answer()?.status == 200)
      browser.send(path, method: method, headers: headers)
      let answer = try #require(browser.answer(), "\(method) \(path) \(headers)")
      #expect(answer.status == status)
      #expect(answer.headers["connection"] == "close")
      browser.send()
      #expect(browser.answer() == nil)
    }
  }

  @Test func `closes the connection unless keep-alive is unambiguous`() throws {
    let server = try RunningServer()
    for headers in [
      ["Connection: keep-alive", "Content-Length: 0"], ["Connection: keep-alive", "Connection: keep-alive"],
      ["Connection: keep-alive, x"], ["Connection: close"],
    ] {
      let browser = try Browser(server)
      browser.send(headers: headers)
      #expect(browser.answer()?.headers["connection"] == "close", "\(headers)")
      #expect(browser.isOver, "\(headers)")
    }
  }

  @Test func `refuses an upgrade on a persistent connection`() throws {
    let server = try RunningServer()
    let browser = try Browser(server)
    browser.send()
    #expect(browser.answer()?.status == 200)
    browser.socket.send(WebSocketClient.upgrade(port: server.port).joined(separator: "\r\n") + "\r\n\r\n")
    let rest = try #require(browser.socket.readToEnd())
    #expect(!String(decoding: rest, as: UTF8.self).contains(" 101 "))
    #expect(try WebSocketClient.status(of: WebSocketClient.upgrade(port: server.port), port: server.port) == 101)
  }

  @Test func `an idle persistent connection does not delay the stop`() throws {
    let server = try RunningServer()
    let browser = try Browser(server)
    browser.send()
    #expect(browser.answer()?.status == 200)
    #expect(server.stop(within: 4), "it waits for a connection on which nothing happens")
    #expect(browser.isOver)
  }
}
