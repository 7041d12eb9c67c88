import CListPlugin
import ListEngine
import SourceTesting
import Testing

@testable import ListPlugin
@testable import LibrarySource

@Suite struct SchemaReaderTests {
  private func read(_ schema: ListPlugin.Schema) throws -> ListEngine.Schema {
    try schema.withCSchema { try SchemaReader.read($0).0 }
  }

  private static let columns = [ListPlugin.Column("a", .text)]

  @Test func `reads the row and byte limits of a table`() throws {
    let schema = try read(.init("s", key: .text, columns: Self.columns, rowLimit: 5, byteLimit: 1_000))
    #expect(schema.limits == TableLimits(rows: 5, bytes: 1_000))
    #expect(try read(.init("s", key: .text, columns: Self.columns)).limits == TableLimits())
  }

  @Test func `reads the retention of a table and raises 0 to the minimum`() throws {
    func kept(_ retention: ListPlugin.Retention) throws -> ListEngine.Retention {
      try read(.init("s", key: .text, columns: Self.columns, retention: retention)).retention
    }
    #expect(try kept(.everything) == .everything)
    #expect(try kept(.last(7)) == .last(7))
    #expect(try kept(.recent(.milliseconds(1_500))) == .recent(.milliseconds(1_500)))
    #expect(
      try kept(.recent(.seconds(Int64.max)))
        == .recent(Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_807_000_000_000)))
    // Zero is raised to the minimum, because it must not mean unlimited.
    #expect(try kept(.last(0)) == .last(1))
    #expect(try kept(.recent(.zero)) == .recent(Duration(secondsComponent: 0, attosecondsComponent: 1_000_000_000)))
  }

  @Test func `reads the collation of a column`() throws {
    func order(_ collation: ListPlugin.Collation) throws -> ListEngine.Collation {
      try read(.init("s", key: .text, columns: [.init("a", .text, collation: collation)])).columns[0].collation
    }
    #expect(try order(.codeUnit) == .codeUnit)
    #expect(try order(.natural) == .natural)
    #expect(try order(.locale("de")) == .locale("de"))
    #expect(try order(.locale("de", numeric: true)) == .locale("de", numeric: true))
    #expect(
      try order(.locale("de-u-co-phonebk", numeric: true)) == .locale("de-u-co-phonebk", numeric: true))
  }

  @Test func `structs of the first version get default limits and order`() throws {
    let schema = ListPlugin.Schema(
      "s", key: .text,
      columns: [.init("a", .text, collation: .natural), .init("b", .text, collation: .natural)], rowLimit: 5)
    let read = try schema.withCSchema { pointer in
      // The layout of an old compiler, where unrelated data follows the first 40 bytes.
      var old: [UInt8] = []
      for column in UnsafeBufferPointer(start: pointer.pointee.columns, count: 2) {
        withUnsafeBytes(of: column) { old += $0.prefix(40) }
      }
      return try old.withUnsafeBytes { columns in
        var header = pointer.pointee
        (header.size, header.column_size) = (40, 40)
        header.columns = columns.baseAddress!.assumingMemoryBound(to: list_column.self)
        return try SchemaReader.read(&header).0
      }
    }
    #expect(read.limits == TableLimits())
    #expect(read.columns.map(\.name) == ["a", "b"])
    #expect(read.columns.map(\.collation) == [.codeUnit, .codeUnit])
  }
}
