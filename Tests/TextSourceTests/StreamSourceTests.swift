import Foundation
import Glibc
import ListEngine
import SourceRuntime
import SourceTesting
import Testing

@testable import TextSource

/// Streams as tables, with real pipes and files.
@Suite struct StreamSourceTests {
  let recorder = Recorder()

  private func withPipe(_ body: (Int32, FileHandle) throws -> Void) throws {
    // Foundation's pipe would be inherited by processes that other tests start, and delay the end
    // of the stream.
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    try body(ends[0], FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    withExtendedLifetime(reader) {}
  }

  private func stream(_ file: Int32, _ options: TextOptions = TextOptions(), isFollowing: Bool = false)
    -> StreamSource
  {
    let recorder = recorder
    return StreamSource(
      file, name: "input", options: options, isFollowing: isFollowing, log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
  }

  // MARK: Standard input

  @Test func `reads a CSV stream and reports Complete at its end`() throws {
    try withPipe { file, writer in
      let source = stream(file)
      try source.start()
      writer.write(Data("name,size,used\na,1,50%\nb,2.5,7%\n".utf8))
      try recorder.wait("rows") { $0.rows.count == 2 }
      writer.write(Data("c,,\n".utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states.last == "live: Complete. \(Self.guessed)" }
      let view = recorder.view
      #expect(view.schema?.key == .integer)
      #expect(
        view.schema?.columns == [
          Column("name", .text), Column("size", .number), Column("used", .number, style: .bar, unit: "%"),
        ])
      #expect(
        view.rows == [
          PlainRow(.upsert, .integer(1), [.text("a"), .number(1), .number(50)]),
          PlainRow(.upsert, .integer(2), [.text("b"), .number(2.5), .number(7)]),
          PlainRow(.upsert, .integer(3), [.text("c"), .null, .null]),
        ])
    }
  }

  @Test func `a stream suggests the filter of its options`() throws {
    try withPipe { file, writer in
      var options = TextOptions()
      options.filterText = "size > 1"
      let source = stream(file, options)
      try source.start()
      writer.write(Data("name,size\na,1\nb,2.5\n".utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states.last == "live: Complete. \(Self.guessed)" }
      #expect(recorder.view.schema?.presentation == TablePresentation(view: DefaultView(text: "size > 1")))
      #expect(recorder.view.rows.count == 2)
    }
  }

  @Test func `rows with the same given key get the same row key`() throws {
    try withPipe { file, writer in
      var options = TextOptions()
      options.key = ["id"]
      let source = stream(file, options)
      try source.start()
      writer.write(Data("{\"id\":7,\"n\":1}\n{\"id\":7,\"n\":2}\n".utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states.last == "live: Complete" }
      #expect(recorder.view.rows.map(\.key) == [.integer(7), .integer(7)])
    }
  }

  @Test func `keeps every row when a guessed key repeats and reports it`() throws {
    try withPipe { file, writer in
      let source = stream(file)
      try source.start()
      // The idle percentage of `vmstat 1` is named `id` but is not a key.
      writer.write(Data("{\"id\":97,\"n\":1}\n".utf8))
      try recorder.wait("the first row") { $0.rows.count == 1 }
      writer.write(Data("{\"id\":98,\"n\":2}\n{\"id\":97,\"n\":3}\n{\"id\":99,\"n\":4}\n{\"id\":99,\"n\":5}\n".utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states.last?.hasPrefix("live: Complete") ?? false }
      let view = recorder.view
      #expect(Set(view.rows.map(\.key)).count == 5)
      #expect(view.rows.map { $0.cells.last } == (1...5).map { .number(Double($0)) })
      #expect(
        view.states.last == "live: Complete. “id” repeats, so rows are numbered instead. Use --key id to replace rows")
    }
  }

  @Test func `numbers all rows if key guessing is off`() throws {
    try withPipe { file, writer in
      var options = TextOptions()
      options.guessesKey = false
      let source = stream(file, options)
      try source.start()
      writer.write(Data("{\"id\":7}\n{\"id\":8}\n".utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states.last == "live: Complete" }
      #expect(recorder.view.rows.map(\.key) == [.integer(1), .integer(2)])
    }
  }

  @Test func `applies the options for key, columns, retention and title`() throws {
    try withPipe { file, writer in
      var options = TextOptions()
      options.key = ["b", "a"]
      options.columns = ["c"]
      options.rowLimit = 10
      options.title = "Mine"
      let source = stream(file, options)
      try source.start()
      writer.write(Data("a=1 b=x c=true\na=2 c=false\n".utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states.last == "live: Complete" }
      #expect(
        recorder.view.schema
          == Schema(name: "input", title: "Mine", key: .text, columns: [Column("c", .boolean)], retention: .last(10)))
      #expect(recorder.view.rows == [PlainRow(.upsert, .text("x 1"), [.boolean(true)])])
      #expect(recorder.view.changes.reduce(0) { $0 + $1.unnamedRejections } == 1)
    }
  }

  @Test func `fails on an empty stream`() throws {
    try withPipe { file, writer in
      let source = stream(file)
      try source.start()
      try writer.close()
      try recorder.wait("a word") { $0.states == ["failed: there was no row to read"] }
    }
  }

  @Test func `suggests the format option for unreadable input`() throws {
    try withPipe { file, writer in
      let source = stream(file)
      try source.start()
      writer.write(Data("{\n{\n".utf8))
      try writer.close()
      try recorder.wait("a word") {
        $0.states.last?.hasSuffix(" (taken for json; --format names another)") ?? false
      }
    }
  }

  @Test(arguments: ["a,b\n", "a,b", "a\tb\n", "\u{FEFF}a,b\r\n\r\n"]) func `a header without rows is an empty table`(
    _ text: String
  )
    throws
  {
    try withPipe { file, writer in
      let source = stream(file)
      try source.start()
      writer.write(Data(text.utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states == ["live: Complete. \(Self.guessed)"] }
      #expect(
        recorder.view.schema
          == Schema(name: "input", title: "input", key: .integer, columns: [Column("a", .text), Column("b", .text)]))
      #expect(recorder.view.rows.isEmpty)
    }
  }

  @Test func `a header without rows keeps the chosen key and columns`() throws {
    try withPipe { file, writer in
      var options = TextOptions()
      options.key = ["a"]
      options.columns = ["b"]
      let source = stream(file, options)
      try source.start()
      writer.write(Data("a\tb\tc\n".utf8))
      try writer.close()
      try recorder.wait("the end") { $0.states == ["live: Complete. \(Self.guessed)"] }
      #expect(
        recorder.view.schema == Schema(name: "input", title: "input", key: .text, columns: [Column("b", .text)]))
    }
  }

  private static let guessed = "Columns were guessed from the header; --format lines shows the text as it is"

  /// Returns everything that a stream of these bytes delivers until its end.
  private func report(_ bytes: [UInt8], _ options: TextOptions = TextOptions()) throws -> Recorder.View {
    try withPipe { file, writer in
      let source = stream(file, options)
      try source.start()
      writer.write(Data(bytes))
      try writer.close()
      try recorder.wait("the end") {
        $0.states.last.map { $0.hasPrefix("live: Complete") || $0.hasPrefix("failed") } ?? false
      }
    }
    return recorder.view
  }

  @Test func `a member that appears late is added as a column`() throws {
    var text = (1...150).map { "{\"n\":\($0)}\n" }.joined()
    text += "{\"n\":151,\"late\":\"x\"}\n{\"n\":152}\n"
    let view = try report(Array(text.utf8))
    let added = view.events.compactMap { if case .columnsAdded(let schema) = $0 { schema } else { nil } }
    #expect(added.map { $0.columns.map(\.name) } == [["n", "late"]])
    #expect(view.schema?.columns.map(\.name) == ["n"])
    #expect(view.rows.count == 152)
    #expect(view.rows.suffix(2).map(\.cells) == [[.number(151), .text("x")], [.number(152), .null]])
    #expect(view.states.last == "live: Complete")
  }

  @Test func `values beyond the header of a CSV file are added as a column`() throws {
    let text = "a,b\n" + String(repeating: "1,2\n", count: 120) + "1,2,extra\n"
    let view = try report(Array(text.utf8))
    #expect(view.rows.last?.cells == [.number(1), .number(2), .text("extra")])
    #expect(view.states.last == "live: Complete. \(Self.guessed)")
  }

  @Test func `a named format is not reported as guessed`() throws {
    var options = TextOptions()
    options.format = .csv
    #expect(try report(Array("a,b\n1,2\n".utf8), options).states.last == "live: Complete")
  }

  @Test func `Latin-1 is decoded and reported`() throws {
    var bytes = Array("name,price\nCaf".utf8)
    bytes += [0xE9, 0x2C, 0x80] + Array("5\nplain,1\n".utf8)
    let view = try report(bytes)
    #expect(view.rows.map(\.cells) == [[.text("Café"), .text("€5")], [.text("plain"), .text("1")]])
    #expect(
      view.states.last
        == "live: Complete. \(Self.guessed). Text that is not UTF-8 was read as Latin-1 (Windows-1252)")
  }

  @Test(arguments: [false, true], [false, true]) func `UTF-16 is decoded and reported`(_ isBig: Bool, _ hasMark: Bool)
    throws
  {
    let text = (hasMark ? "\u{FEFF}" : "") + "{\"name\":\"Café 😀\"}\n{\"name\":\"b\"}\n"
    let bytes = text.utf16.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBig ? [high, low] : [low, high]
    }
    let view = try report(bytes)
    #expect(view.rows.map(\.cells) == [[.text("Café 😀")], [.text("b")]])
    #expect(view.states.last == "live: Complete. Text was read as UTF-16")
  }

  @Test(arguments: [
    ([0x1F, 0x8B, 0x08, 0x00, 0x41] as [UInt8], "this is gzip data, not text: unpack it first: zcat FILE | rowcast"),
    ([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01, 0x01, 0x00, 0x00, 0x03], "this is binary data, not text"),
    ([0x01, 0x02, 0x41, 0x42, 0x0A], "this is binary data, not text"),
  ]) func `binary data is refused with a reason`(_ bytes: [UInt8], _ reason: String) throws {
    let view = try report(bytes)
    #expect(view.states == ["failed: \(reason)"])
    #expect(view.rows.isEmpty)
    #expect(recorder.log == ["error: \(reason)"])
  }

  /// Follows a file with this text, waits for the given number of rows, and passes a handle for
  /// appending.
  private func withFollowed(_ text: String, rows: Int, _ body: (FileHandle) throws -> Void) throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "log").path
      try Data(text.utf8).write(to: URL(filePath: path))
      let file = open(path, O_RDONLY)
      defer { close(file) }
      let source = stream(file, isFollowing: true)
      try source.start()
      try recorder.wait("the first rows") { $0.rows.count == rows }
      let writer = try FileHandle(forWritingTo: URL(filePath: path))
      try body(writer)
      source.stop()
      try writer.close()
    }
  }

  @Test func `reports rows that are appended to a followed file`() throws {
    try withFollowed("a,b\n1,2\n", rows: 1) { writer in
      writer.seekToEndOfFile()
      writer.write(Data("3,4\n".utf8))
      try recorder.wait("the second row") { $0.rows.count == 2 }
      #expect(recorder.view.states == ["live: \(Self.guessed)"])
    }
  }

  @Test func `reads a truncated file from its start again`() throws {
    try withFollowed("{\"n\":1}\n{\"n\":2}\n{\"n", rows: 2) { writer in
      try writer.truncate(atOffset: 0)
      writer.write(Data("{\"n\":3}\n".utf8))
      try recorder.wait("the row after the cut") { $0.rows.count == 3 }
      #expect(recorder.view.rows.last?.cells == [.number(3)])
      #expect(recorder.log == ["warning: the file has become shorter: it is read from its beginning again"])
    }
  }

  @Test func `reports rows without the given key before a table exists`() throws {
    try withPipe { file, writer in
      var options = TextOptions()
      options.key = ["NOPE"]
      let source = stream(file, options)
      try source.start()
      writer.write(Data("a=1 b=x\n".utf8))
      try recorder.wait("a word") { $0.states == ["starting: line 1: it has no “NOPE”"] }
      try writer.close()
      try recorder.wait("the end") { $0.states.count == 2 }
      #expect(
        recorder.view.states.last == "failed: line 1: it has no “NOPE” (taken for logfmt; --format names another)")
    }
  }
}
