/// A regular expression, compiled to a nondeterministic automaton for ``PatternMatcher``.
///
/// Patterns come from untrusted clients. The automaton's size is bounded, and syntax that needs
/// backtracking is rejected: back references and lookaround. docs/protocol.md describes the syntax.
/// Its meaning is that of JavaScript with the flag `u`, and `i` if case is ignored.
struct Pattern {
  /// A syntax error in a regular expression, with the position of its character, counted from 1.
  struct Problem: Error, Equatable {
    var what: String
    var character: Int
  }

  /// A state of the automaton.
  enum Instruction {
    /// The pattern matches.
    case match
    /// Consumes one scalar of this set and continues at `next`.
    case scalar(Int, next: Int)
    /// Continues at both states.
    case split(Int, Int)
    /// Continues at `next` at the beginning of the text.
    case start(next: Int)
    /// Continues at `next` at the end of the text.
    case end(next: Int)
  }

  /// The maximum number of instructions; `{m,n}` repeats the instructions of its operand.
  static let greatestSize = 1_000
  /// The maximum nesting depth of groups.
  static let greatestDepth = 50

  /// The instructions; the first one is the only ``Instruction/match``.
  private(set) var instructions: [Instruction] = [.match]
  private(set) var sets: [ScalarSet] = []
  /// The index of the initial state.
  private(set) var entry = 0
  /// The number of nodes compiled, which bounds repetitions of empty patterns.
  private var visits = 0

  /// Compiles a pattern.
  ///
  /// - Throws: ``Problem`` if the syntax is invalid or the pattern is too large.
  init(_ text: String, ignoringCase: Bool) throws(Problem) {
    var parser = PatternParser(text)
    let node = try parser.parse()
    sets = parser.sets
    if ignoringCase { for index in sets.indices { sets[index].ignoreCase() } }
    entry = try compile(node, next: 0)
  }

  private mutating func emit(_ instruction: Instruction) throws(Problem) -> Int {
    guard instructions.count < Self.greatestSize else { throw Self.tooLarge }
    instructions.append(instruction)
    return instructions.count - 1
  }

  private static var tooLarge: Problem {
    Problem(what: "it is too large: with its repetitions it has more than \(greatestSize) parts", character: 1)
  }

  /// Compiles a node that continues at `next`, and returns the index of its first instruction.
  ///
  /// Nodes are compiled from the end of the pattern to its beginning.
  private mutating func compile(_ node: PatternNode, next: Int) throws(Problem) -> Int {
    visits += 1
    guard visits <= 20 * Self.greatestSize else { throw Self.tooLarge }
    switch node {
    case .set(let set): return try emit(.scalar(set, next: next))
    case .start: return try emit(.start(next: next))
    case .end: return try emit(.end(next: next))
    case .sequence(let nodes):
      var next = next
      for node in nodes.reversed() { next = try compile(node, next: next) }
      return next
    case .alternatives(let nodes):
      var entry = try compile(nodes[nodes.count - 1], next: next)
      for node in nodes.dropLast().reversed() { entry = try emit(.split(try compile(node, next: next), entry)) }
      return entry
    case .repeated(let node, let least, let greatest):
      var entry = next
      if let greatest {
        for _ in 0..<greatest - least { entry = try emit(.split(try compile(node, next: entry), next)) }
      } else {
        entry = try emit(.split(next, next))
        instructions[entry] = .split(try compile(node, next: entry), next)
      }
      for _ in 0..<least { entry = try compile(node, next: entry) }
      return entry
    }
  }
}

/// A set of Unicode scalars.
struct ScalarSet {
  private var ranges: [ClosedRange<UInt32>] = []
  var isNegated = false
  private var ignoresCase = false

  init(_ ranges: [ClosedRange<UInt32>], negated: Bool = false) {
    self.ranges = ranges
    isNegated = negated
  }

  static let digits = ScalarSet([0x30...0x39])
  static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let space = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
    0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])
  /// The set of `.`: all scalars except line terminators.
  static let dot = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], negated: true)

  mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  /// Inserts the scalars of another set.
  mutating func formUnion(_ other: ScalarSet) {
    guard other.isNegated else { return ranges.append(contentsOf: other.ranges) }
    // The ranges of the negated predefined sets are sorted.
    var from: UInt32 = 0
    for range in other.ranges {
      if range.lowerBound > from { ranges.append(from...range.lowerBound - 1) }
      from = range.upperBound + 1
    }
    ranges.append(from...0x10FFFF)
  }

  /// Extends the set to scalars whose lower or upper case is in it.
  mutating func ignoreCase() {
    ignoresCase = true
    for range in ranges where range.count == 1 {
      let (lower, upper) = Self.cases(of: range.lowerBound)
      ranges.append(lower...lower)
      ranges.append(upper...upper)
    }
  }

  /// The cost of ``contains(_:)``, in steps of a ``PatternMatcher``.
  var cost: Int { 4 + ranges.count + (ignoresCase ? 200 + 2 * ranges.count : 0) }

  func contains(_ scalar: UInt32) -> Bool {
    var isListed = lists(scalar)
    if !isListed && ignoresCase {
      let (lower, upper) = Self.cases(of: scalar)
      isListed = lists(lower) || lists(upper)
    }
    return isListed != isNegated
  }

  private func lists(_ scalar: UInt32) -> Bool { ranges.contains { $0.contains(scalar) } }

  /// Returns the lower and the upper case of a scalar, where these are single scalars.
  private static func cases(of scalar: UInt32) -> (lower: UInt32, upper: UInt32) {
    guard let properties = Unicode.Scalar(scalar)?.properties else { return (scalar, scalar) }
    func single(_ mapping: String) -> UInt32 {
      mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first?.value ?? scalar : scalar
    }
    return (single(properties.lowercaseMapping), single(properties.uppercaseMapping))
  }
}
