import CListPlugin
import ListEngine
import Testing

@testable import ListPlugin
@testable import LibrarySource

/// The extension `presentation` of a shared library.
@Suite struct PresentationReaderTests {
  private static let columns = [
    ListPlugin.Column("pid", .integer, format: .plain), .init("name", .text),
    .init("price", .number, format: .grouped(decimals: 2), better: .higher), .init("delay", .number, better: .lower),
    .init("at", .timestamp, format: .time(decimals: 3)), .init("on", .timestamp, format: .date),
    .init("seen", .timestamp, format: .dateTime(decimals: 6)), .init("command", .text, audience: .operators),
  ]
  private static let schema = ListPlugin.Schema("s", key: .integer, columns: columns, label: "name")

  /// Returns the schema completed by its presentation, as the host reads both.
  private func complete(
    _ schema: ListPlugin.Schema = Self.schema, _ change: (inout list_table_presentation) -> Void = { _ in }
  ) -> (schema: ListEngine.Schema?, reason: String) {
    do {
      var read = try schema.withCSchema { try SchemaReader.read($0).0 }
      try schema.withCPresentation { form in
        var form = form.pointee
        change(&form)
        try PresentationReader.read(&form).complete(&read)
      }
      return (read, "")
    } catch let fault as SchemaReader.Fault {
      return (nil, fault.reason)
    } catch {
      return (nil, "\(error)")
    }
  }

  /// Returns the reason for refusing the first column's entry.
  private func fault(_ change: (inout list_column_presentation) -> Void) -> String {
    let place = UnsafeMutablePointer<list_column_presentation>.allocate(capacity: 1)
    defer { place.deallocate() }
    return complete { form in
      place.initialize(to: form.columns.pointee)
      change(&place.pointee)
      form.columns = UnsafePointer(place)
      form.column_count = 1
    }.reason
  }

  @Test func `formats, directions and the label reach the schema`() throws {
    let schema = try #require(complete().schema)
    #expect(
      schema.columns.map(\.format) == [
        .plain(), nil, .grouped(decimals: 2), nil, .time(decimals: 3), .date, .dateTime(decimals: 6), nil,
      ])
    #expect(schema.columns.map(\.better) == [nil, nil, .higher, .lower, nil, nil, nil, nil])
    #expect(schema.columns.map(\.audience) == Array(repeating: nil, count: 7) + [.operators])
    #expect(schema.label == "name")
  }

  @Test func `a form without columns or label has no presentation`() {
    let schema = complete(.init("s", key: .text, columns: [.init("a", .text)])).schema
    #expect(schema == ListEngine.Schema(name: "s", key: .text, columns: [ListEngine.Column("a", .text)]))
    #expect(!ListPlugin.Schema("s", key: .text, columns: [.init("a", .text)]).hasPresentation)
    #expect(ListPlugin.Schema("s", key: .text, columns: [.init("a", .text)], label: "a").hasPresentation)
  }

  @Test func `sizes are checked, and later members are ignored`() {
    #expect(complete { $0.size = 31 }.reason == "list_table_presentation.size is 31, at least 32 is needed")
    #expect(complete { $0.size = 48 }.schema != nil)
    #expect(complete { $0.column_size = 16 }.reason == "list_table_presentation.column_size is 16, 24 is needed")
    #expect(complete { $0.column_size = 28 }.reason == "list_table_presentation.column_size is 28, 24 is needed")
    #expect(complete { $0.columns = nil }.reason.hasPrefix("list_table_presentation.columns must be"))
    #expect(complete { $0.column_count = 513 }.reason.hasPrefix("list_table_presentation.columns must be"))
  }

  @Test func `entries with a larger stride are read by their first members`() throws {
    struct Later {
      var first: list_column_presentation
      var sort: UInt64 = .max
    }
    let schema = Self.schema
    var read = try schema.withCSchema { try SchemaReader.read($0).0 }
    try schema.withCPresentation { form in
      let entries = UnsafeBufferPointer(start: form.pointee.columns, count: Int(form.pointee.column_count)).map {
        Later(first: $0)
      }
      try entries.withUnsafeBytes { bytes in
        var later = form.pointee
        later.columns = bytes.baseAddress!.assumingMemoryBound(to: list_column_presentation.self)
        later.column_size = UInt32(MemoryLayout<Later>.stride)
        try PresentationReader.read(&later).complete(&read)
      }
    }
    #expect(read == complete().schema)
  }

  @Test func `an invalid presentation names the column and a remedy`() {
    #expect(
      complete(.init("s", key: .text, columns: [.init("a", .integer, format: .plain(decimals: 16))])).reason
        == "the format of column 'a' is 'plain.16': \(ListEngine.ColumnFormat.rule)")
    #expect(
      complete(.init("s", key: .text, columns: [.init("a", .text, better: .higher)])).reason
        == "the column “a” of type text states a better direction: only integer and number columns can, leave it out")
    #expect(
      complete(.init("s", key: .text, columns: [.init("a", .text, format: .date)])).reason
        .hasPrefix("the format “date” does not fit the column “a” of type text"))
    #expect(
      complete(.init("s", key: .text, columns: [.init("a", .text)], label: "b")).reason
        == "the label names the column “b”, which the table does not have: name one of its columns")
    #expect(
      fault { $0.audience = 2 } == "list_column_presentation.audience of column 'pid' is 2: use enum list_audience")
    #expect(fault { $0.better = 3 } == "list_column_presentation.better of column 'pid' is 3: use enum list_better")
    #expect(fault { $0.column = nil }.hasPrefix("list_column_presentation.column of entry 0 must be"))
    "gone".withCString { name in
      #expect(
        fault { $0.column = name } == "list_column_presentation.column is 'gone', which the table does not have")
    }
    #expect(
      complete(
        .init("s", key: .text, columns: [.init("a", .integer, format: .plain), .init("a", .integer, format: .plain)])
      )
      .reason.contains("two columns are called 'a'"))
  }
}
