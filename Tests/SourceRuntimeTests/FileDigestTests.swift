import Foundation
import ListEngine
import Testing

@testable import PluginHost

/// A file pinned by its SHA-256 runs only when it is unchanged.
@Suite struct FileDigestTests {
  private let recorder = Recorder()
  private static let ofABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test(arguments: [("abc", Self.ofABC), ("", Self.ofNothing)]) func itIsTheOneOfTheStandard(
    _ text: String, _ digest: String
  )
    throws
  {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "file").path
      try Data(text.utf8).write(to: URL(filePath: path))
      let file = open(path, O_RDONLY)
      defer { close(file) }
      #expect(FileDigest.of(file) == digest)
      #expect(FileDigest.of(file) == digest, "the second time as well")
    }
  }

  @Test func aFileLargerThanOurBufferIsReadWhole() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "file").path
      try Data(repeating: 0x61, count: 1_000_000).write(to: URL(filePath: path))
      let file = open(path, O_RDONLY)
      defer { close(file) }
      // A million times the letter a, a test vector of the standard.
      #expect(FileDigest.of(file) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
  }

  @Test func whatIsNoDigestIsNone() {
    #expect(FileDigest.isOne(Self.ofABC) && FileDigest.isOne(Self.ofABC.uppercased()))
    for text in ["", String(Self.ofABC.dropLast()), Self.ofABC + "0", "g" + Self.ofABC.dropFirst()] {
      #expect(!FileDigest.isOne(text))
    }
  }

  @Test func aLibraryIsLoadedOnlyAsItWasPinned() throws {
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

  @Test func aProgramIsStartedOnlyAsItWasPinned() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "jobs").path
      try Data("#!/bin/sh\necho '{\"id\":1}'\n".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      var command = ChildCommand(path)
      command.sha256 = Self.ofABC
      let recorder = recorder
      let source = ChildSource(
        command, name: "jobs", log: { recorder.note($0, $1) }, events: { recorder.hear($0) })
      try source.start()
      try recorder.wait("the refusal") {
        $0.states.contains { $0.hasPrefix("backingOff: \(path): not the file that was pinned: its SHA-256 is ") }
      }
      #expect(recorder.view.rows.isEmpty)
      source.stop()
    }
  }

  /// The dynamic loader identifies files by inode, but a modified file must load as a new library.
  @Test func aCopyIsAnotherLibraryThanTheOneThatWasLoaded() throws {
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

  @Test func aLoadedLibraryHoldsNoDescriptor() throws {
    try Workshop.withFolder { folder in
      let source = Workshop.root.appending(path: "Tests/Fixtures/plugins/examined.c")
      // A name that no other test uses.
      let path = folder.appending(path: "libholds-no-descriptor.so").path
      try FileManager.default.moveItem(atPath: Workshop.build(source, into: folder), toPath: path)
      let broken = folder.appending(path: "broken.so").path
      try "no library".write(toFile: broken, atomically: true, encoding: .utf8)
      var plugins = [try PluginLibrary(path: path).plugin]
      // Descriptors have the same numbers again and again: the loader must not take one library for another.
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
