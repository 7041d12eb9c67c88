import ListEngine
import Testing

@testable import Server

/// Tests of columns for operators, over real sockets.
@Suite struct ColumnAudienceTests {
  private let keeper = AccessToken(role: .operator)
  private let guest = AccessToken(role: .viewer)

  private func server() throws -> (RunningServer, SourceInlet) {
    let server = try RunningServer { $0.tokens = [keeper, guest] }
    let inlet = server.control.addSource("jobs")
    inlet.report(
      .schema(
        Schema(
          name: "jobs", key: .integer,
          columns: [Column("name", .text), Column("secret", .text, audience: .operators)],
          actions: [Action("stop", arguments: [ActionArgument("why", .text, standard: .text("hunter3"))])])))
    var changes = Changeset()
    changes.upsert(.integer(1), [.text("backup"), .text("hunter2")])
    inlet.report(.changes(changes))
    inlet.report(.state(.live, message: ""))
    return (server, inlet)
  }

  private func client(_ token: AccessToken, _ server: RunningServer) throws -> (WebSocketClient, hello: [String: Any]) {
    let lines = WebSocketClient.upgrade(port: server.port, extra: ["Authorization: Bearer \(token.text)"])
    let client = try WebSocketClient(port: server.port, lines: lines)
    client.send(#"{"type":"hello","version":1}"#)
    return (client, try client.message("hello"))
  }

  private func columns(_ hello: [String: Any]) -> [String] {
    let tables = hello["tables"] as? [[String: Any]] ?? []
    return (tables.first?["columns"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
  }

  @Test func `viewers receive no operator columns`() throws {
    let (server, inlet) = try server()
    for (token, names) in [(guest, ["name"]), (keeper, ["name", "secret"])] {
      let (client, hello) = try client(token, server)
      // The table may be declared after the hello.
      let tables = columns(hello).isEmpty ? try client.message("tables") : hello
      #expect(columns(tables) == names)
      // The default value of an argument may be for operators, too.
      #expect("\(tables)".contains("hunter3") == (token == keeper))
      client.send(#"{"type":"open","table":"jobs","request":1,"query":{"search":"hunter"}}"#)
      let window = try client.message("window")
      #expect(window["total"] as? Int == (token == keeper ? 1 : 0), "\(window)")
      let headers = ["Authorization: Bearer \(token.text)"]
      let answer = try #require(try HTTPAnswer.get("/tables/jobs.csv", port: server.port, headers: headers))
      #expect(answer.status == 200)
      #expect(String(decoding: answer.body, as: UTF8.self).contains("hunter2") == (token == keeper))
      let sorted = try HTTPAnswer.get("/tables/jobs.csv?sort=secret", port: server.port, headers: headers)
      #expect(sorted?.status == (token == keeper ? 200 : 400))
    }
    withExtendedLifetime(inlet) {}
  }

  @Test func `a change of access closes the client's connection`() throws {
    let (server, inlet) = try server()
    let (client, hello) = try client(keeper, server)
    if columns(hello).isEmpty { _ = try client.message("tables") }
    client.send(#"{"type":"open","table":"jobs","request":1,"query":{}}"#)
    _ = try client.message("window")
    server.control.change(
      ServerChanges(tokens: [keeper, guest], isReadOnly: true, publicURLs: [], interval: .milliseconds(300)))
    #expect(client.closeCode() == 1008)
    withExtendedLifetime(inlet) {}
  }
}
