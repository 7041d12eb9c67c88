import ListEngine
import ListTesting
import Testing
import Wire

/// Tests that rows and patches seen by many clients are encoded once.
@Suite struct SharingTests {
  /// An engine with a hundred rows, and clients with windows of ten rows that acknowledge each
  /// patch.
  private final class SharingClients {
    var engine = Engine(epoch: "test")
    var clock = ManualClock()
    let table: TableID
    /// The counters of the last flush.
    var counts = EncodingCounts()
    var replicas: [SessionID: Replica] = [:]

    init() throws {
      table = try engine.addTable(
        Schema(name: "t", key: .integer, columns: [Column("n", .integer), Column("name", .text)]), at: clock.now)
      change(0..<100, "row")
    }

    func change(_ rows: Range<Int>, _ name: String) {
      var changes = Changeset()
      for n in rows { changes.upsert(.integer(Int64(n)), [.integer(Int64(n)), .text("\(name) \(n)")]) }
      engine.handle(.changes(table, changes), at: clock.now)
    }

    func open(_ number: UInt64, first: Int = 0, query: QueryRequest = QueryRequest(), isFlushed: Bool = true) throws {
      let id = SessionID(rawValue: number)
      replicas[id] = Replica()
      engine.handle(
        .open(
          id, table: "t", request: 1, query: query,
          viewport: Viewport(first: first, count: 10, ahead: 0, behind: 0, stick: first == 0 ? .top : nil),
          interval: nil),
        at: clock.now)
      if isFlushed { try flush() }
    }

    /// Encodes, applies and acknowledges the patches that are due after a second.
    func flush() throws {
      clock.advance(by: .seconds(1))
      counts = EncodingCounts()
      for case .deliver(let id, let delivery) in engine.advance(to: clock.now) {
        var bytes: [UInt8] = []
        ServerMessage.delivery(delivery, epoch: "test").encode(to: &bytes, counting: &counts)
        try replicas[id]?.apply(delivery)
        engine.handle(.writable(id), at: clock.now)
        engine.handle(.acknowledge(id, sequence: delivery.sequence), at: clock.now)
      }
    }
  }

  @Test func `a row is encoded once for all windows that show it`() throws {
    let clients = try SharingClients()
    try clients.open(1)
    #expect(clients.counts.rows == 10 && clients.counts.sharedRows == 0)
    // Rows 5 to 9 were encoded before.
    try clients.open(2, first: 5)
    #expect(clients.counts.rows == 5 && clients.counts.sharedRows == 5)
    clients.change(7..<8, "another")
    try clients.flush()
    #expect(clients.counts.rows == 1 && clients.counts.sharedRows == 1)
    // A row with a new revision is encoded again.
    clients.change(7..<8, "a third")
    try clients.flush()
    #expect(clients.counts.rows == 1 && clients.counts.sharedRows == 1)
  }

  @Test func `clients opened at different times share from the second patch`() throws {
    let clients = try SharingClients()
    for number in 1...5 {
      // Changes elsewhere make each window that of another point in time.
      clients.change(90..<91, "before \(number)")
      try clients.flush()
      try clients.open(UInt64(number))
    }
    clients.change(3..<4, "first")
    try clients.flush()
    #expect(clients.counts.patches + clients.counts.sharedPatches == 5)
    clients.change(3..<4, "second")
    try clients.flush()
    #expect(clients.counts.patches == 1)
    #expect(clients.counts.sharedPatches == 4)
    #expect(clients.counts.rows == 1)
    let shown = clients.replicas.values.map(\.cells)
    #expect(shown.allSatisfy { $0 == shown[0] && $0[3][1] == .text("second 3") })
  }

  @Test func `clients opened together share patches at once`() throws {
    let clients = try SharingClients()
    for number in 1...5 { try clients.open(UInt64(number), isFlushed: false) }
    try clients.flush()
    #expect(clients.counts.patches == 1)
    #expect(clients.counts.sharedPatches == 4)
    clients.change(3..<4, "first")
    try clients.flush()
    #expect(clients.counts.patches == 1)
    #expect(clients.counts.sharedPatches == 4)
  }

  @Test func `different windows and queries share rows but no patches`() throws {
    let clients = try SharingClients()
    try clients.open(1)
    try clients.open(2, first: 1)
    try clients.open(3, query: QueryRequest(sort: [("n", false)]))
    clients.change(3..<4, "first")
    try clients.flush()
    #expect(clients.counts.patches == 3)
    #expect(clients.counts.sharedPatches == 0)
    #expect(clients.counts.rows == 1)
  }

  @Test func `clients with equal sections share patches`() throws {
    let clients = try SharingClients()
    let query = QueryRequest(group: ["name"])
    for number in 1...3 { try clients.open(UInt64(number), query: query) }
    for round in 0..<3 {
      clients.change(0..<2, "round \(round)")
      try clients.flush()
    }
    #expect(clients.counts.patches == 1)
    #expect(clients.counts.sharedPatches == 2)
  }
}
