import ListEngine
import Testing

@testable import Cluster

/// The keys of a split table, of which a table with retention keeps only the last.
@Suite struct PartKeysTests {
  private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test func `keys that were not named since a reading are taken`() {
    var keys = PartKeys()
    for key in 1...4 { keys.name(.integer(Int64(key)), at: .zero) }
    let reading = keys.clock
    keys.name(.integer(2), at: .zero)
    keys.touch(.integer(3))
    keys.touch(.integer(9))
    #expect(keys.isNamed(.integer(3), since: reading) && !keys.isNamed(.integer(9), since: reading))
    #expect(keys.takeUnnamed(since: reading) { $0 != .integer(4) } == [.integer(1)])
    #expect(keys.count == 3)
  }

  @Test func `a table of the last rows keeps at most four times as many keys`() {
    var keys = PartKeys()
    keys.follow(.last(3_000))
    for key in 1...Int64(50_000) {
      keys.name(.integer(key), at: .zero)
      #expect(keys.count <= 12_001)
    }
    // The rows that may still be there.
    for key in Int64(47_001)...50_000 { #expect(keys.isNamed(.integer(key), since: 0)) }
  }

  @Test func `keys of rows beyond the age of a table are forgotten`() {
    var keys = PartKeys()
    keys.follow(.recent(.seconds(10)))
    var greatest = 0
    for key in 1...Int64(100_000) {
      keys.name(.integer(key), at: Self.at(key / 100))
      greatest = max(greatest, keys.count)
    }
    for key in Int64(99_000)...100_000 { #expect(keys.isNamed(.integer(key), since: 0)) }
    #expect(greatest < 20_000)
  }

  @Test func `a table of all rows keeps all keys`() {
    var keys = PartKeys()
    for key in 1...Int64(20_000) { keys.name(.integer(key), at: Self.at(key)) }
    #expect(keys.count == 20_000)
  }
}
