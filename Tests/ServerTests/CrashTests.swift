import Foundation
import Testing

/// Tests that a library that crashes the server is reported, and is not loaded after three crashes.
@Suite struct CrashTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func build(_ macro: String, into folder: URL) throws -> String {
    let library = folder.appending(path: "libcrashing.so").path
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = [
      "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-D\(macro)", "-I",
      root.appending(path: "Sources/CListPlugin/include").path, "-o", library,
      root.appending(path: "Tests/Fixtures/plugins/crashing.c").path,
    ]
    try compiler.run()
    compiler.waitUntilExit()
    #expect(compiler.terminationStatus == 0)
    return library
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    // The folder and its parents must not be writable for other users.
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-crash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func serve(_ library: String, _ folder: URL, waits: Bool) throws -> RunningCommand {
    try RunningCommand(
      ["serve", "--port", "0", "--no-token", "--plugin", library], waits: waits, folder: folder.path,
      environment: ["SWIFT_BACKTRACE": "enable=no"])
  }

  @Test(arguments: [
    ("NOWHERE", SIGSEGV), ("OVERFLOW", SIGSEGV), ("ABORTED", SIGABRT), ("THREAD", SIGSEGV), ("CONFIGURE", SIGSEGV),
    ("LOADED", SIGSEGV),
  ]) func `quarantines a crashing library after three recorded crashes`(_ macro: String, _ signal: Int32) throws {
    try withFolder { folder in
      let library = try Self.build(macro, into: folder)
      let notes = folder.appending(path: "rowcast/crashes").path
      for time in 1...3 {
        let server = try serve(library, folder, waits: false)
        #expect(try server.end() == -signal)
        let lines = try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == time)
        #expect(lines.last?.hasPrefix(signal < 10 ? "0\(signal) " : "\(signal) ") == true)
        #expect(lines.last?.hasSuffix(" \(library)") == true)
        #expect(
          server.complaints.contains(
            "rowcast: the library \(library) crashed with signal \(signal) and took this process with it\n"))
      }
      // Other sources would be served; the reason for the omission is reported.
      let server = try serve(library, folder, waits: true)
      try server.waitForComplaint("or its lines in \(notes) are gone")
      #expect(server.complaints.contains("in quarantine: it has crashed the server 3 times"))
      server.send(signal: SIGTERM)
      #expect(try server.end() == 0)
      // A changed file is tried again.
      _ = try Self.build("WELL", into: folder)
      let mended = try serve(library, folder, waits: true)
      mended.send(signal: SIGTERM)
      #expect(try mended.end() == 0)
      #expect(!mended.complaints.contains("quarantine"))
    }
  }

  @Test(arguments: [
    ("EXITS", "exit", 7), ("EXITS_AT_ONCE", "_exit", 7), ("EXITS_LIKE_C", "_Exit", 7), ("EXIT_THREAD", "exit", 7),
    ("ZERO", "exit", 0),
  ]) func `a library that ends the server is named on standard error`(
    _ macro: String, _ function: String, _ code: Int32
  ) throws {
    try withFolder { folder in
      let library = try Self.build(macro, into: folder)
      let server = try serve(library, folder, waits: false)
      #expect(try server.end() == code)
      #expect(
        server.complaints.contains(
          "rowcast: the library \(library) called \(function) with code \(code) and ended this process\n"),
        "\(server.complaints)")
    }
  }

  @Test func `a library that does not end the server is not named`() throws {
    try withFolder { folder in
      let server = try serve(try Self.build("WELL", into: folder), folder, waits: true)
      server.send(signal: SIGTERM)
      #expect(try server.end() == 0)
      #expect(!server.complaints.contains("the library"), "\(server.complaints)")
    }
  }

  /// A signal sent by another process is not the library's fault.
  @Test func `does not record a signal sent by another process`() throws {
    try withFolder { folder in
      let server = try serve(try Self.build("WELL", into: folder), folder, waits: true)
      server.send(signal: SIGSEGV)
      #expect(try server.end() == -SIGSEGV)
      #expect(try String(contentsOfFile: folder.appending(path: "rowcast/crashes").path, encoding: .utf8) == "")
    }
  }
}
