import ListTesting
import Testing

@testable import ListEngine

@Suite struct TextSectionsTests {
  @Test(arguments: [0, 1, 0x9E37_79B9_7F4A_7C15, UInt64.max])
  func `finds the section of each text and parent, and no other`(seed: UInt64) {
    var sections = TextSections(seed: seed)
    var wanted: [UInt64: UInt32] = [:]
    var random = SeededGenerator(seed: 3)
    for number in 0..<UInt32(5000) {
      let (text, parent) = (UInt32(random.number(0...3000)), UInt32(random.number(0...40)))
      let pair = UInt64(parent) << 32 | UInt64(text)
      #expect(sections.section(of: text, in: parent) == wanted[pair])
      guard wanted[pair] == nil else { continue }
      sections.note(number, of: text, in: parent)
      wanted[pair] = number
    }
    for (pair, section) in wanted {
      #expect(sections.section(of: UInt32(truncatingIfNeeded: pair), in: UInt32(pair >> 32)) == section)
    }
    #expect(sections.section(of: 0, in: 41) == nil)
  }
}
