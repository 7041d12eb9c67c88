import Foundation
import ListEngine
import ProcessSource
import SourceRuntime
import SourceTesting
import Testing

/// Hot swaps of a running plugin, during which clients always see a complete list.
@Suite struct SwappingSourceTests {
  let recorder = Recorder()

  private func source() -> SwappingSource {
    let recorder = recorder
    return SwappingSource(log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
  }

  private func program(_ script: String) -> SourceMaker {
    let recorder = recorder
    return { events in
      ChildSource(.shell(script), name: "jobs", log: { recorder.note($0, $1) }, events: events)
    }
  }

  private static let head =
    #"echo '{"type":"hello","version":1}'; echo '{"type":"schema","name":"jobs","key":"integer","columns":[{"name":"name","type":"text"}]}';"#

  private func list(_ rows: String) -> String {
    Self.head + #"echo '{"type":"reload"}'; echo '{"type":"upsert","rows":["# + rows
      + #"]}'; echo '{"type":"commit"}'; "#
  }

  @Test func `the new instance takes over with its list, the old one ends`() throws {
    let source = source()
    try source.start(program(list(#"[1,"build"],[2,"test"]"#) + "cat >/dev/null; echo ended >&2"))
    try recorder.wait("the first list") { $0.rows.count == 2 }
    source.swap(program(list(#"[1,"build"],[3,"deploy"]"#) + "cat >/dev/null"))
    try recorder.wait("the second list") { $0.rows.count == 4 }
    try recorder.wait("the old one's end") { $0.log.contains("ended") }
    let second = recorder.view.changes.filter(\.beginsReload)
    #expect(second.count == 2)
    #expect(recorder.view.states.allSatisfy { $0 == "live: " }, "pages see no state but live")
    // Logged after all events were delivered.
    try recorder.wait("the word about it") { $0.log.contains("the new instance has taken over") }
    #expect(source.stop(within: .seconds(5)))
  }

  @Test(arguments: [
    ("exit 3", "exited with code 3"),
    (#"echo '{"type":"hello","version":9}'; cat"#, "it speaks version 9 of the protocol; this host speaks version 1"),
  ]) func `the old instance keeps serving when the new one fails`(_ script: String, _ reason: String) throws {
    let source = source()
    try source.start(
      program(
        list(#"[1,"build"]"#) + #"while sleep 0.1; do echo '{"type":"update","key":1,"row":{"name":"still"}}'; done"#))
    try recorder.wait("the first list") { $0.rows.count >= 1 }
    source.swap(program(script))
    try recorder.wait("the reason") { $0.log.contains("the new instance is not used, the old one stays: \(reason)") }
    let before = recorder.view.rows.count
    try recorder.wait("the old one to go on") { $0.rows.count > before + 2 }
    #expect(recorder.view.states.allSatisfy { $0 == "live: " })
    #expect(source.stop(within: .seconds(5)))
  }

  @Test func `an instance with other columns takes over with its list`() throws {
    let source = source()
    try source.start(program(list(#"[1,"build"]"#) + "cat >/dev/null"))
    try recorder.wait("the first list") { $0.rows.count == 1 }
    let head = Self.head.replacing(#""type":"text"}"#, with: #""type":"text"},{"name":"n","type":"integer"}"#)
    source.swap(program(list(#"[1,"build",7]"#).replacing(Self.head, with: head) + "cat >/dev/null"))
    try recorder.wait("the second list") { $0.rows.count == 2 }
    let schemas = recorder.view.events.compactMap { if case .schema(let schema) = $0 { schema } else { nil } }
    #expect(schemas.map { $0.columns.map(\.name) } == [["name"], ["name", "n"]])
    #expect(recorder.view.rows.last?.cells == [.text("build"), .integer(7)])
    #expect(source.stop(within: .seconds(5)))
  }

  /// A request made for the former instance's columns arrives after the handover.
  @Test func `a request for former columns does not reach a new instance`() throws {
    let source = source()
    let wide = Self.head.replacing(
      #"{"name":"name","type":"text"}"#,
      with: #"{"name":"name","type":"text"},{"name":"x","type":"text"},{"name":"w","type":"text","deferred":true}"#)
    let narrow = Self.head.replacing(#""type":"text"}"#, with: #""type":"text","deferred":true}"#)
    let talks = "while read -r line; do echo \"$line\" >&2; done"
    try source.start(program(list(#"[1,"build","x",null]"#).replacing(Self.head, with: wide) + talks))
    try recorder.wait("the first list") { $0.rows.count == 1 }
    source.swap(program(list(#"[1,null]"#).replacing(Self.head, with: narrow) + talks))
    try recorder.wait("the second list") { $0.log.contains("the new instance has taken over") }
    let schemas = recorder.view.events.compactMap { if case .schema(let schema) = $0 { schema } else { nil } }
    #expect(schemas.map(\.columns.count) == [3, 1])
    let cell = DeferredCell(.integer(1), column: 2)
    source.send(.load([cell]), of: schemas[0])
    source.send(.load([DeferredCell(.integer(77), column: 0)]), of: schemas[0])
    source.send(.act(ActionRequest(id: 7, action: "end", key: nil, arguments: [])), of: schemas[0])
    source.send(.image(8, key: "k"), of: schemas[0])
    // Not even a request without a schema.
    source.send(.load([cell]))
    source.send(.load([DeferredCell(.integer(5), column: 0)]), of: schemas[1])
    try recorder.wait("the wish for its own columns") { $0.log.contains { $0.contains(#"[5,"name"]"#) } }
    try recorder.wait("the answers") { view in
      view.events.contains { if case .acted(7, .failed(.sourceDown, _)) = $0 { true } else { false } }
        && view.events.contains { if case .image(8, .sourceDown) = $0 { true } else { false } }
    }
    #expect(!recorder.view.log.contains { $0.contains("77") })
    #expect(source.stop(within: .seconds(5)))
  }

  @Test func `reports no row of an instance that exits within its list`() throws {
    let source = source()
    try source.start(program(list(#"[1,"build"]"#) + "cat >/dev/null"))
    try recorder.wait("the first list") { $0.rows.count == 1 }
    source.swap(
      program(
        Self.head
          + #"echo '{"type":"reload"}'; echo '{"type":"upsert","rows":[[7,"half"]]}'; read -r a; read -r b; exit 5"#))
    try recorder.wait("the reason") { $0.log.contains { $0.hasSuffix("exited with code 5") } }
    #expect(recorder.view.rows.count == 1)
    #expect(source.stop(within: .seconds(5)))
  }

  @Test func `a later swap replaces an instance that is still pending`() throws {
    let source = source()
    try source.start(program(list(#"[1,"first"]"#) + "cat >/dev/null"))
    try recorder.wait("the first list") { $0.rows.count == 1 }
    source.swap(program("exec cat >/dev/null"))
    source.swap(program(list(#"[1,"third"]"#) + "cat >/dev/null"))
    try recorder.wait("the third list") { $0.rows.count == 2 }
    #expect(recorder.view.rows.last?.cells == [.text("third")])
    #expect(source.stop(within: .seconds(5)))
  }
}
