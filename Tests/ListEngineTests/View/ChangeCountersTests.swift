import ListTesting
import Testing

@testable import ListEngine

@Suite struct ChangeCountersTests {
  @Test func `counts a row once however often it is touched`() {
    let counters = ChangeCounters()
    let moment = counters.open()
    for slot: UInt32 in [4, 4, 7, 4] { counters.note(slot) }
    #expect(counters.count(since: moment) == 2)
  }

  @Test func `does not count touches before a moment`() {
    let counters = ChangeCounters()
    let first = counters.open()
    counters.note(1)
    counters.note(2)
    let second = counters.open()
    #expect(counters.count(since: second) == 0)
    counters.note(2)
    counters.note(3)
    #expect(counters.count(since: first) == 3)
    #expect(counters.count(since: second) == 2)
  }

  @Test func `moments opened together are equal and close separately`() {
    let counters = ChangeCounters()
    let first = counters.open()
    let second = counters.open()
    #expect(first == second)
    counters.note(1)
    counters.close(first)
    #expect(counters.count(since: second) == 1)
    counters.close(second)
    #expect(counters.isEmpty)
  }

  @Test func `closing a moment keeps the counts of the others`() {
    let counters = ChangeCounters()
    let first = counters.open()
    counters.note(1)
    let second = counters.open()
    counters.note(2)
    let third = counters.open()
    counters.note(3)
    counters.close(second)
    #expect(counters.count(since: first) == 3)
    #expect(counters.count(since: third) == 1)
    counters.close(third)
    counters.note(4)
    #expect(counters.count(since: first) == 4)
    counters.close(first)
    #expect(counters.isEmpty)
  }

  @Test func `another row in a forgotten slot counts separately`() {
    let counters = ChangeCounters()
    let moment = counters.open()
    counters.note(1)
    counters.forget(1)
    counters.forget(1_000_000)
    counters.note(1)
    #expect(counters.count(since: moment) == 2)
  }

  @Test func `counts random touches the same as sets of rows do`() {
    for seed: UInt64 in 1...50 {
      var random = SeededGenerator(seed: seed)
      let counters = ChangeCounters()
      var rows: [(moment: ChangeCounters.Moment, rows: Set<UInt32>)] = []
      for _ in 0..<400 {
        switch random.number(1...10) {
        case 1: rows.append((counters.open(), []))
        case 2:
          guard !rows.isEmpty else { continue }
          counters.close(rows.remove(at: random.number(0...rows.count - 1)).moment)
        default:
          let slot = UInt32(random.number(0...20))
          guard !rows.isEmpty else { continue }
          counters.note(slot)
          for index in rows.indices { rows[index].rows.insert(slot) }
        }
        for (moment, rows) in rows {
          #expect(counters.count(since: moment) == rows.count, "seed \(seed)")
        }
      }
    }
  }
}
