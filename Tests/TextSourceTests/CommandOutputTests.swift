import Foundation
import Glibc
import ListEngine
import SourceRuntime
import SourceTesting
import Testing

@testable import TextSource

/// The tables made of the outputs in `Tests/Fixtures/outputs`: `df.txt` with `df.table` as the
/// expected columns and first rows.
@Suite struct CommandOutputTests {
  private static let folder = Workshop.root.appending(path: "Tests/Fixtures/outputs").path

  private static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".txt") }
    .map { String($0.dropLast(4)) }.sorted()

  /// Set `ROWCAST_WRITE_TABLES` to write the tables, and review the difference.
  @Test(arguments: names) func `each recorded output becomes the expected table`(_ name: String) throws {
    let output = try String(contentsOfFile: "\(Self.folder)/\(name).txt", encoding: .utf8)
    let path = "\(Self.folder)/\(name).table"
    let table = Self.table(output)
    if getenv("ROWCAST_WRITE_TABLES") != nil { try table.write(toFile: path, atomically: true, encoding: .utf8) }
    #expect(try table == String(contentsOfFile: path, encoding: .utf8), "\(name)")
  }

  /// Returns the columns and the first and last rows of the table made of an output.
  static func table(_ output: String, _ options: TextOptions = TextOptions()) -> String {
    // Times without a zone are local.
    setenv("TZ", "UTC", 1)
    let recorder = Recorder()
    var feed = TextFeed(name: "t", options: options) { recorder.receive($0) }
    var lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    for (index, line) in lines.enumerated() {
      let bytes = Array(line.utf8)
      (bytes + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes {
        _ = feed.take(.whole(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]), number: index + 1), 1 << 20)
      }
    }
    _ = feed.end()
    let view = recorder.view
    let schemas = view.events.compactMap { event -> Schema? in
      if case .columnsAdded(let schema) = event { schema } else { nil }
    }
    guard let schema = schemas.last ?? view.schema else { return "none: \(view.states.last ?? "")\n" }
    let columns = schema.columns.map { column in
      let style = column.style == .plain ? "" : " \(column.style.rawValue)"
      return "\(column.name): \(column.type.rawValue)\(style)\(column.unit.isEmpty ? "" : " in \(column.unit)")"
    }
    let rows = view.rows.map { row in "| " + row.cells.map(text).joined(separator: " | ") }
    let shown = rows.count > 5 ? rows.prefix(3) + ["..."] + rows.suffix(1) : rows[...]
    return (columns + ["\(rows.count) rows"] + shown).joined(separator: "\n") + "\n"
  }

  private static func text(_ cell: Cell?) -> String {
    switch cell {
    case nil, .null: ""
    case .text(let text): text.replacing("\n", with: "\\n")
    case .number(let number): JSONElement.written(number)
    case .integer(let number): "\(number)"
    case .boolean(let value): "\(value)"
    case .timestamp(let nanoseconds):
      // Without the year, which some outputs leave out.
      String(Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000) / 1000).formatted(.iso8601).dropFirst(5))
    case let cell?: "\(cell)"
    }
  }
}
