/// Says whether a regular expression is found in a text, in time linear in the text.
///
/// It walks through the text once with the set of all states that the machine may be in (Thompson 1968), so no pattern makes it
/// go back. Sets and what follows from them are remembered, so that most bytes cost one look into a table; the memory is
/// bounded, and begins anew when it is full.
final class PatternMatcher {
  /// A remembered set, by number, or one of the outcomes below 0.
  private typealias State = Int16
  private static var unknown: State { -1 }
  private static var found: State { -2 }
  private static var hopeless: State { -3 }
  /// How many sets are remembered.
  static let greatestStateCount = 128

  private let pattern: Pattern
  /// 64-bit words of a set with one bit for each instruction.
  private let words: Int
  /// What can begin anywhere but at the beginning of the text.
  private var anywhere: [UInt64] = []
  private var sets: [[UInt64]] = []
  private var numbers: [[UInt64]: State] = [:]
  /// What follows state s on the ASCII byte b, at `s * 128 + b`.
  private let table: UnsafeMutablePointer<State>
  /// What follows on other scalars.
  private var others: [UInt64: State] = [:]
  /// Whether it is found when the text ends in this state.
  private let endings: UnsafeMutablePointer<Bool>
  /// The state in which every text begins, if none of the outcomes.
  private var first: State = 0
  private var seen: [UInt64] = []
  private var stack: [Int] = []
  /// How much it has done so far: bytes looked at, and instructions visited.
  private(set) var steps = 0

  init(_ pattern: Pattern) {
    self.pattern = pattern
    words = (pattern.instructions.count + 63) / 64
    table = .allocate(capacity: Self.greatestStateCount * 128)
    endings = .allocate(capacity: Self.greatestStateCount)
    anywhere = closure(of: pattern.entry, isStart: false)
    forget()
  }

  deinit {
    table.deallocate()
    endings.deallocate()
  }

  /// Whether the pattern is found in these bytes, which are UTF-8.
  ///
  /// - Complexity: O(bytes · instructions) at worst, O(bytes) for most texts.
  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var state = first
    var offset = 0
    let table = table
    while state >= 0 && offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x80 {
        let next = table[Int(state) << 7 | Int(byte)]
        state = next == Self.unknown ? follow(state, UInt32(byte)) : next
        offset += 1
      } else {
        let (scalar, length) = decodeScalar(bytes, at: offset)
        state = others[UInt64(state) << 32 | UInt64(scalar)] ?? follow(state, scalar)
        offset += length
      }
    }
    steps += offset
    return state < 0 ? state == Self.found : endings[Int(state)]
  }

  // MARK: What is remembered

  /// Begins anew, with the first state only.
  private func forget() {
    table.update(repeating: Self.unknown, count: Self.greatestStateCount * 128)
    numbers.removeAll(keepingCapacity: true)
    others.removeAll(keepingCapacity: true)
    sets.removeAll(keepingCapacity: true)
    // Not among the numbers: at the beginning of a text, its end means something else than later.
    let set = closure(of: pattern.entry, isStart: true)
    sets.append(set)
    endings[0] = endsIn(set, isStart: true)
    first = outcome(of: set) ?? 0
  }

  private func outcome(of set: [UInt64]) -> State? {
    if set[0] & 1 != 0 { return Self.found }
    return set.allSatisfy { $0 == 0 } ? Self.hopeless : nil
  }

  /// What follows a state on a scalar; it is remembered.
  private func follow(_ state: State, _ scalar: UInt32) -> State {
    var set = anywhere
    seen = set
    forEachMember(of: sets[Int(state)]) { member in
      if case .scalar(let wanted, let next) = pattern.instructions[member], pattern.sets[wanted].contains(scalar) {
        add(next, to: &set, isStart: false, isEnd: false)
      }
    }
    var isSourceKnown = true
    let next = outcome(of: set) ?? numbers[set] ?? remember(set, &isSourceKnown)
    guard isSourceKnown else { return next }
    if scalar < 0x80 {
      table[Int(state) << 7 | Int(scalar)] = next
    } else if others.count < Self.greatestStateCount * 32 {
      others[UInt64(state) << 32 | UInt64(scalar)] = next
    }
    return next
  }

  private func remember(_ set: [UInt64], _ isSourceKnown: inout Bool) -> State {
    if sets.count == Self.greatestStateCount {
      forget()
      isSourceKnown = false
    }
    let number = State(sets.count)
    sets.append(set)
    numbers[set] = number
    endings[Int(number)] = endsIn(set, isStart: false)
    return number
  }

  // MARK: Sets of instructions

  private func forEachMember(of set: [UInt64], _ body: (Int) -> Void) {
    for (word, bits) in set.enumerated() {
      var rest = bits
      while rest != 0 {
        steps += 1
        body(word << 6 | rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  private func closure(of instruction: Int, isStart: Bool) -> [UInt64] {
    var set = [UInt64](repeating: 0, count: words)
    seen = set
    add(instruction, to: &set, isStart: isStart, isEnd: false)
    return set
  }

  /// Whether the end of the text makes a set find the pattern.
  private func endsIn(_ set: [UInt64], isStart: Bool) -> Bool {
    var ended = set
    seen = [UInt64](repeating: 0, count: words)
    forEachMember(of: set) { add($0, to: &ended, isStart: isStart, isEnd: true) }
    return ended[0] & 1 != 0
  }

  /// Puts an instruction into a set, with all that can be reached from it without a scalar.
  ///
  /// Only those that wait for something are members; the others have been passed.
  private func add(_ instruction: Int, to set: inout [UInt64], isStart: Bool, isEnd: Bool) {
    stack.append(instruction)
    while let top = stack.popLast() {
      let (word, bit) = (top >> 6, UInt64(1) << UInt64(top & 63))
      guard seen[word] & bit == 0 else { continue }
      seen[word] |= bit
      steps += 1
      switch pattern.instructions[top] {
      case .match, .scalar: set[word] |= bit
      case .split(let one, let other):
        stack.append(other)
        stack.append(one)
      case .start(let next): if isStart { stack.append(next) }
      case .end(let next):
        set[word] |= bit
        if isEnd { stack.append(next) }
      }
    }
  }
}

/// The scalar that begins at this byte of valid UTF-8, which is not ASCII, and how many bytes it has.
@inline(__always) func decodeScalar(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> (scalar: UInt32, length: Int) {
  let lead = UInt32(bytes[offset])
  func next(_ place: Int) -> UInt32 { UInt32(bytes[offset + place] & 0x3F) }
  if lead < 0xE0 { return ((lead & 0x1F) << 6 | next(1), 2) }
  if lead < 0xF0 { return ((lead & 0x0F) << 12 | next(1) << 6 | next(2), 3) }
  return ((lead & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4)
}
