import Foundation
import Glibc
import ListEngine
import SourceRuntime
import SourceTesting
import Testing
import Threads

@testable import TextSource

/// Tests of rows that clients send, as uploads and to Unix sockets.
@Suite struct PushSourceTests {
  private final class Reports: Sendable {
    private let state = Guarded<[UInt64: UploadReport]>([:])
    func note(_ answer: UploadAnswer) {
      if case .ended(let id, let report) = answer { state.withLock { $0[id] = report } }
    }
    subscript(id: UInt64) -> UploadReport? { state.withLock { $0[id] } }
  }

  private let recorder = Recorder()
  private let reports = Reports()

  private func source(_ options: TextOptions = TextOptions(), sockets: [PushSocket.Place] = []) throws -> PushSource {
    let (recorder, reports) = (recorder, reports)
    let source = PushSource(name: "jobs", options: options, sockets: sockets, log: { recorder.note($0, $1) }) {
      if case .upload(let answer) = $0 {
        reports.note(answer)
        // Wakes the waits of the test.
        recorder.note(.debug, "an answer")
        return true
      }
      return recorder.receive($0)
    }
    try source.start()
    return source
  }

  private func wait(_ id: UInt64) throws -> UploadReport {
    try recorder.wait("report \(id)") { _ in reports[id] != nil }
    return reports[id]!
  }

  private func upload(
    _ text: String, _ id: UInt64, to source: PushSource, _ head: UploadHead = UploadHead()
  ) throws -> UploadReport {
    source.send(.upload(.begin(id, head)))
    source.send(.upload(.bytes(id, Array(text.utf8))))
    source.send(.upload(.end(id)))
    return try wait(id)
  }

  /// The rows of the table, by key.
  private var rows: [RowKey: [Cell]] {
    var rows: [RowKey: [Cell]] = [:]
    for row in recorder.view.rows {
      switch row.verb {
      case .delete: rows[row.key] = nil
      default: rows[row.key] = row.cells.map { $0 ?? .null }
      }
    }
    return rows
  }

  @Test func `rows are replaced and deleted by their id`() throws {
    let source = try source()
    #expect(
      try upload(
        "{\"id\":1,\"state\":\"queued\"}\n{\"id\":2,\"state\":\"runs\"}\n{\"id\":1,\"state\":\"runs\"}\n", 1, to: source
      )
      .accepted == 3)
    #expect(try upload("{\"id\":2,\"state\":\"done\"}\n{\"id\":1,\"$delete\":true}", 2, to: source).accepted == 2)
    #expect(rows == [.integer(2): [.integer(2), .text("done")]])
    #expect(recorder.view.schema?.columns.map(\.name) == ["id", "state"])
  }

  @Test func `invalid lines are reported by number, and others accepted`() throws {
    let source = try source()
    let report = try upload("{\"id\":1}\nnonsense\n{\"n\":3}\n[1]\n{\"id\":2}", 1, to: source)
    #expect(report.accepted == 2)
    #expect(report.rejected == 3)
    #expect(report.faults == 3)
    #expect(report.reasons.count == 3)
    #expect(report.reasons.contains("line 3: it has no “id”"))
    #expect(report.reasons.contains { $0.hasPrefix("line 2: it is not JSON") })
    #expect(report.reasons.contains { $0.hasPrefix("line 4: ") })
  }

  @Test func `a report names twenty faults and counts all`() throws {
    let source = try source()
    let report = try upload(
      String(repeating: "nonsense\n", count: 500) + "{\"id\":1}\n", 1, to: source,
      UploadHead(mediaType: "application/x-ndjson"))
    #expect(report.accepted == 1)
    #expect(report.rejected == 500)
    #expect(report.reasons.count == UploadReport.greatestReasonCount)
  }

  @Test func `faults are reported to the upload that contains them`() throws {
    let source = try source()
    for id in UInt64(1)...2 { source.send(.upload(.begin(id, UploadHead()))) }
    source.send(.upload(.bytes(1, Array("{\"id\":1}\n{\"x\":1}\n".utf8))))
    source.send(.upload(.bytes(2, Array("{\"id\":2}\n".utf8))))
    source.send(.upload(.bytes(1, Array("{\"x\":2}\n".utf8))))
    for id in UInt64(1)...2 { source.send(.upload(.end(id))) }
    let (first, second) = (try wait(1), try wait(2))
    #expect(first.accepted == 1)
    #expect(first.reasons == ["line 2: it has no “id”", "line 3: it has no “id”"])
    #expect(second.accepted == 1)
    #expect(second.faults == 0)
  }

  @Test func `a complete list is accepted as a reload`() throws {
    let source = try source()
    _ = try upload("{\"id\":1}\n{\"id\":2}\n", 1, to: source)
    #expect(try upload("{\"id\":2}\n{\"id\":3}\n", 2, to: source, UploadHead(replaces: true)).accepted == 2)
    let last = recorder.view.changes.last
    #expect(last?.endsReload == true)
  }

  @Test func `a complete list that is cut off or invalid deletes nothing`() throws {
    let source = try source()
    _ = try upload("{\"id\":1}\n{\"id\":2}\n", 1, to: source)
    source.send(.upload(.begin(2, UploadHead(replaces: true))))
    source.send(.upload(.bytes(2, Array("{\"id\":3}\n".utf8))))
    source.send(.upload(.abandon(2)))
    #expect(
      try upload("nonsense\n", 3, to: source, UploadHead(mediaType: "application/x-ndjson", replaces: true)).accepted
        == 0)
    _ = try upload("{\"id\":4}\n", 4, to: source)
    #expect(Set(rows.keys) == [.integer(1), .integer(2), .integer(3), .integer(4)])
    #expect(!recorder.view.changes.contains { $0.endsReload })
  }

  @Test func `the last line of a truncated body is left out`() throws {
    let source = try source()
    source.send(.upload(.begin(1, UploadHead(mediaType: "text/csv"))))
    source.send(.upload(.bytes(1, Array("id,name\n1,whole\n2,who".utf8))))
    source.send(.upload(.end(1, isWhole: false)))
    let report = try wait(1)
    #expect(report.accepted == 1)
    #expect(report.lines == 2)
    #expect(rows == [.integer(1): [.integer(1), .text("whole")]])
    source.send(.upload(.begin(2, UploadHead(mediaType: "text/csv"))))
    source.send(.upload(.bytes(2, Array("id,name\n3,whole\n4,who".utf8))))
    source.send(.upload(.abandon(2)))
    _ = try upload("{\"id\":5}\n", 3, to: source)
    #expect(Set(rows.keys) == [.integer(1), .integer(3), .integer(5)])
  }

  @Test func `the end of an unknown upload is answered as unavailable`() throws {
    let source = try source()
    source.send(.upload(.end(7)))
    #expect(try wait(7).failure == .unavailable("the source stops"))
  }

  @Test func `a second complete list at the same time is refused`() throws {
    let source = try source()
    source.send(.upload(.begin(1, UploadHead(replaces: true))))
    source.send(.upload(.begin(2, UploadHead(replaces: true))))
    #expect(try wait(2).failure == .conflict("another complete list is being sent"))
    source.send(.upload(.end(1)))
    #expect(try wait(1).failure == nil)
  }

  @Test func `CSV and JSON uploads are recognized and typed`() throws {
    let source = try source()
    _ = try upload("{\"id\":1,\"n\":1.5}\n", 1, to: source)
    #expect(try upload("id,n\n2,2.5\n", 2, to: source, UploadHead(mediaType: "text/csv")).accepted == 1)
    #expect(try upload("[{\"id\":3,\"n\":3}]", 3, to: source).accepted == 1)
    #expect(rows[.integer(2)] == [.integer(2), .number(2.5)])
    #expect(rows[.integer(3)] == [.integer(3), .number(3)])
  }

  @Test func `binary data is refused`() throws {
    let source = try source()
    source.send(.upload(.begin(1, UploadHead())))
    source.send(.upload(.bytes(1, [0x1F, 0x8B, 8, 0, 0, 0])))
    source.send(.upload(.end(1)))
    guard case .unreadable(let reason)? = try wait(1).failure else { return #expect(Bool(false)) }
    #expect(reason.contains("gzip"))
  }

  @Test func `rows without an id are numbered`() throws {
    let source = try source()
    #expect(try upload("{\"text\":\"a\"}\n{\"text\":\"b\",\"$delete\":true}\n", 1, to: source).accepted == 1)
    #expect(rows == [.integer(1): [.text("a")]])
  }

  @Test func `a source that stops answers open uploads`() throws {
    let source = try source()
    source.send(.upload(.begin(1, UploadHead())))
    #expect(source.stop(within: .seconds(60)))
    #expect(try wait(1).failure == .unavailable("the source stops"))
    source.send(.upload(.begin(2, UploadHead())))
    #expect(try wait(2).failure == .unavailable("the source stops"))
  }

  // MARK: Sockets

  private func path() -> String {
    FileManager.default.temporaryDirectory.path + "/rc-\(UUID().uuidString.prefix(8)).sock"
  }

  private func connect(_ path: String, _ kind: __socket_type) -> Int32 {
    let file = socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(result == 0)
    return file
  }

  @Test func `a stream socket takes lines and answers with a report`() throws {
    let place = PushSocket.Place(path: path())
    let source = try source(sockets: [place])
    var status = stat()
    #expect(lstat(place.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let file = connect(place.path, SOCK_STREAM)
    defer { close(file) }
    let text = Array("{\"id\":1}\n{\"x\":1}\n".utf8)
    #expect(write(file, text, text.count) == text.count)
    shutdown(file, Int32(SHUT_WR))
    var answer = [UInt8](repeating: 0, count: 4_096)
    let count = read(file, &answer, answer.count)
    #expect(
      String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
        == "{\"accepted\":1,\"rejected\":1,\"faults\":1,\"reasons\":[\"line 2: it has no “id”\"]}\n")
    #expect(source.stop(within: .seconds(60)))
  }

  @Test func `each datagram holds whole lines`() throws {
    let place = PushSocket.Place(path: path(), isDatagram: true)
    let source = try source(sockets: [place])
    let file = connect(place.path, SOCK_DGRAM)
    defer { close(file) }
    for text in ["{\"id\":1}", "{\"id\":2}\n{\"id\":3}\n"] { #expect(send(file, text, text.utf8.count, 0) > 0) }
    try recorder.wait("rows") { $0.rows.count == 3 }
    #expect(source.stop(within: .seconds(60)))
  }

  @Test func `a binary datagram does not affect later datagrams`() throws {
    let place = PushSocket.Place(path: path(), isDatagram: true)
    let source = try source(sockets: [place])
    let file = connect(place.path, SOCK_DGRAM)
    defer { close(file) }
    let binary: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0]
    #expect(send(file, binary, binary.count, 0) > 0)
    try recorder.wait("the warning") { $0.log.contains { $0.contains("gzip") } }
    let row = "{\"id\":1}"
    #expect(send(file, row, row.utf8.count, 0) > 0)
    try recorder.wait("the row") { $0.rows.count == 1 }
    #expect(source.stop(within: .seconds(60)))
  }

  @Test func `a stopped source removes its socket for the next instance`() throws {
    let place = PushSocket.Place(path: path())
    let first = try source(sockets: [place])
    let file = connect(place.path, SOCK_STREAM)
    defer { close(file) }
    let row = "{\"id\":1}\n"
    #expect(write(file, row, row.utf8.count) > 0)
    try recorder.wait("the row") { $0.rows.count == 1 }
    #expect(first.stop(within: .seconds(60)))
    #expect(access(place.path, F_OK) != 0)
    let second = try source(sockets: [place])
    #expect(second.stop(within: .seconds(60)))
  }

  @Test func `a socket that another process listens on is not taken over`() throws {
    let place = PushSocket.Place(path: path())
    let first = try source(sockets: [place])
    #expect(throws: PluginError.self) { _ = try self.source(sockets: [place]) }
    #expect(first.stop(within: .seconds(60)))
  }
}
