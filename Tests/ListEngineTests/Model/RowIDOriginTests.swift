import Testing

@testable import ListEngine

/// The start of row identifiers.
@Suite struct RowIDOriginTests {
  @Test func `a released lane continues with the next generation`() throws {
    var lanes = ResidualLanes(for: 2, after: [])
    let (one, other) = (lanes.take(), lanes.take())
    let (first, second) = (try #require(one), try #require(other))
    #expect(first.ids == RowIDOrigin(number: ResidualLanes.firstNumber, generation: 0))
    #expect(second.ids.number > first.ids.number && second.ids.generation == 0)
    lanes.leave(first.lane, newest: 6)
    let next = lanes.take()
    let third = try #require(next)
    #expect(third.ids == RowIDOrigin(number: first.ids.number, generation: 7))
    #expect(ResidualLanes(for: 2, after: lanes.generations).generations == lanes.generations)
  }

  @Test func `an exhausted lane is not taken`() {
    var lanes = ResidualLanes(for: 1, after: [Table.lastGeneration, 0])
    let (first, second) = (lanes.take(), lanes.take())
    #expect(first?.lane == 1 && second == nil)
  }

  @Test func `row ids start at the origin of their table`() {
    let table = Table(
      Harness.schema, limits: Limits(), seed: 1, ids: RowIDOrigin(number: 1 << 31, generation: 5))
    #expect(table.id(of: 3) == RowID(rawValue: 5 << 32 | 1 << 31 | 3))
    #expect(table.newestGeneration == 5)
    #expect(table.slot(of: RowID(rawValue: 3)) == nil)
  }
}
