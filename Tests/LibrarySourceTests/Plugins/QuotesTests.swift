import Foundation
import Quotes
import Testing

@Suite struct QuotesTests {
  @Test func `the hash function returns the workload's reference values`() {
    #expect(Quotes.h(1, 0) == 0x5e41_ab08_7439_611e)
    #expect(Quotes.h(2, 1) == 0xe06d_d043_328b_d285)
  }

  @Test func `row 0 equals the workload's reference row`() {
    let row = Quotes().row(0)
    #expect(row.id == 0)
    #expect(row.symbolText == "SYM04158")
    #expect(row.sectorText == "Sector-18")
    #expect(row.price == 82261.1636)
    #expect(row.size == 616)
    // The values are differences of doubles, equal to the printed ones up to the last printed
    // digit.
    #expect(abs(row.bid - 82261.1236) < 1e-9)
    #expect(abs(row.ask - 82261.2036) < 1e-9)
    #expect(row.milliseconds == 1_700_000_000_000)
    #expect(row.sideText == "SELL")
    #expect(row.noteText == "note-b5d8c8503fa207b1-01")
  }

  @Test func `texts equal those of String formatting`() {
    let quotes = Quotes()
    for index in stride(from: 0, to: 1_000_000, by: 9_973) {
      let row = quotes.row(index)
      let k = Quotes.h(1, UInt64(index)) % 10_000
      let x = Quotes.h(6, UInt64(index))
      #expect(row.symbolText == String(format: "SYM%05d", Int(k)))
      #expect(row.sectorText == String(format: "Sector-%02d", Int(k % 20)))
      #expect(row.noteText == String(format: "note-%016lx-%02d", Int(bitPattern: UInt(x)), Int(x % 100)))
      #expect(row.sideText == (Quotes.h(5, UInt64(index)) & 1 == 1 ? "SELL" : "BUY"))
      #expect(row.milliseconds == 1_700_000_000_000 + Int64(index))
    }
  }

  @Test func `changes follow the workload's formulas`() {
    for u in [0, 1, 999, 123_456_789] {
      let change = Quotes().update(u, of: 100_000)
      let counter = UInt64(u)
      let price = Double(Quotes.h(12, counter) % 1_000_000_000) / 10_000
      let spread = Double(1 + Quotes.h(14, counter) % 10) / 100
      #expect(change.id == Int(Quotes.h(11, counter) % 100_000))
      #expect(change.price == price)
      #expect(change.size == Int(1 + Quotes.h(13, counter) % 10_000))
      #expect(change.bid == price - spread)
      #expect(change.ask == price + spread)
      #expect(change.milliseconds == 1_700_010_000_000 + Int64(u))
    }
  }

  @Test func `rows differ between seeds and are equal for the same seed`() {
    #expect(Quotes(seed: 1).row(5).id == 5)
    #expect(Quotes(seed: 1).row(5) != Quotes().row(5))
    #expect(Quotes(seed: 1).row(5) == Quotes(seed: 1).row(5))
  }
}
