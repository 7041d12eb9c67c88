import ListTesting
import Testing

@testable import ListEngine

@Suite struct TextSearchTests {
  private func isFound(_ search: TextSearch, _ text: String) -> Bool {
    var text = text
    return text.withUTF8 { search.isIn(UnsafeRawBufferPointer($0)) }
  }

  private func begins(_ search: TextSearch, _ text: String) -> Bool {
    var text = text
    return text.withUTF8 { search.begins(UnsafeRawBufferPointer($0)) }
  }

  private static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.lowercased().utf8), Array(part.lowercased().utf8))
    guard part.count <= text.count else { return false }
    return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `agrees with a comparison of lowercased UTF-8 bytes`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Few characters, so that matches are frequent; characters that look like letters when a bit is
    // set; scalars with a longer lower case.
    let plain = Array("aAbB@`[{ ").map(String.init)
    let letters = random.oneIn(2) ? plain : plain + ["ä", "Ä", "ß", "İ", "K", "Σ", "ς", "日", "😀", "e\u{301}", "ﬁ", "Ⱥ"]
    func text(_ length: ClosedRange<Int>) -> String {
      (0..<random.number(length)).map { _ in random.pick(letters) }.joined()
    }
    for _ in 0..<2_000 {
      let part = text(0...5)
      let search = TextSearch(part)
      let whole = random.oneIn(3) ? text(0...20) + part.uppercased() + text(0...20) : text(0...40)
      #expect(isFound(search, whole) == Self.contains(whole, part), "“\(part)” in “\(whole)”")
      let head = random.oneIn(2) ? part.uppercased() + text(0...9) : whole
      #expect(
        begins(search, head) == head.lowercased().utf8.starts(with: part.lowercased().utf8),
        "“\(part)” begins “\(head)”")
    }
  }

  @Test func `finds a text at every offset`() {
    for length in 1...40 {
      for place in 0..<length {
        for needle in ["q", "qz", "qzx"] where place + needle.count <= length {
          let text =
            String(repeating: "q", count: place) + needle + String(repeating: ".", count: length - place - needle.count)
          #expect(isFound(TextSearch(needle), text))
          #expect(!isFound(TextSearch(needle + "!"), text))
        }
      }
    }
  }
}
