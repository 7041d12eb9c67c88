import SourceRuntime
import Testing

@testable import LibrarySource

/// The format and counting of crash notes.
@Suite struct CrashNotesTests {
  private let stamp = FileStamp("/proc/self/exe")!

  @Test func `a line holds the file's size, modification time and path`() {
    let line = CrashNotes.line("/a/lib b.so", stamp)
    #expect(line == "\(stamp.size) \(stamp.seconds).\(stamp.nanoseconds) /a/lib b.so\n")
    var later = stamp
    later.nanoseconds += 1
    #expect(CrashNotes.line("/a/lib b.so", later) != line)
    later = stamp
    later.size += 1
    #expect(CrashNotes.line("/a/lib b.so", later) != line)
  }

  @Test func `replaces control characters in a path`() {
    #expect(CrashNotes.line("/a\n11 x\u{7F}", stamp).split(separator: "\n").count == 1)
    #expect(CrashNotes.line("/a\n11 x\u{7F}", stamp).hasSuffix(" /a?11 x?\n"))
  }

  @Test func `counts complete lines of a file, regardless of the signal`() {
    let line = CrashNotes.line("/a.so", stamp)
    let other = CrashNotes.line("/b.so", stamp)
    #expect(CrashNotes.count(of: line, in: "") == 0)
    #expect(CrashNotes.count(of: line, in: "11 \(line)06 \(line)11 \(other)") == 2)
    #expect(CrashNotes.count(of: other, in: "11 \(line)06 \(line)11 \(other)") == 1)
    // An incomplete line does not count.
    #expect(CrashNotes.count(of: line, in: "11 \(line.dropLast(3))") == 0)
    #expect(CrashNotes.count(of: line, in: "\n\n11\n\(line)") == 0)
  }

  @Test func `admits every library while crashes are not watched`() throws {
    #expect(CrashNotes.limit == 3)
    #expect(try CrashNotes.admit("/a.so", 0) == nil)
    #expect(CrashNotes.inside(nil) { 7 } == 7)
  }
}
