import Foundation
import ListEngine
import Testing
import Threads

@testable import Recording

@Suite struct RecordingTests {
  private let header = RecordingHeader(epoch: "run", limits: Limits())

  @Test func `records the same bytes after any single failed write`() throws {
    let whole = try recordedBytes(steps: 4)
    for failing in 1...3 {
      let store = MemoryStore { $0 == failing }
      let recording = Recording(store, header)
      var scenario = try Scenario(recording)
      scenario.run(steps: 4)
      #expect(recording.wait(until: .running, within: .seconds(60)))
      // Not compared by #expect: it would print all of them.
      let isWhole = store.bytes == whole
      #expect(isWhole, "write \(failing) failed")
      recording.close()
      let report = try withFile(store.bytes) { try Verification.run(path: $0) }
      #expect(report.firstDifference == nil && !report.isTorn)
    }
  }

  @Test func `a full disk ends the recording while the engine continues`() throws {
    let recording = Recording(MemoryStore { _ in true }, header, backlogLimit: 20_000)
    var scenario = try Scenario(recording)
    scenario.run(steps: 100)
    #expect(scenario.outputs > 50)
    // What the writer has in its hands is put back, and counted, when its write has failed.
    recording.close(within: .seconds(60))
    guard case .ended = recording.state else {
      Issue.record("it is \(recording.state)")
      return
    }
  }

  @Test func `reports a full disk as the cause of failing writes`() throws {
    // The system's own full disk: every write to it fails.
    let recording = try Recording(path: "/dev/full", header)
    recording.begin()
    #expect(recording.wait(until: .failing("No space left on device"), within: .seconds(60)))
    recording.close()
  }

  @Test func `creates the file with access for its owner only`() throws {
    try withFile { path in
      try FileManager.default.removeItem(atPath: path)
      let recording = try Recording(path: path, header)
      recording.close(within: .seconds(60))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try Verification.run(path: path).records == 0)
    }
  }

  @Test func `refuses a path in a missing folder`() {
    #expect(throws: RecordingError.unwritable("/nowhere/file: No such file or directory")) {
      try Recording(path: "/nowhere/file", header)
    }
  }

  @Test(arguments: ["", "ROWCAST", "ROWCAST\u{1}what was there"])
  func `replaces an existing recording only when it begins`(_ text: String) throws {
    try withFile(Array(text.utf8)) { (path) throws in
      let recording = try Recording(path: path, header)
      #expect(!recording.wait(until: .running, within: .seconds(0)))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
      recording.begin()
      #expect(recording.wait(until: .running, within: .seconds(60)))
      #expect(try Verification.run(path: path).records == 0)
      recording.close(within: .seconds(60))
    }
  }

  @Test func `refuses to write through a symbolic link`() throws {
    try withFile([]) { (path) throws in
      let link = path + ".link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      defer { try? FileManager.default.removeItem(atPath: link) }
      #expect(throws: RecordingError.self) { _ = try FileStore(path: link) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
    }
  }

  @Test(arguments: ["x", "ROWCAST\u{2}", "ROWCAT", "#!/bin/sh\n"])
  func `refuses to overwrite a file that is not a recording`(_ text: String) throws {
    try withFile(Array(text.utf8)) { (path) throws in
      #expect(throws: RecordingError.unwritable("\(path): the file exists and is not a recording")) {
        try Recording(path: path, header)
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
    }
  }

  @Test func `a file store discards a partial append`() throws {
    try withFile { path in
      // The disk has room for five bytes more, then for none, until some is made.
      let room = Guarded(5)
      let store = try FileStore(path: path) { descriptor, bytes, count, place in
        let fitting = room.withLock { room in
          defer { room -= min(room, count) }
          return min(room, count)
        }
        guard fitting > 0 else {
          errno = ENOSPC
          return -1
        }
        return pwrite(descriptor, bytes, fitting, place)
      }
      try store.append([1, 2, 3])
      #expect(throws: FileStore.Failure.self) { try store.append([9, 9, 9, 9]) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
      room.withLock { $0 = 100 }
      try store.append([4])
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3, 4]))
    }
  }

  @Test func `replays the schema and changes of a source in time order`() throws {
    try withFile(recordedBytes(steps: 3)) { path in
      var replay = try SourceReplay(path: path)
      #expect(replay.header == header)
      var events: [SourceReplay.Event] = []
      while let event = try replay.next() { events.append(event) }
      guard case .table(let schema) = events.first?.what else {
        Issue.record("it begins with \(String(describing: events.first))")
        return
      }
      #expect(schema.name == "jobs")
      #expect(events.filter { if case .changes = $0.what { true } else { false } }.count == 4)
      #expect(events.map(\.after) == events.map(\.after).sorted())
    }
  }

  @Test func `replays a table replacement and the changes after it`() throws {
    try withFile(recordedBytes(steps: 20)) { path in
      var replay = try SourceReplay(path: path)
      var titles: [String] = []
      var later = 0
      while let event = try replay.next() {
        if case .replacement(TableID(rawValue: 0), let schema) = event.what { titles.append(schema.title) }
        if case .changes = event.what, !titles.isEmpty { later += 1 }
      }
      #expect(titles == ["Other jobs"])
      #expect(later == 8, "its list, and seven changes")
      #expect(try Verification.run(path: path).firstDifference == nil)
    }
  }
}
