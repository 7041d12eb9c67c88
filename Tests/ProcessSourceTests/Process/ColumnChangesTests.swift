import ListEngine
import Testing

@testable import ProcessSource

@Suite struct ColumnChangesTests {
  private func at(_ seconds: Int) -> Instant { .zero.advanced(by: .seconds(seconds)) }

  @Test func `accepts as many changes as its limit in a period`() {
    var changes = ColumnChanges(most: 2, within: .seconds(600))
    #expect(changes.refusal(at: at(0)) == nil)
    changes.note(at: at(0))
    #expect(changes.refusal(at: at(0)) == nil)
    changes.note(at: at(10))
    #expect(
      changes.refusal(at: at(599))
        == "its columns have changed 2 times in 10 minutes: declare the same ones at each start, then restart the source"
    )
    #expect(changes.refusal(at: at(600)) == nil, "the first change is too old")
    changes.note(at: at(600))
    #expect(changes.refusal(at: at(609)) != nil)
    #expect(changes.refusal(at: at(610)) == nil)
  }
}
