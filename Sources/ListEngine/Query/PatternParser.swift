/// A node of a regular expression's syntax tree.
indirect enum PatternNode {
  /// One scalar of the set with this index.
  case set(Int)
  /// The beginning of the text.
  case start
  /// The end of the text.
  case end
  /// A concatenation.
  case sequence([PatternNode])
  /// An alternation; the list is not empty.
  case alternatives([PatternNode])
  /// A repetition of at least `least` and at most `greatest` times; `nil` for no upper bound.
  case repeated(PatternNode, least: Int, greatest: Int?)
}

/// A recursive-descent parser of regular expressions.
struct PatternParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private(set) var sets: [ScalarSet] = []

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func parse() throws(Pattern.Problem) -> PatternNode {
    let node = try alternatives(depth: 0)
    guard position == scalars.count else { throw problem("a ) without its (") }
    return node
  }

  // MARK: Structure

  private func problem(_ what: String, at place: Int? = nil) -> Pattern.Problem {
    Pattern.Problem(what: what, character: (place ?? position) + 1)
  }

  private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard current == scalar else { return false }
    position += 1
    return true
  }

  private mutating func alternatives(depth: Int) throws(Pattern.Problem) -> PatternNode {
    guard depth <= Pattern.greatestDepth else { throw problem("groups are nested too deeply") }
    var nodes = [try sequence(depth: depth)]
    while skip("|") { nodes.append(try sequence(depth: depth)) }
    return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
  }

  private mutating func sequence(depth: Int) throws(Pattern.Problem) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = current, scalar != "|", scalar != ")" {
      if skip("^") {
        nodes.append(.start)
      } else if skip("$") {
        nodes.append(.end)
      } else {
        nodes.append(try repetition(of: try atom(depth: depth)))
      }
    }
    return .sequence(nodes)
  }

  private mutating func repetition(of node: PatternNode) throws(Pattern.Problem) -> PatternNode {
    let repeated: PatternNode
    if skip("*") {
      repeated = .repeated(node, least: 0, greatest: nil)
    } else if skip("+") {
      repeated = .repeated(node, least: 1, greatest: nil)
    } else if skip("?") {
      repeated = .repeated(node, least: 0, greatest: 1)
    } else if skip("{") {
      let start = position - 1
      let least = try count()
      var greatest: Int? = least
      if skip(",") { greatest = current == "}" ? nil : try count() }
      guard skip("}") else { throw problem("a repetition that is not {m}, {m,} or {m,n}", at: start) }
      if let greatest, greatest < least { throw problem("a repetition whose bounds are in the wrong order", at: start) }
      repeated = .repeated(node, least: least, greatest: greatest)
    } else {
      return node
    }
    // The lazy form matches the same texts.
    _ = skip("?")
    return repeated
  }

  private mutating func count() throws(Pattern.Problem) -> Int {
    let start = position
    var value = 0
    while let scalar = current, ("0"..."9").contains(scalar) {
      value = value * 10 + Int(scalar.value - 0x30)
      guard value <= Pattern.greatestSize else {
        throw problem("a repetition of more than \(Pattern.greatestSize) times", at: start)
      }
      position += 1
    }
    guard position > start else { throw problem("a repetition that is not {m}, {m,} or {m,n}", at: start) }
    return value
  }

  private mutating func atom(depth: Int) throws(Pattern.Problem) -> PatternNode {
    let start = position
    let scalar = scalars[position]
    position += 1
    switch scalar {
    case "(":
      if skip("?") {
        guard skip(":") else { throw problem("a kind of group that is not supported", at: start) }
      }
      let node = try alternatives(depth: depth + 1)
      guard skip(")") else { throw problem("a group that does not end", at: start) }
      return node
    case "[": return try add(list(from: start))
    case ".": return add(.dot)
    case "\\": return try add(escape(from: start))
    case "*", "+", "?", "{": throw problem("nothing to repeat", at: start)
    case "]", "}": throw problem("a \(scalar) without a \\ before it", at: start)
    default: return add(ScalarSet([scalar.value...scalar.value]))
    }
  }

  private mutating func add(_ set: ScalarSet) -> PatternNode {
    sets.append(set)
    return .set(sets.count - 1)
  }

  // MARK: Sets

  private mutating func list(from start: Int) throws(Pattern.Problem) -> ScalarSet {
    var set = ScalarSet([])
    set.isNegated = skip("^")
    while !skip("]") {
      let place = position
      let low = try listed(from: start)
      guard current == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
        set.formUnion(low.set)
        continue
      }
      position += 1
      let high = try listed(from: start)
      guard let first = low.single, let last = high.single, first <= last else {
        throw problem("a range whose ends are no characters in order", at: place)
      }
      set.insert(first...last)
    }
    return set
  }

  /// Parses an entry of a character class, and returns its scalar if it is a single one.
  private mutating func listed(from start: Int) throws(Pattern.Problem) -> (set: ScalarSet, single: UInt32?) {
    guard let scalar = current else { throw problem("a list of characters that does not end", at: start) }
    let place = position
    position += 1
    guard scalar == "\\" else { return (ScalarSet([scalar.value...scalar.value]), scalar.value) }
    if let kind = kind() { return (kind, nil) }
    let value = try escaped(from: place)
    return (ScalarSet([value...value]), value)
  }

  private mutating func escape(from start: Int) throws(Pattern.Problem) -> ScalarSet {
    if let kind = kind() { return kind }
    let value = try escaped(from: start)
    return ScalarSet([value...value])
  }

  private mutating func kind() -> ScalarSet? {
    let set: ScalarSet
    switch current {
    case "d": set = .digits
    case "D": set = ScalarSet.digits.negated
    case "w": set = .word
    case "W": set = ScalarSet.word.negated
    case "s": set = .space
    case "S": set = ScalarSet.space.negated
    default: return nil
    }
    position += 1
    return set
  }

  /// Parses the scalar after a backslash.
  private mutating func escaped(from start: Int) throws(Pattern.Problem) -> UInt32 {
    guard let scalar = current else { throw problem("a \\ with nothing after it", at: start) }
    position += 1
    switch scalar {
    case "t": return 0x09
    case "n": return 0x0A
    case "v": return 0x0B
    case "f": return 0x0C
    case "r": return 0x0D
    case "x": return try hexadecimal(2...2, from: start)
    case "u":
      guard skip("{") else { return try hexadecimal(4...4, from: start) }
      let value = try hexadecimal(1...6, from: start)
      guard skip("}") else { throw problem("no such escape", at: start) }
      return value
    case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/", "-": return scalar.value
    case "1"..."9": throw problem("a back reference, which is not supported,", at: start)
    default: throw problem("no such escape", at: start)
    }
  }

  private mutating func hexadecimal(_ count: ClosedRange<Int>, from start: Int) throws(Pattern.Problem) -> UInt32 {
    var value: UInt32 = 0
    var digits = 0
    while digits < count.upperBound, let scalar = current, scalar.isASCII,
      let digit = Character(scalar).hexDigitValue
    {
      value = value << 4 | UInt32(digit)
      digits += 1
      position += 1
    }
    guard digits >= count.lowerBound, Unicode.Scalar(value) != nil else { throw problem("no such escape", at: start) }
    return value
  }
}

extension ScalarSet {
  /// The complement of the set.
  fileprivate var negated: ScalarSet {
    var set = self
    set.isNegated.toggle()
    return set
  }
}
