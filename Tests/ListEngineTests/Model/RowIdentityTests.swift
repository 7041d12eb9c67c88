import Testing

@testable import ListEngine

/// Design.md 3: row identifiers are never reused while the engine runs, and stay below 2^53,
/// because JavaScript numbers are doubles.
@Suite struct RowIdentityTests {
  private let table = Table(
    Schema(name: "numbers", key: .integer, columns: [Column("a", .integer)]), limits: Limits(), seed: 1)

  /// Inserts a row, deletes it again if `andGo` is true, and returns its identifier.
  private func come(_ key: Int64, andGo: Bool = true) throws -> RowID {
    var changes = Changeset()
    changes.upsert(.integer(key), [.integer(1)])
    table.apply(changes)
    let id = table.id(of: try #require(table.slot(of: .integer(key))))
    guard andGo else { return id }
    changes = Changeset()
    changes.delete(.integer(key))
    table.apply(changes)
    table.forgetChanges(before: table.log.end)
    return id
  }

  @Test func `a reused slot gives another id`() throws {
    #expect(try come(1).rawValue == 0)
    #expect(try come(1).rawValue == 1 << 32)
    #expect(try come(2).rawValue == 2 << 32)
  }

  @Test func `a slot is retired after two million uses`() throws {
    _ = try come(1)
    // Simulate this many insertions and deletions.
    let uses: UInt32 = 1 << 21
    table.generations.grow(to: 1)
    table.generations[0] = uses - 4
    #expect(try come(1).rawValue == UInt64(uses - 3) << 32)
    #expect(try come(1).rawValue == UInt64(uses - 2) << 32)
    // The last generation is reserved for rows that are not loaded, so the next slot is used.
    #expect(try come(1).rawValue == 1)
    #expect(try come(1).rawValue == 1 << 32 | 1)
    #expect(UInt64(uses - 2) << 32 | UInt64(UInt32.max) < 1 << 53)
  }
}
