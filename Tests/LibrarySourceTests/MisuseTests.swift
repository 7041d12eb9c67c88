import CListPlugin
import LibrarySource
import ListEngine
import SourceTesting
import Testing

@testable import ListPlugin

/// Plugins that violate the C interface.
///
/// The host reports the fault, keeps valid data, and keeps running.
@Suite struct MisuseTests {
  let recorder = Recorder()

  /// Calls the host like a C plugin, after the schema of `Scripted.standard` was declared.
  private func run(_ body: @escaping @Sendable (UnsafePointer<list_host>) -> Void) throws -> PluginSource {
    let source = try Scripted.source(recorder) { body($0.host) }
    try source.start()
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    return source
  }

  private static func batch(_ change: (inout list_batch) -> Void = { _ in }) -> list_batch {
    var batch = list_batch()
    batch.size = UInt32(MemoryLayout<list_batch>.size)
    batch.verb = LIST_UPSERT.rawValue
    batch.column_count = 2
    change(&batch)
    return batch
  }

  private static func push(_ host: UnsafePointer<list_host>, _ batch: list_batch) -> Int32 {
    var batch = batch
    return host.pointee.push(host.pointee.context, &batch)
  }

  @Test func `refuses invalid batches and logs the reason for each`() throws {
    _ = try run { host in
      var results: [Int32] = []
      results.append(host.pointee.push(host.pointee.context, nil))
      results.append(Self.push(host, Self.batch { $0.size = 8 }))
      results.append(Self.push(host, Self.batch { $0.verb = 9 }))
      results.append(Self.push(host, Self.batch { $0.flags = 4 }))
      results.append(Self.push(host, Self.batch { ($0.verb, $0.flags) = (LIST_DELETE.rawValue, 3) }))
      results.append(Self.push(host, Self.batch { $0.flags = LIST_RELOAD_END.rawValue }))
      results.append(Self.push(host, Self.batch { $0.row_count = .max }))
      results.append(Self.push(host, Self.batch { ($0.row_count, $0.column_count) = (1, 3) }))
      results.append(Self.push(host, Self.batch { $0.row_count = 1 }))
      var key = list_integer(1)
      withUnsafePointer(to: &key) { key in
        results.append(
          Self.push(
            host,
            Self.batch {
              $0.row_count = 1
              $0.keys = key
            }))
        results.append(
          Self.push(
            host,
            Self.batch {
              $0.row_count = 1
              $0.keys = key
              $0.cells = UnsafePointer(bitPattern: UInt(bitPattern: key) + 1)
            }))
      }
      host.pointee.log(host.pointee.context, LIST_INFO.rawValue, "\(results)")
    }
    #expect(
      recorder.log == [
        "error: push: the batch is NULL",
        "error: push: list_batch.size is 8, at least 40 is needed",
        "error: push: list_batch.verb is 9, which is not a verb",
        "error: push: list_batch.flags is 4, which holds a flag that this version does not have",
        "error: push: only LIST_UPSERT may have the flags of a reload",
        "error: push: LIST_RELOAD_END without a LIST_RELOAD_BEGIN before it",
        "error: push: list_batch.row_count is 18446744073709551615, which is out of range",
        "error: push: list_batch.column_count is 3; 2 is what the verb and the schema want",
        "error: push: list_batch.keys is NULL",
        "error: push: list_batch.cells is NULL",
        "error: push: keys and cells must be aligned as struct list_cell is",
        "info: \([Int32](repeating: 2, count: 11))",
      ])
    #expect(recorder.view.changes.isEmpty)
  }

  /// Returns a cell with the given words, valid or not.
  private static func cell(_ type: UInt32, _ length: UInt32, _ payload: Int64) -> list_cell {
    var cell = list_integer(payload)
    cell.type = type
    cell.length = length
    return cell
  }

  @Test func `rejects only the rows with an invalid key or cell`() throws {
    _ = try run { host in
      let series = LIST_SERIES.rawValue, text = LIST_TEXT.rawValue
      let keys = (0..<9).map { list_integer(Int64($0)) } + [Self.cell(text, 2, 0), list_number(1)]
      let good = [list_null(), list_number(1)]
      let rows: [[list_cell]] = [
        good,
        [Self.cell(99, 0, 0), list_null()],
        [Self.cell(text, 5, 0), list_null()],
        [list_null(), Self.cell(LIST_IMAGE.rawValue, 70_000, 4_096)],
        good,
        [Self.cell(series, 3, 0), list_null()],
        [Self.cell(series, 3, 4_097), list_null()],
        [Self.cell(series, .max, 4_096), list_null()],
        good,
        good,
        good,
      ]
      for row in rows.indices {
        // One push per row, for the reasons; then all rows at once.
        _ = Self.push(host, keys: [keys[row]], cells: rows[row])
      }
      let result = Self.push(host, keys: keys, cells: rows.flatMap { $0 })
      host.pointee.log(host.pointee.context, LIST_INFO.rawValue, "\(result)")
    }
    let keys: [RowKey] = [.integer(0), .integer(4), .integer(8)]
    let taken = recorder.view.rows.filter { $0.verb != .reject }
    #expect(taken.map(\.key) == keys + keys)
    #expect(taken.allSatisfy { $0.cells == [.null, .number(1)] })
    // The engine receives the others by key, so that it counts them and keeps their previous cells.
    let left = recorder.view.rows.filter { $0.verb == .reject }
    #expect(left.prefix(6).map(\.key) == [1, 2, 3, 5, 6, 7].map { .integer($0) })
    #expect(left.first?.cells == [.text("column 'name' has the unknown type 99")])
    #expect(recorder.view.changes.reduce(0) { $0 + $1.unnamedRejections } == 4)
    // Only every doubling is logged: the 1st, 2nd, 4th, 8th and 16th row.
    #expect(
      recorder.log == [
        "warning: left out, 1 rows so far: row 1: column 'name' has the unknown type 99",
        "warning: left out, 2 rows so far: row 2: column 'name' is NULL with 5 bytes",
        "warning: left out, 4 rows so far: row 5: column 'name' is NULL with 3 numbers",
        "warning: left out, 8 rows so far: row 0 of the batch: its key has type 3, the schema wants LIST_INTEGER (2)",
        "warning: left out, 16 rows so far: row 1: column 'name' has the unknown type 99",
        "info: 0",
      ])
  }

  private static func push(_ host: UnsafePointer<list_host>, keys: [list_cell], cells: [list_cell]) -> Int32 {
    keys.withUnsafeBufferPointer { keys in
      cells.withUnsafeBufferPointer { cells in
        push(
          host,
          batch {
            $0.row_count = UInt64(keys.count)
            $0.keys = keys.baseAddress
            $0.cells = cells.baseAddress
          })
      }
    }
  }

  @Test func `the Swift SDK refuses a batch with a row of another length`() throws {
    let source = try Scripted.source(recorder) { host in
      var batch = Batch(.upsert, columns: 2)
      batch.add(key: 1, "one", 1.0)
      batch.add(key: 2, "two")
      batch.add(key: 3, "three", 3.0)
      do { try host.push(batch) } catch { host.log(.info, "\(error)") }
      batch.removeAll()
      batch.add(key: 4, "four", 4.0, "too much")
      do { try host.push(batch) } catch { host.log(.info, "\(error)") }
      batch.removeAll()
      batch.add(key: 5, "five", 5.0)
      try host.push(batch)
    }
    try source.start()
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(
      recorder.log == [
        "info: row 1 does not have 2 cells, as the schema says", "info: the last row has 3 cells instead of 2",
      ])
    #expect(recorder.view.rows.map(\.key) == [.integer(5)])
  }

  @Test func `logs an unknown state, an unknown level and a second schema`() throws {
    _ = try run { host in
      host.pointee.set_state(host.pointee.context, 9, nil)
      host.pointee.log(host.pointee.context, 77, nil)
      _ = Scripted.standard.withCSchema { host.pointee.declare(host.pointee.context, $0) }
    }
    #expect(
      recorder.log == [
        "error: set_state: 9 is not a state", "error: ", "error: declare: the schema was declared before",
      ])
  }

  // MARK: Schemas

  /// Returns the log after declaring a schema, which is empty when the schema is accepted.
  private static func complaint(
    _ schema: ListPlugin.Schema,
    _ change: @escaping @Sendable (inout list_schema, inout list_column) -> Void = { _, _ in }
  ) throws -> [String] {
    let recorder = Recorder()
    // `Scripted` declares a schema by itself, so this test uses `HandMade`.
    let box = HandMade { host in
      schema.withCSchema { pointer in
        var schema = pointer.pointee
        guard schema.columns != nil else {
          _ = host.pointee.declare(host.pointee.context, &schema)
          return
        }
        var columns = Array(UnsafeBufferPointer(start: schema.columns, count: Int(schema.column_count)))
        columns.withUnsafeMutableBufferPointer { columns in
          schema.columns = UnsafePointer(columns.baseAddress)
          if columns.count > 0 { change(&schema, &columns[0]) }
          _ = host.pointee.declare(host.pointee.context, &schema)
        }
      }
    }
    let source = PluginSource(
      library: try PluginLibrary(plugin: box.plugin), name: "test", log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    return recorder.log
  }

  @Test func `refuses invalid schemas and logs the reason for each`() throws {
    let good = ListPlugin.Schema("s", key: .text, columns: [Column("a", .text), Column("b", .text)])
    func bad(_ change: @escaping @Sendable (inout list_schema, inout list_column) -> Void) throws -> [String] {
      try Self.complaint(good, change)
    }
    #expect(try Self.complaint(good) == [])
    #expect(
      try bad { schema, _ in schema.size = 4 } == ["error: declare: list_schema.size is 4, at least 40 is needed"])
    #expect(
      try bad { schema, _ in schema.name = nil } == ["error: declare: list_schema.name must be 1 to 255 bytes of UTF-8"]
    )
    #expect(try bad { schema, _ in schema.title = nil } == [])
    #expect(
      try bad { schema, _ in schema.key_type = 3 } == [
        "error: declare: list_schema.key_type must be LIST_INTEGER or LIST_TEXT, not 3"
      ])
    #expect(try bad { schema, _ in schema.columns = nil } == ["error: declare: list_schema.columns is NULL"])
    #expect(
      try bad { schema, _ in schema.column_count = 513 } == [
        "error: declare: list_schema.column_count must be 1 to 512, not 513"
      ])
    #expect(
      try bad { schema, _ in schema.column_size = 8 } == ["error: declare: list_schema.column_size is 8, 40 is needed"])
    #expect(
      try bad { _, column in column.name = nil } == [
        "error: declare: the name of column 0 must be 1 to 255 bytes of UTF-8"
      ])
    #expect(
      try bad { _, column in column.type = 1 } == ["error: declare: column 'a' has type 1, which no column can have"])
    #expect(
      try bad { schema, _ in (schema.keep_rows, schema.keep_nanoseconds) = (1, 1) } == [
        "error: declare: list_schema.keep_rows and keep_nanoseconds cannot both be said"
      ])
    #expect(
      try Self.complaint(
        ListPlugin.Schema("s", key: .text, columns: [Column("a", .text, collation: .locale("not a tag"))]))
        == [
          "error: declare: the collation of column 'a' must be \"natural\" or a language's tag, such as \"de\""
        ])
    #expect(
      try Self.complaint(ListPlugin.Schema("s", key: .text, columns: [Column("a", .number, collation: .natural)]))
        == ["error: declare: column 'a' has a collation, but no texts"])
    #expect(try bad { _, column in column.style = 99 } == ["warning: declare: column 'a' has the unknown style 99"])
    #expect(
      try Self.complaint(ListPlugin.Schema("s", key: .text, columns: [Column("a", .text), Column("a", .text)]))
        == ["error: declare: two columns are called 'a'"])
    #expect(
      try Self.complaint(ListPlugin.Schema(String(repeating: "n", count: 256), key: .text, columns: good.columns))
        == ["error: declare: list_schema.name must be 1 to 255 bytes of UTF-8"])
  }

  @Test func `refuses rows before a schema is declared`() throws {
    let recorder = recorder
    let box = HandMade { host in _ = Self.push(host, Self.batch()) }
    let source = PluginSource(
      library: try PluginLibrary(plugin: box.plugin), name: "test", log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    #expect(recorder.log == ["error: push: no schema was declared"])
  }
}
