import CListPlugin
import Foundation
import LibrarySource
import ListPlugin
import SourceTesting
import Testing

import Threads
import enum ListEngine.ActionOutcome
import enum ListEngine.Cell
import enum ListEngine.RowKey
import struct ListEngine.ActionRequest
import struct ListEngine.DeferredCell

/// Requests to shared libraries, through the Swift SDK and the bare C interface.
@Suite struct RequestedLibraryTests {
  let recorder = Recorder()

  private func start(_ source: PluginSource) throws -> PluginSource {
    try source.start()
    try recorder.wait("a table") { $0.schema != nil }
    return source
  }

  private func outcomes(_ view: Recorder.View) -> [String] {
    view.events.compactMap { event in
      switch event {
      case .acted(let id, .done(let result)): "\(id) done: \(result)"
      case .acted(let id, .failed(let failure, let reason)): "\(id) \(failure): \(reason)"
      case .loaded(let key, let column, let value): "\(key) \(column) loaded: \(value)"
      case .notLoaded(let key, let column, let reason): "\(key) \(column) not loaded: \(reason)"
      case .forget(let key, let column): "\(key) \(column) forgotten"
      default: nil
      }
    }
  }

  private static func stay(_ host: ListHost) throws { try host.wait(.seconds(1_000_000)) }

  // MARK: Actions

  @Test func `offered actions reach the schema with all their members`() throws {
    let action = ListPlugin.Action(
      "greet", title: "Greet", confirm: "Sure?", isDangerous: true, appliesToRows: false,
      arguments: [
        ActionArgument("how", .text, label: "How", choices: ["loud", "low"], standard: "low"),
        ActionArgument("often", .integer, standard: 2, minimum: 1, maximum: 3.5),
        ActionArgument("share", .number), ActionArgument("twice", .boolean, standard: true),
      ], patience: .milliseconds(1_500)
    ) { _ in "" }
    let source = try start(
      Scripted.source(recorder, actions: [action, ListPlugin.Action("stop") { _ in "" }], run: Self.stay))
    #expect(
      recorder.view.schema?.actions == [
        .init(
          "greet", title: "Greet", confirm: "Sure?", isDangerous: true, appliesToRows: false,
          arguments: [
            .init("how", .text, label: "How", choices: [.text("loud"), .text("low")], standard: .text("low")),
            .init("often", .integer, standard: .integer(2), minimum: 1, maximum: 3.5), .init("share", .number),
            .init("twice", .boolean, standard: .boolean(true)),
          ], patience: .milliseconds(1_500)), .init("stop"),
      ])
    #expect(source.stop(within: .seconds(30)))
    #expect(recorder.log == [])
  }

  @Test func `an action gets arguments and reports a result or a reason`() throws {
    struct Reluctance: Error, CustomStringConvertible { let description = "not today" }
    let say = ListPlugin.Action(
      "say",
      arguments: [
        ActionArgument("text", .text), ActionArgument("often", .integer), ActionArgument("share", .number),
        ActionArgument("twice", .boolean),
      ]
    ) { request in
      "\(request.key.map { "\($0)" } ?? "all"): \(request.text("text")?.utf8.count ?? 0) \(request.integer("often") ?? 0) "
        + "\(request.number("share") ?? 0) \(request.number("often") ?? 0) \(request.boolean("twice") ?? false)"
    }
    let fail = ListPlugin.Action("fail", appliesToRows: false) { _ in throw Reluctance() }
    let source = try start(Scripted.source(recorder, actions: [say, fail], run: Self.stay))
    source.send(
      .act(
        ActionRequest(
          id: 7, action: "say", key: .integer(3),
          arguments: [
            ("text", .text("a\0ü")), ("often", .integer(-2)), ("share", .number(0.5)), ("twice", .boolean(true)),
          ])))
    source.send(.act(ActionRequest(id: 8, action: "fail", key: nil, arguments: [])))
    source.send(.act(ActionRequest(id: 9, action: "other", key: nil, arguments: [])))
    try recorder.wait("answers") { outcomes($0).count == 3 }
    #expect(
      outcomes(recorder.view) == [
        "7 done: 3: 4 -2 0.5 -2.0 true", "8 failed: not today", "9 failed: unknown action “other”",
      ])
    #expect(source.stop(within: .seconds(30)))
    #expect(recorder.log == [])
  }

  @Test func `reports an action's changes before its outcome`() throws {
    let kept = Guarded<ListHost?>(nil)
    let add = ListPlugin.Action("add", appliesToRows: false) { _ in
      var batch = Batch(.upsert, columns: 2)
      batch.add(key: 5, "five", 5.0)
      try kept.withLock { $0 }?.push(batch)
      return "added"
    }
    let source = try start(
      Scripted.source(recorder, actions: [add]) { host in
        kept.withLock { $0 = host }
        host.log(.info, "ready")
        try Self.stay(host)
      })
    try recorder.wait("the host") { $0.log == ["ready"] }
    source.send(.act(ActionRequest(id: 1, action: "add", key: nil, arguments: [])))
    try recorder.wait("an answer") { outcomes($0).count == 1 }
    let events = recorder.events
    let rows = events.firstIndex { if case .changes = $0 { true } else { false } }
    let answer = events.firstIndex { if case .acted = $0 { true } else { false } }
    #expect(try #require(rows) < (try #require(answer)))
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `stop waits for a running action and refuses a queued one`() throws {
    let recorder = recorder
    let slow = ListPlugin.Action("slow", appliesToRows: false) { _ in
      recorder.note(.info, "begun")
      try recorder.wait("being let go") { $0.log.contains("go") }
      return "done at last"
    }
    let source = try start(Scripted.source(recorder, actions: [slow], run: Self.stay))
    source.send(.act(ActionRequest(id: 1, action: "slow", key: nil, arguments: [])))
    source.send(.act(ActionRequest(id: 2, action: "slow", key: nil, arguments: [])))
    try recorder.wait("its beginning") { $0.log == ["begun"] }
    #expect(!source.stop(within: .zero))
    recorder.note(.info, "go")
    #expect(source.stop(within: .seconds(30)))
    try recorder.wait("answers") { outcomes($0).count == 2 }
    #expect(
      outcomes(recorder.view) == ["1 done: done at last", "2 sourceDown: its source does not run, or can do nothing"])
    #expect(recorder.log.filter { $0 == "info: begun" }.count == 1, "the second was not begun")
  }

  @Test func `an ended source answers an action with source down`() throws {
    let stop = ListPlugin.Action("stop") { _ in "stopped" }
    let source = try Scripted.source(recorder, actions: [stop]) { _ in }
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    #expect(source.stop(within: .seconds(30)))
    source.send(.act(ActionRequest(id: 1, action: "stop", key: nil, arguments: [])))
    try recorder.wait("an answer") { outcomes($0).count == 1 }
    #expect(outcomes(recorder.view) == ["1 sourceDown: its source does not run, or can do nothing"])
  }

  @Test func `a source without actions or a loader fails requests for both`() throws {
    let source = try start(Scripted.source(recorder, run: Self.stay))
    source.send(.act(ActionRequest(id: 1, action: "stop", key: nil, arguments: [])))
    source.send(.load([DeferredCell(.integer(1), column: 0)]))
    try recorder.wait("answers") { outcomes($0).count == 2 }
    #expect(
      outcomes(recorder.view) == [
        "1 sourceDown: its source does not run, or can do nothing",
        "\(RowKey.integer(1)) 0 not loaded: its source does not answer",
      ])
    #expect(source.stop(within: .seconds(30)))
  }

  // MARK: Deferred cells

  private static let rated = ListPlugin.Schema(
    "rated", key: .text, columns: [Column("name", .text), Column("rating", .number, isDeferred: true)])

  @Test func `reports a deferred cell's value or why it is not loaded`() throws {
    struct Unrated: Error, CustomStringConvertible { let description = "it has no rating" }
    let loader = CellLoader(inFlight: 3, patience: .seconds(9)) { cell -> any CellValue in
      switch cell.key.text {
      case "a": 4.5
      case "b": nil as Double?
      case "c": "four"
      case "d": Unchanged()
      default: throw Unrated()
      }
    }
    let source = try start(Scripted.source(recorder, schema: Self.rated, loader: loader, run: Self.stay))
    let schema = try #require(recorder.view.schema)
    #expect(schema.columns.map(\.isDeferred) == [false, true])
    #expect(schema.prefetch.inFlight == 3 && schema.prefetch.patience == .seconds(9))
    #expect(!schema.prefetch.prefersToFinish)
    source.send(.load(["a", "b", "c", "d", "e"].map { DeferredCell(.text($0), column: 1) }))
    try recorder.wait("answers") { outcomes($0).count == 5 }
    #expect(
      outcomes(recorder.view).sorted() == [
        "\(RowKey.text("a")) 1 loaded: \(Cell.number(4.5))", "\(RowKey.text("b")) 1 loaded: \(Cell.null)",
        "\(RowKey.text("c")) 1 not loaded: the value has the type 4, the column is of type number",
        "\(RowKey.text("d")) 1 not loaded: the value is not UTF-8, or no value at all",
        "\(RowKey.text("e")) 1 not loaded: it has no rating",
      ])
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `never loads a cell whose queued request is cancelled`() throws {
    let recorder = recorder
    let loader = CellLoader(inFlight: 1) { cell in
      recorder.note(.info, "loading \(cell.key)")
      try recorder.wait("being let go") { $0.log.contains("go") }
      if cell.isCancelled { recorder.note(.info, "\(cell.key) is cancelled") }
      return 1.0
    }
    let source = try start(Scripted.source(recorder, schema: Self.rated, loader: loader, run: Self.stay))
    let cells = ["a", "b", "c"].map { DeferredCell(.text($0), column: 1) }
    source.send(.load(cells))
    try recorder.wait("the first load") { $0.log == ["loading a"] }
    source.send(.cancel([cells[0], cells[1]]))
    // Requests are processed in order, so this one follows the cancellation.
    source.send(.act(ActionRequest(id: 1, action: "x", key: nil, arguments: [])))
    try recorder.wait("the cancel") { outcomes($0).count == 1 }
    recorder.note(.info, "go")
    try recorder.wait("the last cell") { outcomes($0).count == 2 }
    #expect(outcomes(recorder.view)[1] == "\(RowKey.text("c")) 1 loaded: \(Cell.number(1))")
    #expect(recorder.log == ["info: loading a", "info: go", "info: a is cancelled", "info: loading c"])
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `reports pending cells as not loaded when the source ends`() throws {
    let recorder = recorder
    let loader = CellLoader(inFlight: 1) { cell in
      recorder.note(.info, "loading")
      while !cell.isCancelled { sched_yield() }
      return 1.0
    }
    let source = try start(Scripted.source(recorder, schema: Self.rated, loader: loader, run: Self.stay))
    source.send(.load(["a", "b"].map { DeferredCell(.text($0), column: 1) }))
    try recorder.wait("a load") { $0.log == ["loading"] }
    #expect(source.stop(within: .seconds(30)))
    try recorder.wait("answers") { outcomes($0).count == 2 }
    #expect(
      outcomes(recorder.view).sorted()
        == ["a", "b"].map {
          "\(RowKey.text($0)) 1 not loaded: its source has ended"
        })
  }

  // MARK: Through the C interface

  /// Returns the results of a script's calls to the host, in order.
  private func answers(_ script: @escaping @Sendable (UnsafePointer<list_host>) -> [Int32]) throws -> [Int32] {
    let recorder = recorder
    let answers = Guarded<[Int32]>([])
    let plugin = HandMade { host in
      let given = script(host)
      answers.withLock { $0 = given }
    }
    let source = PluginSource(
      library: try PluginLibrary(plugin: plugin.plugin), name: "c", log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("the end") { !$0.states.isEmpty }
    _ = source.stop(within: .seconds(30))
    return answers.withLock { $0 }
  }

  private static func table<Table>(
    _ host: UnsafePointer<list_host>, _ name: String, _: Table.Type
  ) -> UnsafePointer<Table> {
    host.pointee.get_extension(host.pointee.context, name)!.assumingMemoryBound(to: Table.self)
  }

  @Test func `returns four extensions by name and NULL for other names`() throws {
    let sizes = try answers { host in
      [
        Int32(Self.table(host, LIST_ACTIONS, list_actions.self).pointee.size),
        Int32(Self.table(host, LIST_DEFERRED, list_deferred.self).pointee.size),
        Int32(Self.table(host, LIST_IMAGES, list_images.self).pointee.size),
        Int32(Self.table(host, LIST_PRESENTATION, list_presentation.self).pointee.size),
        host.pointee.get_extension(host.pointee.context, "rows") == nil ? 0 : 1,
        host.pointee.get_extension(host.pointee.context, nil) == nil ? 0 : 1,
      ]
    }
    #expect(sizes == [24, 40, 32, 16, 0, 0])
  }

  @Test func `a second presentation is refused, and so is NULL`() throws {
    let results = try answers { host in
      let context = host.pointee.context
      let table = Self.table(host, LIST_PRESENTATION, list_presentation.self)
      var form = list_table_presentation()
      form.size = UInt32(MemoryLayout<list_table_presentation>.size)
      return [
        table.pointee.offer(context, nil), table.pointee.offer(context, &form), table.pointee.offer(context, &form),
      ]
    }
    #expect(results == [2, 0, 2])
    #expect(
      recorder.log == [
        "error: presentation: the form is NULL", "error: presentation: a presentation was offered before",
      ])
  }

  @Test func `refuses and logs invalid calls of actions and deferred cells`() throws {
    let results = try answers { host in
      let context = host.pointee.context
      let actions = Self.table(host, LIST_ACTIONS, list_actions.self)
      let deferred = Self.table(host, LIST_DEFERRED, list_deferred.self)
      var action = list_action()
      let name = strdup("stop")
      action.name = UnsafePointer(name)
      var key = list_integer(1)
      return [
        actions.pointee.offer(context, &action, 1, 48, nil),
        actions.pointee.offer(context, nil, 1, 48) { _, _ in },
        actions.pointee.offer(context, &action, 1, 48) { _, _ in },
        actions.pointee.offer(context, &action, 1, 48) { _, _ in },
        actions.pointee.acted(context, 1, 0, nil),
        actions.pointee.acted(context, 1, 2, nil),
        deferred.pointee.offer(context, nil),
        deferred.pointee.loaded(context, &key, 0, &key),
        deferred.pointee.loaded(context, &key, 0, nil),
      ]
    }
    #expect(results == [2, 2, 0, 2, 2, 2, 2, 2, 2])
    #expect(
      recorder.log == [
        "error: actions: act is NULL", "error: actions: the actions are NULL",
        "error: actions: actions were offered before",
        "error: acted: the action 1 was not asked for, or was answered before", "error: acted: 2 is not an outcome",
        "error: deferred: the loader is NULL", "error: loaded: no schema was declared",
        "error: loaded: the value is NULL",
      ])
  }
}
