import LibrarySource
import ListEngine
import SourceRuntime
import SourceTesting
import Testing

@testable import ListPlugin

@Suite struct PluginSourceTests {
  let recorder = Recorder()

  /// Pushes rows `0 ..< count` in one batch.
  private static func push(
    _ host: ListHost, _ rows: Range<Int>, _ verb: Verb = .upsert, reload: Reload = []
  ) throws {
    var batch = Batch(verb, columns: 2)
    for row in rows { batch.add(key: row, "row \(row)", Double(row)) }
    try host.push(batch, reload: reload)
  }

  // MARK: Order

  @Test func `reports the schema first, then rows, then the live state`() throws {
    let source = try Scripted.source(recorder) { host in
      try Self.push(host, 0..<2)
      try host.wait(.seconds(1_000_000))
    }
    try source.start()
    try recorder.wait("live") { $0.states == ["live: "] }
    #expect(source.stop())

    let events = recorder.events
    #expect(events.count == 3)
    guard case .schema(let schema) = events[0], case .changes = events[1] else {
      Issue.record("out of order: \(events)")
      return
    }
    #expect(
      schema
        == ListEngine.Schema(
          name: "things", title: "Things", key: .integer,
          columns: [ListEngine.Column("name", .text), ListEngine.Column("value", .number)]))
    #expect(
      recorder.view.rows == [
        PlainRow(.upsert, .integer(0), [.text("row 0"), .number(0)]),
        PlainRow(.upsert, .integer(1), [.text("row 1"), .number(1)]),
      ])
  }

  @Test func `reports a column's title, style, unit, width and alignment`() throws {
    let schema = ListPlugin.Schema(
      "s", key: .text,
      columns: [Column("cpu", .number, title: "CPU", style: .bar, unit: "%", width: 8, alignment: .center)])
    let source = try Scripted.source(recorder, schema: schema) { _ in }
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    #expect(
      recorder.view.schema
        == ListEngine.Schema(
          name: "s", title: "s", key: .text,
          columns: [
            ListEngine.Column("cpu", .number, title: "CPU", style: .bar, unit: "%", width: 8, alignment: .center)
          ]))
  }

  @Test func `reports the table under the name that the source configures`() throws {
    let source = try Scripted.source(recorder, table: "second") { _ in }
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    #expect(recorder.view.schema?.name == "second")
    #expect(recorder.view.schema?.title == "Things")
  }

  @Test func `reports cells of every type`() throws {
    let schema = ListPlugin.Schema("s", key: .text, columns: (0..<9).map { Column("c\($0)", .text) })
    let source = try Scripted.source(recorder, schema: schema) { host in
      var batch = Batch(.update, columns: 9)
      batch.add(
        key: "k", -5, 2.5, "ü€😀", true, Timestamp(nanoseconds: 7), ImageKey("cat.png"), [1.0, -2.0], nil as Int?,
        Unchanged())
      batch.add(
        key: "", UInt64.max, Double.nan, "", false, Null(), ImageKey(""), [Double](), "x" as StaticString, Int64.min)
      try host.push(batch)
    }
    try source.start()
    try recorder.wait("the end") { $0.states.count == 2 }
    #expect(
      recorder.view.rows == [
        PlainRow(
          .update, .text("k"),
          [
            .integer(-5), .number(2.5), .text("ü€😀"), .boolean(true), .timestamp(7), .image("cat.png"),
            .series([1, -2]), .null, nil,
          ]
        ),
        PlainRow(
          .update, .text(""),
          [
            .integer(.max), .null, .text(""), .boolean(false), .null, .image(""), .series([]), .text("x"),
            .integer(.min),
          ]),
      ])
  }

  @Test func `reports long texts of many rows unchanged`() throws {
    let source = try Scripted.source(recorder) { host in
      var batch = Batch(.upsert, columns: 2)
      for round in 0..<2 {
        batch.removeAll()
        for row in 0..<300 { batch.add(key: row, String(repeating: "\(round)\(row % 10)", count: row * 100), 0) }
        try host.push(batch)
      }
    }
    try source.start()
    try recorder.wait("the end") { $0.states.count == 2 }
    let rows = recorder.view.rows
    #expect(rows.count == 600)
    for (index, row) in rows.enumerated() {
      let text = String(repeating: "\(index / 300)\(index % 300 % 10)", count: index % 300 * 100)
      #expect(row.cells == [.text(text), .integer(0)], "row \(index)")
    }
  }

  @Test func `reports deletions and moves`() throws {
    let source = try Scripted.source(recorder) { host in
      var gone = Batch(.delete, columns: 0)
      gone.add(key: 3)
      try host.push(gone)
      var moved = Batch(.move, columns: 1)
      moved.add(key: 4, 2)
      moved.add(key: 5, Null())
      try host.push(moved)
    }
    try source.start()
    try recorder.wait("the end") { $0.states.count == 2 }
    #expect(
      recorder.view.rows == [
        PlainRow(.delete, .integer(3), []), PlainRow(.move, .integer(4), [.integer(2)]),
        PlainRow(.move, .integer(5), [.null]),
      ])
  }

  // MARK: Large batches

  @Test func `splits a large reload and flags its first and last part`() throws {
    let source = try Scripted.source(recorder) { host in try Self.push(host, 0..<10_000, reload: [.begin, .end]) }
    try source.start()
    try recorder.wait("the end") { $0.states.count == 2 }
    let changes = recorder.view.changes
    #expect(changes.map(\.count) == [4_096, 4_096, 1_808])
    #expect(changes.map(\.beginsReload) == [true, false, false])
    #expect(changes.map(\.endsReload) == [false, false, true])
    #expect(recorder.view.rows.map(\.key) == (0..<10_000).map { .integer($0) })
  }

  @Test func `reports a reload without rows, but no other empty batch`() throws {
    let source = try Scripted.source(recorder) { host in
      try Self.push(host, 0..<0, reload: [.begin, .end])
      try Self.push(host, 0..<0)  // has no effect
    }
    try source.start()
    try recorder.wait("the end") { $0.states.count == 2 }
    #expect(recorder.view.changes.map(\.count) == [0])
    #expect(recorder.view.changes.map { $0.beginsReload && $0.endsReload } == [true])
  }

  @Test func `a reload can span several batches`() throws {
    let source = try Scripted.source(recorder) { host in
      try Self.push(host, 0..<3, reload: .begin)
      try Self.push(host, 3..<5)
      try Self.push(host, 5..<5, reload: .end)
    }
    try source.start()
    try recorder.wait("the end") { $0.states.count == 2 }
    #expect(recorder.view.changes.map(\.beginsReload) == [true, false, false])
    #expect(recorder.view.changes.map(\.endsReload) == [false, false, true])
  }

  // MARK: Back-pressure and stopping

  @Test func `a push blocks while the engine is busy`() throws {
    let recorder = recorder
    let source = try Scripted.source(recorder) { host in
      try recorder.wait("the gate") { $0.log == ["closed"] }
      for number in 0..<10 {
        try Self.push(host, number..<(number + 1))
        host.log(.info, "pushed \(number)")
      }
    }
    try source.start()
    try recorder.wait("the schema") { $0.schema != nil }
    recorder.close()
    recorder.note(.info, "closed")
    try recorder.wait("somebody at the gate") { $0.held == 1 }
    #expect(recorder.log == ["info: closed"])
    #expect(recorder.view.rows.isEmpty)
    recorder.open()
    try recorder.wait("the end") { $0.states.count == 2 }
    #expect(recorder.view.rows.map(\.key) == (0..<10).map { .integer($0) })
    #expect(recorder.log.count == 11)
  }

  @Test func `stop wakes a waiting plugin and reports no state`() throws {
    let source = try Scripted.source(recorder) { host in
      host.log(.info, "waiting")
      do {
        try host.wait(.seconds(1_000_000_000_000))
      } catch {
        host.log(.info, "woken: \(error); \(host.isStopping)")
        throw error
      }
    }
    try source.start()
    try recorder.wait("the wait") { $0.log == ["waiting"] }
    #expect(source.stop(within: .seconds(30)))
    #expect(recorder.log.last == "info: woken: the source is being stopped; true")
    #expect(recorder.view.states == [])  // no state after a requested stop
  }

  @Test func `an elapsed wait does not count as a stop`() throws {
    let source = try Scripted.source(recorder) { host in
      try host.wait(.zero)
      try host.wait(.seconds(-1))
      try host.wait(.nanoseconds(1))
      host.log(.info, "\(host.isStopping)")
    }
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    #expect(recorder.log == ["info: false"])
  }

  @Test func `stops a plugin that is blocked in a push`() throws {
    let source = try Scripted.source(recorder) { host in
      for number in 0... { try Self.push(host, number..<(number + 1)) }
    }
    try source.start()
    try recorder.wait("rows") { !$0.changes.isEmpty }
    recorder.close()
    try recorder.wait("somebody at the gate") { $0.held == 1 }
    recorder.end()
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `reports nothing on stop, even when stopped twice`() throws {
    let source = try Scripted.source(recorder) { host in
      host.log(.info, "ready")
      try host.wait(.seconds(1_000_000))
    }
    try source.start()
    try recorder.wait("the plugin") { $0.log == ["ready"] }
    #expect(source.stop(within: .seconds(30)))
    #expect(source.stop())  // stopping twice is harmless
    #expect(recorder.events.count == 1)
  }

  @Test func `stop returns false while the plugin keeps running`() throws {
    let recorder = recorder
    let source = try Scripted.source(recorder) { host in
      host.log(.info, "deaf")
      try recorder.wait("being let go") { $0.log.contains("go") }
    }
    try source.start()
    try recorder.wait("the plugin") { $0.log == ["deaf"] }
    #expect(!source.stop(within: .zero))
    recorder.note(.info, "go")
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `stop calls the plugin's stop handler`() throws {
    let recorder = recorder
    let source = try Scripted.source(recorder) { host in
      host.onStop { recorder.note(.info, "told") }
      host.log(.info, "ready")
      try recorder.wait("word") { $0.log.contains("told") }
    }
    try source.start()
    try recorder.wait("the plugin") { $0.log == ["ready"] }
    #expect(source.stop(within: .seconds(30)))
    #expect(recorder.log == ["info: ready", "info: told"])
  }

  // MARK: Ends

  @Test func `reports Complete when the plugin returns`() throws {
    let source = try Scripted.source(recorder) { host in try Self.push(host, 0..<1) }
    try source.start()
    try recorder.wait("the end") { $0.states == ["live: ", "live: Complete"] }
    #expect(source.stop())
  }

  @Test func `reports the error that the plugin throws`() throws {
    let source = try Scripted.source(recorder) { _ in throw Workshop.Failure(description: "the disk is gone") }
    try source.start()
    try recorder.wait("the end") { $0.states == ["failed: the disk is gone"] }
  }

  @Test func `only the first rows make a source live by themselves`() throws {
    let source = try Scripted.source(recorder) { host in
      host.setState(.stale, "no connection yet")
      try Self.push(host, 0..<1)
      host.setState(.stale, "connection lost")
      try Self.push(host, 1..<2)
      host.setState(.live, "again")
    }
    try source.start()
    try recorder.wait("the end") {
      $0.states == [
        "stale: no connection yet", "live: ", "stale: connection lost", "live: again", "live: Complete",
      ]
    }
  }

  @Test func `two sources of one library are independent`() throws {
    let other = Recorder()
    let first = try Scripted.source(recorder) { host in
      try Self.push(host, 0..<1)
      try host.wait(.seconds(1_000_000))
    }
    let second = try Scripted.source(other) { host in try Self.push(host, 5..<6) }
    try first.start()
    try second.start()
    try other.wait("the end") { $0.states.count == 2 }
    try recorder.wait("live") { $0.states == ["live: "] }
    #expect(first.stop(within: .seconds(30)))
    #expect(other.view.rows.map(\.key) == [.integer(5)])
    #expect(recorder.view.rows.map(\.key) == [.integer(0)])
  }

  // MARK: Settings

  private func failure(_ configuration: [String: String]) throws -> PluginError? {
    let source = try Scripted.source(recorder, configuration: configuration) { _ in }
    do throws(PluginError) {
      try source.start()
      return nil
    } catch {
      #expect(source.stop())  // returns at once, because the source never started
      return error
    }
  }

  @Test func `refuses an invalid value and names the setting`() throws {
    let error = try failure(["size": "11"])
    #expect(error == .badSetting(source: "test", key: "size", message: "11 is out of range: 1 to 10"))
    #expect(error.map { "\($0)" } == "test.size: 11 is out of range: 1 to 10")
    #expect(
      try failure(["size": "big"]) == .badSetting(source: "test", key: "size", message: "'big' is not a whole number"))
  }

  @Test func `refuses an unknown setting and lists the known ones`() throws {
    #expect(
      try failure(["sise": "1"])
        == .badSetting(source: "test", key: "sise", message: "unknown setting; the settings are script, size"))
  }

  @Test func `refuses a setting that contains a NUL byte`() throws {
    guard case .badSetting(_, key: "size", _) = try failure(["size": "1\0"]) else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `a plugin without settings refuses every setting`() throws {
    let library = try PluginLibrary(path: Workshop.library("clock"))
    let source = PluginSource(library: library, name: "clock", configuration: ["zone": "UTC"]) { _ in true }
    #expect(throws: PluginError.badSetting(source: "clock", key: "zone", message: "the plugin clock has no settings")) {
      try source.start()
    }
  }
}
