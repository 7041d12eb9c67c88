import ListTesting
import Testing

@testable import ListEngine

@Suite struct PatternTests {
  private func matcher(_ pattern: String, ignoringCase: Bool = false) throws -> PatternMatcher {
    PatternMatcher(try Pattern(pattern, ignoringCase: ignoringCase))
  }

  private func isFound(_ matcher: PatternMatcher, _ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matcher.matches(UnsafeRawBufferPointer($0), until: .max)! }
  }

  private func problem(_ pattern: String) -> Pattern.Problem? {
    do throws(Pattern.Problem) {
      _ = try Pattern(pattern, ignoringCase: false)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Syntax

  /// A pattern, texts that match, and texts that do not match.
  private static let examples: [(String, [String], [String])] = [
    ("", ["", "a"], []), ("abc", ["abc", "xabcx"], ["ab", "", "aXbc"]), ("^abc$", ["abc"], ["xabc", "abcx"]),
    ("^", ["", "a"], []), ("$", ["", "a"], []), ("^$", [""], ["a"]), ("$^", [""], ["a"]), ("a^b", [], ["ab", "a^b"]),
    ("a|b", ["a", "xb"], ["c", ""]), ("^(a|b)$", ["a", "b"], ["ab"]), ("a|", ["", "x"], []), ("(|a)b", ["b"], ["a"]),
    ("^a|b$", ["ax", "xb"], ["xa", "bx"]), ("(^a|b)c", ["ac", "xbc"], ["xac"]), ("a($|b)", ["xa", "abx"], ["ac"]),
    ("^a*$", ["", "aaa"], ["ab"]), ("^a+$", ["a", "aa"], ["", "b"]), ("^a?$", ["", "a"], ["aa"]),
    ("^a{2}$", ["aa"], ["a", "aaa"]), ("^a{2,}$", ["aa", "aaaa"], ["a"]), ("^a{1,3}$", ["a", "aaa"], ["", "aaaa"]),
    ("^a{0}$", [""], ["a"]), ("^(ab){2}$", ["abab"], ["ab", "aabb"]), ("^a*?b+?$", ["aab", "b"], ["a"]),
    ("^(?:ab|c)+$", ["abcab"], ["", "abx"]), ("^(a*)*$", ["", "aaa"], ["b"]), ("^(a|b*)*c$", ["abbac", "c"], ["ab"]),
    ("^.$", ["a", "é", "日", "😀"], ["", "\n", "\r", "\u{2028}", "ab", "e\u{301}"]),
    ("^[abc]$", ["a", "c"], ["d", ""]), ("^[a-cx]$", ["b", "x"], ["d", "-"]),
    ("^[^a-c]$", ["d", "\n", "é"], ["a", ""]),
    ("^[-a]$", ["-", "a"], ["b"]), ("^[a-]$", ["-", "a"], ["b"]), ("^[\\]\\\\]$", ["]", "\\"], ["["]),
    ("[]", [], ["", "a"]),
    ("^[^]$", ["a", "\n"], [""]), ("^[à-ü]$", ["é"], ["e", "z"]), ("^[a^]$", ["^", "a"], ["b"]),
    ("^\\d$", ["0", "9"], ["a", "٣", ""]), ("^\\D$", ["a", "٣"], ["5"]), ("^\\w$", ["a", "Z", "_", "5"], ["-", "é"]),
    ("^\\W$", ["-", "é"], ["a", "_"]),
    ("^\\s$", [" ", "\t", "\n", "\u{A0}", "\u{3000}", "\u{FEFF}"], ["a", "\u{200B}"]),
    ("^\\S$", ["a"], [" ", "\u{A0}"]), ("^[\\d\\s]$", ["5", " "], ["a"]), ("^[^\\d]$", ["a"], ["5"]),
    ("^[\\D]$", ["a"], ["5"]), ("^[\\W\\d]$", ["5", "-"], ["a"]),
    ("^[\\w.-]+@x\\.org$", ["a.b-c@x.org"], ["a@xyorg", "@x.org"]),
    ("^\\^\\$\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/\\-$", ["^$.*+?()[]{}|/-"], [""]),
    ("^\\t\\n\\v\\f\\r$", ["\t\n\u{B}\u{C}\r"], ["tnvfr"]), ("^\\x41\\u00e9\\u{1F600}$", ["Aé😀"], ["x41"]),
    ("日本|é+", ["日本語", "éé"], ["日", "e"]),
  ]

  @Test(arguments: examples.indices) func `supports the syntax that the protocol specifies`(_ index: Int) throws {
    let (pattern, found, other) = Self.examples[index]
    let matcher = try matcher(pattern)
    // Match twice, because cached results must be as correct as fresh ones.
    for _ in 1...2 {
      for text in found { #expect(isFound(matcher, text), "\(pattern) in \(text.debugDescription)") }
      for text in other { #expect(!isFound(matcher, text), "\(pattern) not in \(text.debugDescription)") }
    }
  }

  @Test func `ignores case on request, also beyond ASCII`() throws {
    for (pattern, found, other) in [
      ("^root$", ["root", "ROOT", "Root"], ["r00t"]), ("^[a-c]$", ["B"], ["D"]), ("^[^a-c]$", ["d"], ["B", "b"]),
      ("^É$", ["é", "É"], ["e"]), ("^[à-ü]$", ["É"], []), ("^σ$", ["Σ"], []), ("^k$", ["K", "\u{212A}"], []),
      ("^\u{212A}$", ["k", "K"], []), ("^\\x41$", ["a"], []),
    ] as [(String, [String], [String])] {
      let matcher = try matcher(pattern, ignoringCase: true)
      for text in found { #expect(isFound(matcher, text), "\(pattern) in \(text)") }
      for text in other { #expect(!isFound(matcher, text), "\(pattern) not in \(text)") }
    }
    #expect(!isFound(try matcher("root"), "ROOT"))
  }

  @Test func `refuses an invalid pattern with the character at fault`() {
    for (pattern, what, character) in [
      ("(ab", "a group that does not end", 1), ("ab)", "a ) without its (", 3), ("*a", "nothing to repeat", 1),
      ("a**", "nothing to repeat", 3), ("^*", "nothing to repeat", 2), ("a|+", "nothing to repeat", 3),
      ("[ab", "a list of characters that does not end", 1), ("[a", "a list of characters that does not end", 1),
      ("[z-a]", "a range whose ends are no characters in order", 2),
      ("[a-\\d]", "a range whose ends are no characters in order", 2), ("a]", "a ] without a \\ before it", 2),
      ("}", "a } without a \\ before it", 1), ("a{", "a repetition that is not {m}, {m,} or {m,n}", 3),
      ("a{x}", "a repetition that is not {m}, {m,} or {m,n}", 3),
      ("a{1", "a repetition that is not {m}, {m,} or {m,n}", 2),
      ("a{3,2}", "a repetition whose bounds are in the wrong order", 2),
      ("a{99999999999999999999}", "a repetition of more than 1000 times", 3), ("\\", "a \\ with nothing after it", 1),
      ("\\q", "no such escape", 1), ("\\b", "no such escape", 1), ("\\p{L}", "no such escape", 1),
      ("\\x4", "no such escape", 1),
      ("\\u{110000}", "no such escape", 1), ("\\ud800", "no such escape", 1), ("\\u{41", "no such escape", 1),
      ("(a)\\1", "a back reference, which is not supported,", 4), ("(?=a)", "a kind of group that is not supported", 1),
      ("(?<n>a)", "a kind of group that is not supported", 1),
    ] {
      #expect(problem(pattern) == .init(what: what, character: character), "\(pattern)")
    }
  }

  // MARK: Hostile patterns

  @Test func `refuses patterns that expand too far or nest too deeply`() {
    #expect(problem("(abc){100}") == nil)
    for pattern in ["a{1000}", "(a{100}){100}", "((((a{9}){9}){9}){9}){9}", "(((){1000}){1000}){1000}", "(a?){999}"] {
      #expect(
        problem(pattern)?.what == "it is too large: with its repetitions it has more than 1000 parts", "\(pattern)")
    }
    let deep = String(repeating: "(", count: 51) + String(repeating: ")", count: 51)
    #expect(problem(deep)?.what == "groups are nested too deeply")
    #expect(problem(String(repeating: "(", count: 1000))?.what == "groups are nested too deeply")
    #expect(problem(String(deep.dropFirst().dropLast())) == nil)
  }

  @Test(arguments: [
    "(a*)*b", "(a|a)*b", "(a+)+$b", "(a|aa)+b", "(.*)(.*)(.*)(.*)b", "a*a*a*a*a*a*a*a*b", "(a?){30}a{30}b",
  ])
  func `takes one step per byte once its states are cached`(_ pattern: String) throws {
    let matcher = try matcher(pattern)
    let size = try Pattern(pattern, ignoringCase: false).instructions.count
    func steps(_ length: Int) -> Int {
      let before = matcher.steps
      #expect(!isFound(matcher, String(repeating: "a", count: length)))
      return matcher.steps - before
    }
    // The first text pays for filling the cache: at most a look at each instruction for each byte.
    #expect(steps(1_000) <= 1_000 * (size * 4 + 1))
    #expect(steps(10_000) == 10_000)
    #expect(steps(100_000) == 100_000)
  }

  @Test func `stays linear with more state sets than are cached`() throws {
    // This matches an a fourteen characters before the end: 2^14 state sets, far more than are
    // cached.
    let pattern = "^(a|b)*a(a|b){14}$"
    let matcher = try matcher(pattern)
    let size = try Pattern(pattern, ignoringCase: false).instructions.count
    var random = SeededGenerator(seed: 3)
    for length in [1_000, 10_000, 50_000] {
      let text = String(
        decoding: (0..<length).map { _ in random.oneIn(2) ? UInt8(ascii: "a") : UInt8(ascii: "b") }, as: UTF8.self)
      let before = matcher.steps
      #expect(isFound(matcher, text) == (text.utf8.dropLast(14).last == UInt8(ascii: "a")))
      #expect(matcher.steps - before <= length * size * 6)
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `agrees with Swift's Regex on random patterns`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func pattern(_ depth: Int) -> String {
      let atom = { random.pick(["a", "b", "é", ".", "[ab]", "[^a]", "\\d", "\\w", "[b-é]", "\\S", "x", "1"]) }
      guard depth > 0 else { return atom() }
      switch random.number(1...7) {
      case 1: return pattern(depth - 1) + pattern(depth - 1)
      case 2: return "(" + pattern(depth - 1) + "|" + pattern(depth - 1) + ")"
      case 3:
        return "(" + pattern(depth - 1) + ")" + random.pick(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "*?", "{2,}"])
      case 4: return "^" + pattern(depth - 1)
      case 5: return pattern(depth - 1) + "$"
      case 6: return "(?:" + pattern(depth - 1) + "|)"
      default: return atom() + pattern(depth - 1)
      }
    }
    for _ in 0..<20 {
      let pattern = pattern(random.number(1...5))
      let ignoringCase = random.oneIn(2)
      let matcher = try matcher(pattern, ignoringCase: ignoringCase)
      // Spelled out, because Swift's `\d` and `\w` cover all of Unicode, and their ASCII kind
      // misses those before other scalars.
      let written = pattern.replacing("\\d", with: "[0-9]").replacing("\\w", with: "[A-Za-z0-9_]")
      let regex = try Regex(written).matchingSemantics(.unicodeScalar).ignoresCase(ignoringCase)
      for _ in 0..<20 {
        let text = (0..<random.number(0...8)).map { _ in random.pick(["a", "b", "A", "é", "É", "1", "x", " ", "日"]) }
          .joined()
        #expect(
          isFound(matcher, text) == text.contains(regex), "\(pattern) in “\(text)”, ignoring case: \(ignoringCase)")
      }
    }
  }
}
