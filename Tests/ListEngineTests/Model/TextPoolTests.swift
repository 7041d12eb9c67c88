import ListTesting
import Testing

@testable import ListEngine

@Suite struct TextPoolTests {
  private func take(_ text: String, _ pool: TextPool) -> UInt32 {
    var text = text
    return text.withUTF8 { pool.take(UnsafeRawBufferPointer($0)) }
  }

  @Test func `stores a repeated text once and frees it with its last holder`() {
    let pool = TextPool(hasher: BytesHash(seed: 1))
    let first = take("one", pool)
    #expect(take("one", pool) == first)
    #expect(pool.count == 1)
    pool.release(first)
    #expect(pool.count == 1)
    pool.release(first)
    #expect(pool.count == 0)
  }

  @Test func `the generation distinguishes texts that reuse a number`() {
    let pool = TextPool(hasher: BytesHash(seed: 1))
    let first = take("one", pool)
    let generation = pool.generation(of: first)
    #expect(generation > 0)
    // The text stays the same while it has a holder.
    #expect(take("one", pool) == first && pool.generation(of: first) == generation)
    pool.release(first)
    pool.release(first)
    #expect(take("two", pool) == first)
    #expect(pool.generation(of: first) != generation)
  }

  @Test func `stops sharing when nearly all texts differ`() {
    let pool = TextPool(hasher: BytesHash(seed: 1))
    var numbers = (0..<20_000).map { take("unique \($0)", pool) }
    #expect(!pool.sharesRepeats)
    #expect(take("unique 3", pool) != numbers[3])
    for (place, number) in numbers.enumerated() {
      #expect(String(decoding: pool[number], as: UTF8.self) == "unique \(place)")
    }
    for number in numbers { pool.release(number) }
    numbers = (0..<10).map { take("again \($0)", pool) }
    pool.checkInvariants()
  }

  @Test func `keeps sharing texts that repeat`() {
    let pool = TextPool(hasher: BytesHash(seed: 1))
    for number in 0..<50_000 { _ = take("symbol \(number % 3000)", pool) }
    #expect(pool.sharesRepeats)
    #expect(pool.count == 3000)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `keeps held texts intact under churn`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pool = TextPool(hasher: BytesHash(seed: seed))
    var held: [(UInt32, String)] = []
    for round in 0..<4000 {
      let text = String(repeating: "\(random.number(0...300)) ", count: random.number(0...400))
      held.append((take(text, pool), text))
      if held.count > 200 {
        let (number, _) = held.remove(at: random.number(0...held.count - 1))
        pool.release(number)
      }
      guard round % 500 == 0 else { continue }
      pool.checkInvariants()
      for (number, text) in held { #expect(String(decoding: pool[number], as: UTF8.self) == text) }
    }
    for (number, text) in held { #expect(String(decoding: pool[number], as: UTF8.self) == text) }
  }
}
