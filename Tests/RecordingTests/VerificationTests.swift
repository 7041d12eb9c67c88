import Foundation
import ListEngine
import Testing
import Wire

@testable import Recording

@Suite struct VerificationTests {
  @Test func `a recorded run is replayed byte for byte`() throws {
    let report = try withFile(recordedBytes()) { try Verification.run(path: $0) }
    #expect(report.firstDifference == nil && !report.isTorn)
    #expect(report.answers == 21)
    #expect(report.outputs > 20)
    #expect(report.length > .seconds(2))
  }

  /// A change of these bytes requires another ``RecordingHeader/currentVersion``.
  @Test func `writes the same bytes for the same run`() throws {
    let bytes = try recordedBytes()
    #expect(bytes.count == 22_753)
    #expect(Checksum.of(bytes) == 581_005_110)
  }

  @Test func `a run with filters by age is replayed byte for byte`() throws {
    func report(recordsTheTime: Bool) throws -> Verification.Report {
      let store = MemoryStore()
      let recording = Recording(store, RecordingHeader(epoch: "run", limits: Limits()))
      var engine = Engine(epoch: "run")
      engine.observer = recording
      let second: Int64 = 1_000_000_000
      let noon: Int64 = 1_795_608_000 * second
      let session = SessionID(rawValue: 1)
      func instant(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * second) }
      engine.handle(.wallTime(noon), at: instant(5))
      let table = try engine.addTable(
        Schema(name: "t", key: .integer, columns: [Column("at", .timestamp)]), at: instant(5))
      var rows = Changeset()
      for row in 0..<20 { rows.upsert(.integer(Int64(row)), [.timestamp(noon - Int64(row) * second)]) }
      engine.handle(.changes(table, rows), at: instant(5))
      let query = QueryRequest(filter: .age("at", .less, .timestamp(15 * second)))
      engine.handle(
        .open(session, table: "t", request: 1, query: query, viewport: nil, interval: .zero), at: instant(5))
      for moment in 5..<30 {
        for case .deliver(_, let delivery) in engine.advance(to: instant(moment)) {
          engine.handle(.writable(session), at: instant(moment))
          engine.handle(.acknowledge(session, sequence: delivery.sequence), at: instant(moment))
        }
        // An export takes a look at the clock, and must leave no trace.
        if moment == 9 {
          let id = try engine.beginExport(of: "t", query, at: instant(moment + 1))
          engine.endExport(id)
        }
        guard moment == 12 else { continue }
        engine.observer = recordsTheTime ? recording : nil
        engine.handle(.wallTime(noon + 9 * second), at: instant(moment))
        engine.observer = recording
      }
      recording.close(within: .seconds(60))
      return try withFile(store.bytes) { try Verification.run(path: $0) }
    }
    let whole = try report(recordsTheTime: true)
    #expect(whole.firstDifference == nil)
    #expect(whole.outputs > 10)
    #expect(try report(recordsTheTime: false).firstDifference != nil)
  }

  @Test func `reports the record at which the output differs`() throws {
    let store = MemoryStore()
    let recording = Recording(store, RecordingHeader(epoch: "run", limits: Limits()))
    var scenario = try Scenario(recording)
    scenario.run(steps: 3)
    // The engine gets an event that is not recorded, and answers it.
    scenario.engine.observer = nil
    scenario.engine.handle(
      .open(SessionID(rawValue: 9), table: "jobs", request: 1, query: QueryRequest(), viewport: nil, interval: nil),
      at: Instant(nanoseconds: 6_000_000_000))
    scenario.engine.observer = recording
    _ = scenario.engine.advance(to: Instant(nanoseconds: 6_000_000_000))
    recording.close(within: .seconds(60))
    let report = try withFile(store.bytes) { try Verification.run(path: $0) }
    #expect(report.firstDifference == report.records)
    #expect(report.answers == 5)
  }

  @Test func `replays an interval that was set while recording`() throws {
    func report(recordsTheInterval: Bool) throws -> Verification.Report {
      let store = MemoryStore()
      let recording = Recording(store, RecordingHeader(epoch: "run", limits: Limits()))
      var scenario = try Scenario(recording)
      let now = Instant(nanoseconds: 5_000_000_000)
      // Sessions that open from now on get this interval.
      if !recordsTheInterval { scenario.engine.observer = nil }
      scenario.engine.setInterval(.milliseconds(50), at: now)
      scenario.engine.observer = recording
      scenario.run(steps: 3)
      recording.close(within: .seconds(60))
      return try withFile(store.bytes) { try Verification.run(path: $0) }
    }
    #expect(try report(recordsTheInterval: true).firstDifference == nil)
    #expect(try report(recordsTheInterval: false).firstDifference != nil)
  }

  @Test func `decodes an interval record and refuses malformed ones`() {
    let bytes = Record.interval(.milliseconds(50), Instant(nanoseconds: 7)).encoded
    #expect(bytes == [5, 7, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xF0, 0xFA, 0x02, 0, 0, 0, 0])
    guard case .interval(.milliseconds(50), Instant(nanoseconds: 7)) = Record(decoding: bytes) else {
      Issue.record("it is \(String(describing: Record(decoding: bytes)))")
      return
    }
    #expect(Record(decoding: bytes + [0]) == nil)
    #expect(Record(decoding: Array(bytes.dropLast())) == nil)
    // A negative interval would end the replay.
    #expect(Record(decoding: Array(bytes.dropLast()) + [0x80]) == nil)
  }

  @Test func `verifies the complete records of a truncated file`() throws {
    let bytes = try recordedBytes(steps: 2)
    let whole = try withFile(bytes) { try Verification.run(path: $0) }
    var lastRecords = 0
    for length in stride(from: bytes.count - 1, to: bytes.count - 400, by: -1) {
      let report = try withFile(Array(bytes[..<length])) { try Verification.run(path: $0) }
      #expect(report.firstDifference == nil, "\(length) bytes")
      #expect(report.records < whole.records)
      lastRecords = report.records
    }
    #expect(lastRecords < whole.records - 2)
  }

  @Test func `reports any damaged byte at or before its position`() throws {
    let bytes = try recordedBytes(steps: 1)
    for place in stride(from: 8, to: bytes.count, by: 7) {
      var damaged = bytes
      damaged[place] ^= 0x10
      let outcome = try withFile(damaged) { path in Result { try Verification.run(path: path) } }
      switch outcome {
      case .success: Issue.record("byte \(place) is taken for what was written")
      case .failure(let error):
        guard let error = error as? RecordingError, case .damaged(let at) = error else {
          Issue.record("byte \(place): \(error)")
          continue
        }
        #expect(at <= UInt64(place))
      }
    }
  }

  /// A damaged length that reaches beyond the end is not mistaken for a record that was cut off,
  /// because whole records follow it.
  @Test func `reports a length beyond the end of the file as damage`() throws {
    let bytes = try recordedBytes(steps: 1)
    func length(at place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) } }
    var frames: [Int] = []
    var place = RecordingHeader.magic.count
    while place < bytes.count {
      frames.append(place)
      place += 8 + length(at: place)
    }
    #expect(frames.count > 3 && place == bytes.count)
    // The first record, one in the middle, the last but one and the last. Each grows to a byte
    // beyond the end of the file, and to the maximum.
    for frame in [frames[1], frames[frames.count / 2], frames[frames.count - 2], frames[frames.count - 1]] {
      for grown in [bytes.count - frame - 8 + 1, RecordingHeader.greatestFrame] {
        var damaged = bytes
        for index in 0..<4 { damaged[frame + index] = UInt8(truncatingIfNeeded: grown >> (8 * index)) }
        #expect(throws: RecordingError.damaged(atByte: UInt64(frame))) {
          try withFile(damaged) { try Verification.run(path: $0) }
        }
      }
    }
    // A last record that is cut off anywhere is reported as torn.
    let last = try #require(frames.last)
    for end in [last + 1, last + 8, last + 9, bytes.count - 1] {
      #expect(try withFile(Array(bytes[..<end])) { try Verification.run(path: $0) }.isTorn, "\(end)")
    }
  }

  @Test func `refuses unreadable, foreign, cut-off and outdated files`() throws {
    #expect(throws: RecordingError.empty) { try withFile { try Verification.run(path: $0) } }
    for (text, error) in [
      ("hello, world", RecordingError.noRecording), ("ROWCAT", .noRecording), ("ROWCAST\u{2}", .noRecording),
      ("{\"at\":0,\"event\":\"start\"}\n", .trace), ("{\"at", .noRecording),
      ("R", .cutOff), ("ROWCAST", .cutOff), ("ROWCAST\u{1}", .cutOff), ("ROWCAST\u{1}1234567", .cutOff),
    ] {
      #expect(throws: error, "\(text)") { try withFile(Array(text.utf8)) { try Verification.run(path: $0) } }
    }
    let bytes = try recordedBytes(steps: 1)
    #expect(throws: RecordingError.cutOff) { try withFile(Array(bytes[..<100])) { try Verification.run(path: $0) } }
    #expect(throws: RecordingError.unreadable("No such file or directory")) {
      try Verification.run(path: "/nowhere/at/all")
    }
    for path in ["/", "/dev/null"] {
      #expect(throws: RecordingError.unreadable("it is not a regular file")) { try Verification.run(path: path) }
    }
    var header = RecordingHeader(epoch: "e", limits: Limits())
    header.version = 2
    let previous = try RecordingHeader.magic + RecordingHeader.frame(Array(JSONEncoder().encode(header)))
    #expect(try withFile(previous) { try Verification.run(path: $0) }.records == 0)
    for version in [1, RecordingHeader.currentVersion + 1] {
      header.version = version
      let other = try RecordingHeader.magic + RecordingHeader.frame(Array(JSONEncoder().encode(header)))
      #expect(throws: RecordingError.wrongVersion(version)) { try withFile(other) { try Verification.run(path: $0) } }
    }
  }
}
