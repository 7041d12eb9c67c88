import Foundation
import LibrarySource
import SourceRuntime
import SourceTesting
import Testing

@Suite struct PluginLibraryTests {
  private func broken(_ macro: String) throws -> PluginError? {
    try Workshop.withFolder { folder in
      let path = try Workshop.build(
        Workshop.root.appending(path: "Tests/Fixtures/plugins/broken.c"), into: folder, defining: [macro])
      return failure(path)
    }
  }

  private func failure(_ path: String) -> PluginError? {
    do throws(PluginError) {
      _ = try PluginLibrary(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test func `reads the name and title of a library`() throws {
    let library = try PluginLibrary(path: Workshop.library("clock"))
    #expect(library.name == "clock")
    #expect(library.title == "What the time is")
  }

  @Test func `loads the fixture without a defect`() throws {
    #expect(try broken("NOTHING") == nil)
  }

  @Test func `refuses a relative path`() {
    #expect(failure("libclock.so") == .relativePath("libclock.so"))
  }

  @Test func `refuses a missing file and names its path`() {
    #expect(failure("/nowhere/libx.so") == .missingFile("/nowhere/libx.so"))
    #expect("\(PluginError.missingFile("/nowhere/libx.so"))" == "/nowhere/libx.so: no such file")
  }

  @Test func `refuses a directory as a library`() {
    #expect(failure("/tmp") == .notRegularFile("/tmp"))
  }

  @Test func `refuses a text file, with a chmod hint only for programs`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "libtext.so").path
      try "no library at all, but long enough to be looked at as one".write(
        toFile: path, atomically: true, encoding: .utf8)
      guard case .notALibrary(path, let reason) = failure(path) else {
        Issue.record("not refused")
        return
      }
      #expect(reason.contains("libtext.so"))
      #expect(!"\(PluginError.notALibrary(path, reason: reason))".contains("chmod"))
      #expect(
        "\(PluginError.notALibrary("/jobs.py", reason: "x"))".hasSuffix(
          "x; a program must be one that is executable (chmod +x)"))
    }
  }

  @Test func `refuses a library without an entry point`() throws {
    guard case .noEntryPoint = try broken("NO_ENTRY") else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `refuses a library with an undefined symbol and names it`() throws {
    guard case .notALibrary(_, let reason) = try broken("MISSING_SYMBOL") else {
      Issue.record("not refused")
      return
    }
    #expect(reason.contains("nobody_has_this"))
  }

  @Test(arguments: [("WRONG_VERSION", UInt32(7)), ("NEXT_ENTRY", 2)])
  func `refuses another interface version and reports both versions`(macro: String, version: UInt32) throws {
    guard case .wrongVersion(_, version, wanted: 1) = try broken(macro) else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `refuses a plugin struct that is too small`() throws {
    guard case .wrongSize(_, found: 16, wanted: 72) = try broken("SHORT") else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `refuses an entry point that returns NULL`() throws {
    guard case .emptyEntry = try broken("EMPTY_ENTRY") else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `refuses a plugin without run and names the function`() throws {
    guard case .missingFunction(_, name: "run") = try broken("NO_RUN") else {
      Issue.record("not refused")
      return
    }
  }

  @Test(arguments: ["NO_NAME", "BAD_NAME"])
  func `refuses a missing or invalid plugin name`(macro: String) throws {
    guard case .badName = try broken(macro) else {
      Issue.record("not refused")
      return
    }
  }
}
