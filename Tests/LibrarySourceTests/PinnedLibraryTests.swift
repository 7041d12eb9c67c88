import Foundation
import LibrarySource
import SourceRuntime
import SourceTesting
import Testing

/// A library pinned by its SHA-256 is loaded only when it is unchanged.
@Suite struct PinnedLibraryTests {
  private static let ofABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test func `loads a library only if its SHA-256 equals the pinned one`() throws {
    let path = try Workshop.library("clock")
    let file = open(path, O_RDONLY)
    defer { close(file) }
    let digest = try #require(FileDigest.of(file))
    #expect(try PluginLibrary(path: path, sha256: digest).name == "clock")
    #expect(try PluginLibrary(path: path, sha256: digest.uppercased(), isCopied: true).name == "clock")
    #expect(throws: PluginError.otherDigest(path, found: digest, wanted: Self.ofABC)) {
      try PluginLibrary(path: path, sha256: Self.ofABC)
    }
  }

  /// The dynamic loader identifies files by inode, but a modified file must load as a new library.
  @Test func `a copy is loaded separately from the library at its path`() throws {
    try Workshop.withFolder { folder in
      let source = Workshop.root.appending(path: "Tests/Fixtures/plugins/examined.c")
      let path = try Workshop.build(source, into: folder)
      let first = try PluginLibrary(path: path)
      let again = try PluginLibrary(path: path)
      let copy = try PluginLibrary(path: path, isCopied: true)
      #expect(first.plugin == again.plugin)
      #expect(first.plugin != copy.plugin)
    }
  }

  /// The places of the files that this process has open, by what the system calls them.
  private func openFiles(named name: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.contains(name) == true
    }
  }

  @Test func `distinct copies are loaded without leaving files open`() throws {
    try Workshop.withFolder { folder in
      let source = Workshop.root.appending(path: "Tests/Fixtures/plugins/examined.c")
      // A name that no other test uses.
      let path = folder.appending(path: "libholds-no-descriptor.so").path
      try FileManager.default.moveItem(atPath: Workshop.build(source, into: folder), toPath: path)
      let broken = folder.appending(path: "broken.so").path
      try "no library".write(toFile: broken, atomically: true, encoding: .utf8)
      var plugins = [try PluginLibrary(path: path).plugin]
      // Descriptors have the same numbers again and again: the loader must not take one library for
      // another.
      for _ in 1...8 {
        plugins.append(try PluginLibrary(path: path, isCopied: true).plugin)
        #expect(throws: PluginError.self) { try PluginLibrary(path: broken) }
        #expect(throws: PluginError.self) { try PluginLibrary(path: path, sha256: Self.ofABC, isCopied: true) }
      }
      #expect(Set(plugins).count == 9)
      #expect(try openFiles(named: folder.path) == 0)
      #expect(try openFiles(named: "memfd:libholds-no-descriptor.so") == 0)
    }
  }
}
