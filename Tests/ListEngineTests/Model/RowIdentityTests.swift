import Testing

@testable import ListEngine

/// Design.md 3: a row's id is never used again while the engine runs, and stays below 2^53, as numbers of a page are doubles.
@Suite struct RowIdentityTests {
  private let table = Table(
    Schema(name: "numbers", key: .integer, columns: [Column("a", .integer)]), limits: Limits(), seed: 1)

  /// Puts a row in, and takes it out again if it is not to stay; the result is its id.
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

  @Test func aSlotThatIsUsedAgainGivesAnotherID() throws {
    #expect(try come(1).rawValue == 0)
    #expect(try come(1).rawValue == 1 << 32)
    #expect(try come(2).rawValue == 2 << 32)
  }

  @Test func aSlotIsUsedTwoMillionTimesAndThenNeverAgain() throws {
    _ = try come(1)
    // As if so many rows had come and gone.
    let uses: UInt32 = 1 << 21
    table.generations.grow(to: 1)
    table.generations[0] = uses - 4
    #expect(try come(1).rawValue == UInt64(uses - 3) << 32)
    #expect(try come(1).rawValue == UInt64(uses - 2) << 32)
    // The last generation is left to rows that are not there; the next slot begins.
    #expect(try come(1).rawValue == 1)
    #expect(try come(1).rawValue == 1 << 32 | 1)
    #expect(UInt64(uses - 2) << 32 | UInt64(UInt32.max) < 1 << 53)
  }
}
