import Testing

@testable import ListEngine

/// Tests of filters written as text in queries; `FilterTextTests` tests the language.
@Suite struct WrittenFilterTests {
  private static let columns = [
    Column("name", .text), Column("cpu", .number), Column("secret", .text, audience: .operators),
  ]

  private static func engine() throws -> Engine {
    var engine = Engine(epoch: "e")
    let table = try engine.addTable(Schema(name: "t", key: .integer, columns: columns), at: .zero)
    var rows = Changeset()
    rows.upsert(.integer(1), [.text("sshd"), .number(7), .text("red")])
    rows.upsert(.integer(2), [.text("ssh-agent"), .number(1), .text("blue")])
    rows.upsert(.integer(3), [.text("bash"), .number(9), .text("sshish")])
    engine.handle(.changes(table, rows), at: .zero)
    return engine
  }

  /// Returns the names of the rows that match a text.
  private static func names(
    _ text: String, isRestricted: Bool = false, filter: Filter<String>? = nil
  ) throws -> [String] {
    var engine = try engine()
    var query = QueryRequest(filter: filter)
    query.written = WrittenFilter(text)
    let id = try engine.beginExport(of: "t", query, isRestricted: isRestricted)
    while !engine.isReady(id) { _ = engine.advance(to: .zero) }
    guard case .rows(let rows) = engine.read(id, rows: 10) else { return [] }
    return rows.compactMap { if case .text(let name) = $0[0] { name } else { nil } }
  }

  @Test func `shows rows that match all of its terms`() throws {
    #expect(try Self.names("ssh") == ["sshd", "ssh-agent", "bash"])
    #expect(try Self.names("name:ssh cpu > 5") == ["sshd"])
    #expect(try Self.names("name ~ ^ssh or cpu >= 9") == ["sshd", "ssh-agent", "bash"])
    #expect(try Self.names("ssh -agent") == ["sshd", "bash"])
    #expect(try Self.names("name $= d") == ["sshd"])
  }

  @Test func `a filter text and a filter must both match`() throws {
    #expect(try Self.names("name:ssh", filter: .compare("cpu", .less, .number(5))) == ["ssh-agent"])
  }

  @Test func `ignores operator columns for restricted clients`() throws {
    #expect(try Self.names("ssh", isRestricted: true) == ["sshd", "ssh-agent"])
    #expect(throws: ClientError.self) { try Self.names("secret:red", isRestricted: true) }
  }

  @Test func `reports the place of a fault`() throws {
    let engine = try Self.engine()
    var query = QueryRequest()
    query.written = WrittenFilter("name:x nam:y")
    let schema = Schema(name: "t", key: .integer, columns: Self.columns)
    let fault = #expect(throws: QueryFault.self) { try engine.resolve(query, in: schema, isRestricted: false) }
    #expect(fault?.at == ["query.where"])
    #expect(
      fault?.error.reason == "query.where, character 8: there is no column “nam”: did you mean name?")
  }
}
