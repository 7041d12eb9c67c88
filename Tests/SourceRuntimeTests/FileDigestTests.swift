import Foundation
import SourceTesting
import Testing

@testable import SourceRuntime

/// SHA-256 of files, as the standard defines it.
@Suite struct FileDigestTests {
  private static let ofABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test(arguments: [("abc", Self.ofABC), ("", Self.ofNothing)])
  func `matches test vectors of the standard, also when repeated`(
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

  @Test func `digests a file larger than its buffer`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "file").path
      try Data(repeating: 0x61, count: 1_000_000).write(to: URL(filePath: path))
      let file = open(path, O_RDONLY)
      defer { close(file) }
      // A million times the letter a, a test vector of the standard.
      #expect(FileDigest.of(file) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
  }

  @Test func `recognizes only 64 hexadecimal digits as a digest`() {
    #expect(FileDigest.isOne(Self.ofABC) && FileDigest.isOne(Self.ofABC.uppercased()))
    for text in ["", String(Self.ofABC.dropLast()), Self.ofABC + "0", "g" + Self.ofABC.dropFirst()] {
      #expect(!FileDigest.isOne(text))
    }
  }
}
