import Foundation
import ListEngine
import Testing
import Threads

@testable import Server

/// Tests of action requests over real sockets.
@Suite struct ActionTests {
  private static let schema = Schema(
    name: "jobs", key: .text, columns: [Column("name", .text)],
    actions: [
      Action(
        "stop", isDangerous: true, arguments: [ActionArgument("grace", .integer, standard: .integer(5), minimum: 0)]),
      Action("clear", appliesToRows: false, patience: .milliseconds(50)),
    ])

  /// A source that records the requests it receives, and answers them on request of the test.
  private final class Worker: Sendable {
    let inlet: SourceInlet
    let requests = Guarded<[ActionRequest]>([])

    init(_ server: RunningServer, name: String = "jobs", listens: Bool = true) {
      inlet = server.control.addSource(name)
      var schema = ActionTests.schema
      schema.name = name
      inlet.report(.schema(schema))
      var changes = Changeset()
      for name in ["build", "test"] { changes.upsert(.text(name), [.text(name)]) }
      inlet.report(.changes(changes))
      inlet.report(.state(.live, message: ""))
      guard listens else { return }
      inlet.listen { [weak self] request in
        if case .act(let request) = request { self?.requests.withLock { $0.append(request) } }
      }
    }

    /// The requests received so far, as texts.
    var log: [String] {
      requests.withLock {
        $0.map { request in
          let arguments = request.arguments.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
          return "\(request.action) \(request.key.map { "\($0)" } ?? "-") \(arguments)"
        }
      }
    }

    func answer(_ place: Int, _ outcome: ActionOutcome) {
      inlet.report(.acted(requests.withLock { $0[place].id }, outcome))
    }
  }

  /// Opens a table; returns the client, its session token, and the row IDs by the first cell.
  private func open(_ server: RunningServer, table: String = "jobs") throws -> (WebSocketClient, String, [String: Int])
  {
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    let session = try #require(try client.message("hello")["session"] as? String)
    client.send(#"{"type":"open","table":"\#(table)","request":1}"#)
    let window = try client.message("window")
    var ids: [String: Int] = [:]
    for item in window["items"] as? [[Any]] ?? [] {
      if let cells = item[2] as? [String], let id = item[0] as? Int { ids[cells[0]] = id }
    }
    return (client, session, ids)
  }

  private func failure(_ message: [String: Any]) -> String? { (message["error"] as? [String: Any])?["code"] as? String }

  @Test func `sends each request to the source once and returns its answer`() throws {
    let server = try RunningServer()
    let worker = Worker(server)
    let (client, _, ids) = try open(server)
    let act =
      #"{"type":"act","id":7,"table":"jobs","action":"stop","row":\#(try #require(ids["test"])),"arguments":{"grace":9}}"#
    client.send(act)
    // The first request is still pending.
    client.send(act)
    client.send(#"{"type":"act","id":8,"table":"jobs","action":"stop","row":\#(try #require(ids["build"]))}"#)
    client.send(
      #"{"type":"act","id":8,"table":"jobs","action":"stop","row":\#(ids["build"]!),"arguments":{"grace":-1}}"#)
    client.send(
      #"{"type":"act","id":9,"table":"jobs","action":"stop","row":\#(ids["build"]!),"arguments":{"grace":-1}}"#)
    // This answer does not need the source, so all earlier messages were handled before it.
    let refused = try client.message("acted")
    #expect(refused["id"] as? Int == 9 && failure(refused) == "badArgument")
    #expect(worker.log == ["stop test grace=integer(9)", "stop build grace=integer(5)"])
    worker.answer(1, .failed(.failed, "it will not"))
    let second = try client.message("acted")
    #expect(second["id"] as? Int == 8 && failure(second) == "failed")
    worker.answer(0, .done("stopped"))
    let first = try client.message("acted")
    #expect(first["id"] as? Int == 7 && first["result"] as? String == "stopped" && first["session"] == nil)
    // The first request was answered.
    client.send(act)
    #expect(try client.message("acted")["result"] as? String == "stopped")
    client.send(#"{"type":"act","id":3,"table":"jobs","action":"clear"}"#)
    #expect(failure(try client.message("acted")) == "forgotten")
    #expect(worker.log.count == 2)
  }

  @Test func `equal request IDs of two clients become distinct requests`() throws {
    let server = try RunningServer()
    let worker = Worker(server)
    let (one, _, ids) = try open(server)
    let (two, _, _) = try open(server)
    let act = #"{"type":"act","id":7,"table":"jobs","action":"stop","row":\#(try #require(ids["test"]))}"#
    one.send(act)
    two.send(act)
    // Each answer shows that the client's earlier requests were handled.
    for client in [one, two] {
      client.send(#"{"type":"act","id":8,"table":"jobs","action":"stop","row":999}"#)
      #expect(failure(try client.message("acted")) == "rowGone")
    }
    #expect(worker.requests.withLock { Set($0.map(\.id)).count } == 2)
    worker.answer(0, .done("first"))
    worker.answer(1, .done("second"))
    let results = [try one.message("acted"), try two.message("acted")].compactMap { $0["result"] as? String }
    #expect(Set(results) == ["first", "second"])
  }

  @Test func `a reconnected client receives the answer to its request`() throws {
    let server = try RunningServer()
    let worker = Worker(server)
    var (client, session, ids): (WebSocketClient?, String, [String: Int]) = try open(server)
    client?.send(#"{"type":"act","id":7,"table":"jobs","action":"stop","row":\#(try #require(ids["test"]))}"#)
    client?.send(#"{"type":"act","id":8,"table":"jobs","action":"stop","row":999}"#)
    _ = try client?.message("acted")
    client = nil
    let (again, _, _) = try open(server)
    again.send(#"{"type":"act","id":7,"session":"\#(session)","table":"jobs","action":"stop","row":999}"#)
    again.send(#"{"type":"act","id":8,"session":"\#(session)","table":"jobs","action":"stop","row":999}"#)
    let known = try again.message("acted")
    #expect(known["id"] as? Int == 8 && known["session"] as? String == session && failure(known) == "rowGone")
    worker.answer(0, .done("stopped"))
    let answer = try again.message("acted")
    #expect(answer["id"] as? Int == 7 && answer["session"] as? String == session)
    #expect(answer["result"] as? String == "stopped")
    for (id, session) in [(9, session), (7, "9d41c0de")] {
      again.send(#"{"type":"act","id":\#(id),"session":"\#(session)","table":"jobs","action":"clear"}"#)
      #expect(failure(try again.message("acted")) == "forgotten")
    }
    #expect(worker.log.count == 1)
  }

  @Test func `an unanswered action fails, and a late answer is ignored`() throws {
    let server = try RunningServer()
    let worker = Worker(server)
    let (client, _, _) = try open(server)
    client.send(#"{"type":"act","id":1,"table":"jobs","action":"clear"}"#)
    #expect(failure(try client.message("acted")) == "unanswered")
    #expect(worker.log == ["clear - "])
    worker.answer(0, .done("too late"))
    client.send(#"{"type":"act","id":1,"table":"jobs","action":"clear"}"#)
    #expect(failure(try client.message("acted")) == "unanswered")
  }

  @Test func `fails with sourceDown if the source accepts no requests`() throws {
    let server = try RunningServer()
    _ = Worker(server, listens: false)
    let (client, _, ids) = try open(server)
    client.send(#"{"type":"act","id":1,"table":"jobs","action":"stop","row":\#(try #require(ids["test"]))}"#)
    #expect(failure(try client.message("acted")) == "sourceDown")
  }

  @Test func `limits a client to 16 pending actions`() throws {
    let server = try RunningServer()
    let worker = Worker(server)
    let (client, _, ids) = try open(server)
    for id in 1...17 {
      client.send(#"{"type":"act","id":\#(id),"table":"jobs","action":"stop","row":\#(try #require(ids["test"]))}"#)
    }
    let refused = try client.message("acted")
    #expect(refused["id"] as? Int == 17 && failure(refused) == "busy")
    #expect(worker.log.count == 16)
    worker.answer(3, .done(""))
    #expect(try client.message("acted")["id"] as? Int == 4)
    client.send(#"{"type":"act","id":18,"table":"jobs","action":"stop","row":\#(ids["test"]!)}"#)
    client.send(#"{"type":"act","id":19,"table":"jobs","action":"stop","row":\#(ids["test"]!)}"#)
    #expect(try client.message("acted")["id"] as? Int == 19)
    #expect(worker.log.count == 17)
  }

  @Test func `limits a source to 64 pending actions`() throws {
    let server = try RunningServer()
    let worker = Worker(server)
    var clients: [WebSocketClient] = []
    for _ in 0..<5 {
      let (client, _, ids) = try open(server)
      clients.append(client)
      let count = clients.count == 5 ? 1 : 16
      for id in 1...count {
        client.send(#"{"type":"act","id":\#(id),"table":"jobs","action":"stop","row":\#(try #require(ids["test"]))}"#)
      }
      // This is answered immediately, after the earlier requests were handled.
      if count == 16 {
        client.send(#"{"type":"act","id":17,"table":"jobs","action":"stop","row":999}"#)
        #expect(failure(try client.message("acted")) == "rowGone")
      }
    }
    #expect(failure(try #require(clients.last).message("acted")) == "busy")
    #expect(worker.log.count == 64)
  }

  @Test(arguments: [
    (#""table":"nothing","action":"stop","row":1"#, "unknownTable"),
    (#""table":"jobs","action":"nothing","row":1"#, "unknownAction"),
    (#""table":"jobs","action":"stop""#, "unreadableMessage"),
    (#""table":"jobs","action":"clear","row":1"#, "unreadableMessage"),
    (#""table":"others","action":"stop","row":1"#, "unexpectedMessage"),
  ]) func `an invalid action closes the connection with an error`(_ members: String, _ code: String) throws {
    let server = try RunningServer()
    let worker = Worker(server)
    let others = Worker(server, name: "others")
    let (client, _, _) = try open(server)
    client.send(#"{"type":"act","id":1,\#(members)}"#)
    let refusal = try client.refusal()
    #expect(refusal.error == code && refusal.close == 1008)
    #expect(worker.log.isEmpty && others.log.isEmpty)
  }

  @Test func `hello lists the actions, which need no open table`() throws {
    let server = try RunningServer()
    let worker = Worker(server)
    _ = try open(server)
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1}"#)
    let tables = try #require(try client.message("hello")["tables"] as? [[String: Any]])
    let actions = try #require(tables[0]["actions"] as? [[String: Any]])
    #expect(actions.compactMap { $0["name"] as? String } == ["stop", "clear"])
    #expect(actions.compactMap { $0["danger"] as? Bool } == [true, false])
    #expect(actions.compactMap { $0["rows"] as? Bool } == [true, false])
    // This request requires no open table.
    client.send(#"{"type":"act","id":1,"table":"jobs","action":"clear"}"#)
    #expect(failure(try client.message("acted")) == "unanswered")
    #expect(worker.log == ["clear - "])
  }
}
