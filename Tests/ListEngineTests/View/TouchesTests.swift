import ListTesting
import Testing

@testable import ListEngine

@Suite struct TouchesTests {
  @Test func `counts a row once however often it is touched`() {
    let touches = Touches()
    let moment = touches.open()
    for slot: UInt32 in [4, 4, 7, 4] { touches.note(slot) }
    #expect(touches.count(since: moment) == 2)
  }

  @Test func `does not count touches before a moment`() {
    let touches = Touches()
    let first = touches.open()
    touches.note(1)
    touches.note(2)
    let second = touches.open()
    #expect(touches.count(since: second) == 0)
    touches.note(2)
    touches.note(3)
    #expect(touches.count(since: first) == 3)
    #expect(touches.count(since: second) == 2)
  }

  @Test func `moments opened together are equal and close separately`() {
    let touches = Touches()
    let first = touches.open()
    let second = touches.open()
    #expect(first == second)
    touches.note(1)
    touches.close(first)
    #expect(touches.count(since: second) == 1)
    touches.close(second)
    #expect(touches.isEmpty)
  }

  @Test func `closing a moment keeps the counts of the others`() {
    let touches = Touches()
    let first = touches.open()
    touches.note(1)
    let second = touches.open()
    touches.note(2)
    let third = touches.open()
    touches.note(3)
    touches.close(second)
    #expect(touches.count(since: first) == 3)
    #expect(touches.count(since: third) == 1)
    touches.close(third)
    touches.note(4)
    #expect(touches.count(since: first) == 4)
    touches.close(first)
    #expect(touches.isEmpty)
  }

  @Test func `another row in a forgotten slot counts separately`() {
    let touches = Touches()
    let moment = touches.open()
    touches.note(1)
    touches.forget(1)
    touches.forget(1_000_000)
    touches.note(1)
    #expect(touches.count(since: moment) == 2)
  }

  @Test func `counts random touches the same as sets of rows do`() {
    for seed: UInt64 in 1...50 {
      var random = SeededGenerator(seed: seed)
      let touches = Touches()
      var rows: [(moment: Touches.Moment, rows: Set<UInt32>)] = []
      for _ in 0..<400 {
        switch random.number(1...10) {
        case 1: rows.append((touches.open(), []))
        case 2:
          guard !rows.isEmpty else { continue }
          touches.close(rows.remove(at: random.number(0...rows.count - 1)).moment)
        default:
          let slot = UInt32(random.number(0...20))
          guard !rows.isEmpty else { continue }
          touches.note(slot)
          for index in rows.indices { rows[index].rows.insert(slot) }
        }
        for (moment, rows) in rows {
          #expect(touches.count(since: moment) == rows.count, "seed \(seed)")
        }
      }
    }
  }
}
