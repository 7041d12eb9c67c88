import Foundation
import ListEngine
import Testing
import Threads

@testable import Server

/// Tests of images over HTTP.
@Suite struct ImageTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

  /// A source that answers as the key specifies, or not at all.
  private final class Gallery: Sendable {
    let requested = Guarded<[String]>([])
    let cancelled = Guarded<[UInt64]>([])

    init(_ server: RunningServer, loads: Bool = true, listens: Bool = true) {
      let inlet = server.control.addSource("gallery")
      inlet.report(
        .schema(
          Schema(name: "gallery", key: .integer, columns: [Column("picture", .image)], loadsImages: loads)))
      inlet.report(.state(.live, message: ""))
      guard listens else { return }
      // The server's inlet retains the gallery even when the test does not, so the gallery must not
      // retain the inlet.
      inlet.listen { [self, weak inlet] request in
        if case .cancelImages(let numbers) = request { cancelled.withLock { $0 += numbers } }
        guard case .image(let number, let key) = request else { return }
        requested.withLock { $0.append(key) }
        guard let inlet, let outcome = Self.outcome(key) else { return }
        // Leave the loop's thread, because it must not wait for room in the inlet.
        Thread.detachNewThread { inlet.report(.image(number, outcome)) }
      }
    }

    private static func outcome(_ key: String) -> ImageOutcome? {
      switch key {
      case "silent": nil
      case "none": ImageOutcome.none
      case "failed": .failed("no film")
      case "down": .sourceDown
      case "text": .bytes(Array("<script>".utf8))
      case "svg": .bytes(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))
      case "jpeg": .bytes([0xFF, 0xD8, 0xFF, 0xE0])
      case "gif": .bytes(Array("GIF89a".utf8))
      case "webp": .bytes(Array("RIFF0000WEBP".utf8))
      case "riff": .bytes(Array("RIFF0000WAVE".utf8))
      case "large": .bytes(ImageTests.png + [UInt8](repeating: 0, count: 524_288 - ImageTests.png.count))
      case "too large": .bytes(ImageTests.png + [UInt8](repeating: 0, count: 524_289 - ImageTests.png.count))
      default: .bytes(ImageTests.png)
      }
    }
  }

  private func get(
    _ key: String, _ server: RunningServer, _ headers: [String] = [], method: String = "GET"
  ) throws -> HTTPAnswer? {
    let written = try #require(key.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    return try HTTPAnswer.get(
      "/image?table=gallery&key=\(written)", port: server.port, method: method, headers: headers)
  }

  /// Adds a gallery, and waits until clients can see its table.
  private func gallery(_ server: RunningServer, loads: Bool = true, listens: Bool = true) throws -> Gallery {
    let gallery = Gallery(server, loads: loads, listens: listens)
    _ = try WebSocketClient.open("gallery", port: server.port)
    return gallery
  }

  @Test(arguments: [("png", "image/png"), ("jpeg", "image/jpeg"), ("gif", "image/gif"), ("webp", "image/webp")])
  func `serves an image with the content type of its bytes`(_ key: String, _ type: String) throws {
    let server = try RunningServer()
    let gallery = try gallery(server)
    let answer = try #require(try get(key, server))
    #expect(answer.status == 200 && answer.headers["content-type"] == type)
    #expect(answer.headers["x-content-type-options"] == "nosniff")
    #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
    #expect(answer.headers["cache-control"] == "private, max-age=604800, immutable")
    #expect(gallery.requested.withLock { $0 } == [key])
    if key == "png" { #expect(answer.body == Self.png) }
  }

  @Test func `passes special characters in keys to the source unchanged`() throws {
    let server = try RunningServer()
    let gallery = try gallery(server)
    let keys = ["a/b c+d|1&table=x", "ä%41", "../../etc/passwd", "100%"]
    for key in keys { #expect(try get(key, server)?.status == 200) }
    #expect(gallery.requested.withLock { $0 } == keys)
  }

  @Test(arguments: [
    ("none", 404), ("failed", 502), ("down", 503), ("text", 502), ("svg", 502), ("riff", 502), ("too large", 502),
  ]) func `answers a missing, failed or invalid image with an error`(_ key: String, _ status: Int) throws {
    let server = try RunningServer()
    _ = try gallery(server)
    let answer = try #require(try get(key, server))
    #expect(answer.status == status && answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
  }

  @Test(arguments: ["png", "large", "none", "failed", "down", "text", "too large"])
  func `answers HEAD with the status and headers of GET`(_ key: String) throws {
    let server = try RunningServer()
    let gallery = try gallery(server)
    let whole = try #require(try get(key, server))
    let head = try #require(try get(key, server, method: "HEAD"))
    #expect(head.status == whole.status && head.headers == whole.headers)
    #expect(head.headers["content-length"] == "\(whole.body.count)" && !whole.body.isEmpty)
    #expect(head.body == [])
    #expect(gallery.requested.withLock { $0 } == [key, key])
  }

  @Test func `answers HEAD without a body if the source takes no requests`() throws {
    let server = try RunningServer()
    _ = try gallery(server, listens: false)
    let head = try get("png", server, method: "HEAD")
    #expect(head?.status == 503 && head?.body == [])
  }

  @Test func `serves an image of 512 KiB completely`() throws {
    let server = try RunningServer()
    _ = try gallery(server)
    #expect(try get("large", server)?.body.count == 524_288)
  }

  @Test func `refuses image requests with an invalid table or key`() throws {
    let server = try RunningServer()
    _ = try gallery(server)
    for (path, status) in [
      ("/image", 400), ("/image?table=gallery", 400), ("/image?key=a", 400), ("/image?table=gallery&key=", 400),
      ("/image?table=nothing&key=a", 404), ("/image?table=gallery&key=\(String(repeating: "k", count: 1_025))", 400),
      ("/image?table=gallery&key=\(String(repeating: "k", count: 1_024))", 200),
    ] {
      #expect(try HTTPAnswer.get(path, port: server.port)?.status == status, "\(path.prefix(40))")
    }
  }

  @Test func `answers 404 for a table that loads no images`() throws {
    let server = try RunningServer()
    let gallery = try gallery(server, loads: false)
    #expect(try get("png", server)?.status == 404)
    #expect(gallery.requested.withLock { $0 } == [])
  }

  @Test func `answers 503 if the source takes no requests`() throws {
    let server = try RunningServer()
    _ = try gallery(server, listens: false)
    #expect(try get("png", server)?.status == 503)
  }

  @Test func `serves images only with a valid token or cookie`() throws {
    let keeper = AccessToken(role: .viewer)
    let server = try RunningServer { $0.tokens = [keeper] }
    let gallery = Gallery(server)
    #expect(try get("png", server)?.status == 401)
    #expect(try get("png", server, ["Authorization: Bearer \(keeper.text)x"])?.status == 401)
    #expect(gallery.requested.withLock { $0 } == [])
    // The table may not exist yet.
    try until { try get("png", server, ["Authorization: Bearer \(keeper.text)"])?.status != 404 }
    #expect(try get("png", server, ["Authorization: Bearer \(keeper.text)"])?.status == 200)
    #expect(try get("png", server, ["Cookie: rowcast-\(server.port)=\(keeper.cookie)"])?.status == 200)
    // Under the secret path, where browsers send the cookie.
    let path = "\(Room.path(of: keeper))image?table=gallery&key=png"
    let held = ["Cookie: rowcast-\(server.port)=\(keeper.cookie)"]
    #expect(try HTTPAnswer.get(path, port: server.port, headers: held)?.status == 200)
    #expect(try HTTPAnswer.get(path, port: server.port)?.status == 401, "the path without the cookie is refused")
  }

  @Test func `cancels a load when its only client disconnects`() throws {
    let server = try RunningServer()
    let gallery = try gallery(server)
    var socket: RawSocket? = try RawSocket(port: server.port)
    socket?.send("GET /image?table=gallery&key=silent HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    try until { gallery.requested.withLock { !$0.isEmpty } }
    #expect(gallery.cancelled.withLock { $0 } == [])
    socket = nil
    try until { gallery.cancelled.withLock { !$0.isEmpty } }
    #expect(gallery.cancelled.withLock { $0.count } == 1)
  }
}
