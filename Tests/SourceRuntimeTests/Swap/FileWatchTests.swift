import Foundation
import SourceTesting
import Testing

@testable import SourceRuntime

/// A file change is reported once, when the file is complete.
@Suite struct FileWatchTests {
  private static func stamp(_ size: Int64) -> FileStamp {
    var stamp = FileStamp("/proc/self/exe")!
    stamp.size = size
    return stamp
  }

  private let a = Self.stamp(1)
  private let b = Self.stamp(2)
  private let c = Self.stamp(3)

  private func looks(_ stamps: [[FileStamp?]], from first: [FileStamp?]) -> String {
    var watch = FileWatch(first)
    return stamps.map { watch.look($0) ? "C" : "-" }.joined()
  }

  @Test func `reports nothing while a file stays the same`() { #expect(looks([[a], [a], [a]], from: [a]) == "---") }

  @Test func `reports a change once, when it is stable`() {
    #expect(looks([[b], [b], [b], [b]], from: [a]) == "-C--")
    #expect(looks([[b], [c], [c], [c]], from: [a]) == "--C-", "it was still being written")
  }

  @Test func `waits for a missing file to return`() {
    #expect(looks([[nil], [nil], [nil], [b], [b]], from: [a]) == "----C")
    #expect(looks([[nil], [a], [a]], from: [a]) == "---", "it came back as it was")
  }

  @Test func `reports a reversion only if the change was reported`() {
    #expect(looks([[b], [a], [a]], from: [a]) == "---")
    #expect(looks([[b], [b], [a], [a]], from: [a]) == "-C-C")
  }

  @Test func `reports a change only when all files are stable`() {
    #expect(looks([[b, a], [b, b], [b, b]], from: [a, a]) == "--C")
    #expect(looks([[b, nil], [b, nil], [b, a], [b, a]], from: [a, a]) == "---C")
  }

  @Test func `a stamp changes when its file is replaced`() throws {
    try Workshop.withFolder { folder in
      let file = folder.appending(path: "plugin")
      #expect(FileStamp(file.path) == nil)
      try Data("one".utf8).write(to: file)
      let first = FileStamp(file.path)
      #expect(first != nil && first == FileStamp(file.path))
      try Data("two".utf8).write(to: file, options: .atomic)
      #expect(FileStamp(file.path) != first)
      #expect(FileStamp(folder.path) == nil, "a folder has no stamp")
    }
  }
}
