import Foundation
import Testing

@testable import Server

/// Tests that the token file is private and that errors do not repeat its content.
@Suite struct TokenFileTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, mode: mode_t = 0o600) throws -> String {
      let file = "\(path)/\(UUID().uuidString)"
      try Data(text.utf8).write(to: URL(filePath: file))
      chmod(file, mode)
      return file
    }
  }

  @Test func `round-trips tokens through a file private to its owner`() throws {
    let folder = try Folder()
    let tokens = [AccessToken(role: .operator), AccessToken(role: .viewer)]
    let path = "\(folder.path)/t"
    for _ in 0..<2 {
      try TokenFile.write(tokens, to: path)
      #expect(try TokenFile.read(path) == tokens)
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["t"])
    // Writing does not follow a symbolic link.
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/l", withDestinationPath: "\(folder.path)/else")
    try TokenFile.write(tokens, to: "\(folder.path)/l")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/else"))
  }

  @Test func `accepts 64 tokens and refuses a 65th`() throws {
    let folder = try Folder()
    let lines = (0..<65).map { _ in "viewer \(AccessToken(role: .viewer).text)\n" }
    #expect(try TokenFile.read(folder.write(lines.prefix(64).joined())).count == 64)
    let path = try folder.write(lines.joined())
    #expect(throws: TokenFile.Failure.badLine(path, line: 65)) { try TokenFile.read(path) }
  }

  @Test func `accepts 65,536 bytes and refuses a larger file`() throws {
    let folder = try Folder()
    let line = "operator \(AccessToken(role: .operator).text)\n"
    for (count, isRead) in [(65_536, true), (65_537, false)] {
      let path = try folder.write(line + String(repeating: "#", count: count - line.utf8.count))
      if isRead {
        #expect(try TokenFile.read(path).count == 1)
      } else {
        #expect(throws: TokenFile.Failure.unreadable(path)) { try TokenFile.read(path) }
      }
    }
  }

  @Test func `refuses links, FIFOs and files that others can access`() throws {
    let folder = try Folder()
    let line = "operator \(AccessToken(role: .operator).text)\n"
    for mode: mode_t in [0o640, 0o604, 0o620, 0o602, 0o660, 0o644, 0o610, 0o777] {
      let path = try folder.write(line, mode: mode)
      #expect(throws: TokenFile.Failure.exposed(path), "\(String(mode, radix: 8))") { try TokenFile.read(path) }
    }
    for mode: mode_t in [0o600, 0o400, 0o700] {
      #expect(try TokenFile.read(folder.write(line, mode: mode)).count == 1)
    }
    let real = try folder.write(line)
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: real)
    #expect(throws: TokenFile.Failure.unreadable("\(folder.path)/link")) { try TokenFile.read("\(folder.path)/link") }
    #expect(throws: TokenFile.Failure.unreadable(folder.path)) { try TokenFile.read(folder.path) }
    #expect(throws: TokenFile.Failure.missing("/nowhere/t")) { try TokenFile.read("/nowhere/t") }
    mkfifo("\(folder.path)/fifo", 0o600)
    #expect(throws: TokenFile.Failure.unreadable("\(folder.path)/fifo")) { try TokenFile.read("\(folder.path)/fifo") }
  }

  @Test func `reports the number of an invalid line, not its content`() throws {
    let folder = try Folder()
    let good = "viewer \(AccessToken(role: .viewer).text)"
    for (text, line) in [
      ("\(good)\nviewer short\n", 2), ("# x\n\nadmin \(AccessToken(role: .viewer).text)", 3),
      ("\(good) more", 1), ("viewer", 1), (AccessToken(role: .viewer).text, 1), ("\(good)\n\(good)\nviewer a,b", 3),
    ] {
      let path = try folder.write(text)
      #expect(throws: TokenFile.Failure.badLine(path, line: line)) { try TokenFile.read(path) }
    }
    for text in ["", "\n\n", "# only words\n"] {
      let path = try folder.write(text)
      #expect(throws: TokenFile.Failure.empty(path)) { try TokenFile.read(path) }
    }
    let secret = "operator secret-secret-secret"
    let path = try folder.write(secret)
    #expect(throws: TokenFile.Failure.badLine(path, line: 1)) { try TokenFile.read(path) }
    #expect(!TokenFile.Failure.badLine(path, line: 1).description.contains("secret-secret"))
    let tooMany = try folder.write((0..<65).map { _ in "\(good)\n" }.joined())
    #expect(throws: TokenFile.Failure.badLine(tooMany, line: 65)) { try TokenFile.read(tooMany) }
  }
}
