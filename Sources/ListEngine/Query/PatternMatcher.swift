/// A regular expression matcher that searches texts in linear time.
///
/// It simulates the automaton with the set of its possible states, so that no pattern causes
/// backtracking (K. Thompson, 1968; see https://swtch.com/~rsc/regexp/regexp1.html). State sets and
/// their transitions are cached as a lazy DFA. Most bytes then cost one table lookup. If a pattern
/// fills the cache too fast, it is simulated without the cache. A set is then a bit vector, and one
/// shift advances all states whose successor is the previous instruction. All work counts as
/// ``steps``, and a search can be interrupted: see ``matches(_:until:)``.
final class PatternMatcher {
  /// The number of a cached set, or a negative outcome.
  private typealias State = Int16
  private static var unknown: State { -1 }
  private static var found: State { -2 }
  private static var hopeless: State { -3 }
  /// The maximum number of cached sets.
  static let greatestStateCount = 128
  /// The maximum number of cached masks of non-ASCII scalars.
  private static var maskLimit: Int { 256 }
  /// The number of bytes per set below which a full cache is considered useless.
  private static var bytesPerSet: Int { 10 }
  /// The number of bytes searched without the cache before it is tried again.
  private static var bytesWithoutCache: Int { 1 << 20 }
  /// The number of steps above which a result is kept, so that an interrupted row does not repeat
  /// the search.
  private static var cheapSteps: Int { 4_096 }

  private let pattern: Pattern
  /// The number of 64-bit words in a set, which has one bit per instruction.
  private let words: Int
  /// The states in which a match can start after the beginning of the text.
  private var anywhere: [UInt64] = []
  private var isAnchored = false
  private var sets: [[UInt64]] = []
  private var numbers: [[UInt64]: State] = [:]
  /// The cached transitions: the state after state `s` and ASCII byte `b`, at `s * 128 + b`.
  private let table: UnsafeMutablePointer<State>
  /// The cached transitions on other scalars.
  private var others: [UInt64: State] = [:]
  /// Whether the pattern matches if the text ends in this state.
  private let endings: UnsafeMutablePointer<Bool>
  /// The initial state, or an outcome.
  private var first: State = 0
  private var seen: [UInt64] = []
  private var stack: [Int] = []
  /// The work done so far in steps of about 1 ns, such as a byte read or an instruction visited.
  private(set) var steps = 0

  /// The current set of states, and a buffer for the next one.
  private var current: UnsafeMutablePointer<UInt64>
  private var following: UnsafeMutablePointer<UInt64>
  /// Instructions that consume a scalar and continue at the previous instruction, if that is a
  /// scalar or a match.
  private let plain: UnsafeMutablePointer<UInt64>
  /// The instructions that accept an ASCII scalar, by scalar; empty if not computed yet.
  private var masks: [[UInt64]] = Array(repeating: [], count: 128)
  private var otherMasks: [UInt32: [UInt64]] = [:]
  /// The states that follow an instruction that is not in `plain`.
  private var successors: [[UInt64]]
  /// The bytes searched since the cache was cleared, and those left to search without it.
  private var bytesSinceForgetting = 0
  private var bytesUncached = 0

  /// The text whose search was interrupted or expensive.
  private var held: [UInt8] = []
  private var heldOffset = 0
  private var heldSet: [UInt64] = []
  private var heldResult: Bool?

  init(_ pattern: Pattern) {
    self.pattern = pattern
    let words = (pattern.instructions.count + 63) / 64
    self.words = words
    table = .allocate(capacity: Self.greatestStateCount * 128)
    endings = .allocate(capacity: Self.greatestStateCount)
    current = .allocate(capacity: words)
    following = .allocate(capacity: words)
    plain = .allocate(capacity: words)
    plain.initialize(repeating: 0, count: words)
    successors = Array(repeating: [], count: pattern.instructions.count)
    for (index, instruction) in pattern.instructions.enumerated() {
      guard case .scalar(_, let next) = instruction, next == index - 1 else { continue }
      switch pattern.instructions[next] {
      case .match, .scalar: plain[index >> 6] |= 1 << UInt64(index & 63)
      case .split, .start, .end: break
      }
    }
    anywhere = closure(of: pattern.entry, isStart: false)
    isAnchored = anywhere.allSatisfy { $0 == 0 }
    forget()
  }

  deinit {
    table.deallocate()
    endings.deallocate()
    current.deallocate()
    following.deallocate()
    plain.deallocate()
  }

  /// Returns whether the pattern matches anywhere in these UTF-8 bytes, within a limit of work.
  ///
  /// Returns `nil` if ``steps`` reaches the limit first. The next call with an equal text continues
  /// the search.
  ///
  /// - Complexity: O(bytes) for most texts, at worst O(bytes · instructions).
  func matches(_ bytes: UnsafeRawBufferPointer, until limit: Int) -> Bool? {
    if !held.isEmpty, held.count == bytes.count, held.withUnsafeBytes({ equal($0, bytes) }) {
      steps += bytes.count >> 4
      if let heldResult { return heldResult }
      current.update(from: heldSet, count: words)
      // An early start makes the search count as expensive, so that its result is kept.
      return simulate(bytes, from: heldOffset, began: -1 << 40, until: limit)
    }
    guard first >= 0, !bytes.isEmpty else { return first < 0 ? first == Self.found : endings[0] }
    if bytesUncached > 0 {
      current.update(from: sets[0], count: words)
      return simulate(bytes, from: 0, began: steps, until: limit)
    }
    var state = first
    var offset = 0
    let began = steps
    let table = table
    while state >= 0 && offset < bytes.count {
      let byte = bytes[offset]
      let next: State
      var scalar = UInt32(byte)
      var length = 1
      if byte < 0x80 {
        next = table[Int(state) << 7 | Int(byte)]
      } else {
        (scalar, length) = decodeScalar(bytes, at: offset)
        next = others[UInt64(state) << 32 | UInt64(scalar)] ?? Self.unknown
      }
      offset += length
      guard next == Self.unknown else {
        state = next
        continue
      }
      state = follow(state, scalar, after: offset)
      guard state >= 0, bytesUncached > 0 || steps + offset >= limit else { continue }
      current.update(from: sets[Int(state)], count: words)
      steps += offset
      bytesSinceForgetting += offset
      return simulate(bytes, from: offset, began: began, until: limit)
    }
    steps += offset
    bytesSinceForgetting += offset
    return keep(state < 0 ? state == Self.found : endings[Int(state)], of: bytes, began: began)
  }

  /// Discards the state of an interrupted search.
  func letGo() {
    (held, heldSet, heldResult) = ([], [], nil)
  }

  // MARK: Simulation without cache

  /// Continues a search from the current set without the cache.
  private func simulate(
    _ bytes: UnsafeRawBufferPointer, from start: Int, began: Int, until limit: Int
  ) -> Bool? {
    var offset = start
    defer { bytesUncached -= offset - start }
    while offset < bytes.count {
      // Advance at least one character, so that repeated calls finish.
      if steps >= limit && offset > start {
        hold(bytes, offset)
        return nil
      }
      let byte = bytes[offset]
      if byte < 0x80 {
        advance(UInt32(byte))
        offset += 1
      } else {
        let (scalar, length) = decodeScalar(bytes, at: offset)
        advance(scalar)
        offset += length
      }
      if current[0] & 1 != 0 { return keep(true, of: bytes, began: began) }
      if isAnchored, (0..<words).allSatisfy({ current[$0] == 0 }) { return keep(false, of: bytes, began: began) }
    }
    let set = Array(UnsafeBufferPointer(start: current, count: words))
    return keep(endsIn(set, isStart: false), of: bytes, began: began)
  }

  private func hold(_ bytes: UnsafeRawBufferPointer, _ offset: Int) {
    held = Array(bytes)
    heldOffset = offset
    heldSet = Array(UnsafeBufferPointer(start: current, count: words))
    heldResult = nil
  }

  /// Keeps the result of an expensive search, and returns it.
  private func keep(_ result: Bool, of bytes: UnsafeRawBufferPointer, began: Int) -> Bool {
    guard steps - began > max(Self.cheapSteps, bytes.count) else { return result }
    held = Array(bytes)
    (heldResult, heldOffset) = (result, 0)
    return result
  }

  /// Advances the current set by one scalar.
  private func advance(_ scalar: UInt32) {
    let mask = mask(of: scalar)
    mask.withUnsafeBufferPointer { mask in
      anywhere.withUnsafeBufferPointer { following.update(from: $0.baseAddress.unsafelyUnwrapped, count: words) }
      for word in 0..<words {
        let hits = current[word] & mask[word]
        guard hits != 0 else { continue }
        let moved = hits & plain[word]
        following[word] |= moved >> 1
        if word > 0 { following[word - 1] |= moved << 63 }
        var rest = hits & ~plain[word]
        while rest != 0 {
          add(successorsOf: word << 6 | rest.trailingZeroBitCount)
          rest &= rest - 1
        }
      }
    }
    steps += 24 + 4 * words
    swap(&current, &following)
  }

  private func add(successorsOf member: Int) {
    if successors[member].isEmpty, case .scalar(_, let next) = pattern.instructions[member] {
      successors[member] = closure(of: next, isStart: false)
    }
    successors[member].withUnsafeBufferPointer { set in
      for word in 0..<set.count { following[word] |= set[word] }
    }
    steps += 4 + words
  }

  /// Returns the instructions that accept this scalar.
  private func mask(of scalar: UInt32) -> [UInt64] {
    if scalar < 128 {
      if masks[Int(scalar)].isEmpty { masks[Int(scalar)] = makeMask(of: scalar) }
      return masks[Int(scalar)]
    }
    if let mask = otherMasks[scalar] { return mask }
    if otherMasks.count == Self.maskLimit { otherMasks.removeAll(keepingCapacity: true) }
    let mask = makeMask(of: scalar)
    otherMasks[scalar] = mask
    return mask
  }

  private func makeMask(of scalar: UInt32) -> [UInt64] {
    var mask = [UInt64](repeating: 0, count: words)
    let contains = pattern.sets.map { set in
      steps += set.cost
      return set.contains(scalar)
    }
    for (index, instruction) in pattern.instructions.enumerated() {
      if case .scalar(let set, _) = instruction, contains[set] { mask[index >> 6] |= 1 << UInt64(index & 63) }
    }
    steps += 100 + pattern.instructions.count
    return mask
  }

  // MARK: Cache

  /// Clears the cache except for the initial state.
  private func forget() {
    table.update(repeating: Self.unknown, count: Self.greatestStateCount * 128)
    numbers.removeAll(keepingCapacity: true)
    others.removeAll(keepingCapacity: true)
    sets.removeAll(keepingCapacity: true)
    // The initial set is not in `numbers`, because the end of text has another meaning at the
    // beginning.
    let set = closure(of: pattern.entry, isStart: true)
    sets.append(set)
    endings[0] = endsIn(set, isStart: true)
    first = outcome(of: set) ?? 0
    bytesSinceForgetting = 0
    steps += Self.greatestStateCount * 32
  }

  private func outcome(of set: [UInt64]) -> State? {
    if set[0] & 1 != 0 { return Self.found }
    return set.allSatisfy { $0 == 0 } ? Self.hopeless : nil
  }

  /// Returns the state after a scalar, and caches the transition.
  ///
  /// - Parameter read: The number of bytes read of the present text.
  private func follow(_ state: State, _ scalar: UInt32, after read: Int) -> State {
    current.update(from: sets[Int(state)], count: words)
    advance(scalar)
    let set = Array(UnsafeBufferPointer(start: current, count: words))
    steps += 200 + 8 * words
    var isSourceKnown = true
    let next = outcome(of: set) ?? numbers[set] ?? remember(set, &isSourceKnown, after: read)
    guard isSourceKnown else { return next }
    if scalar < 0x80 {
      table[Int(state) << 7 | Int(scalar)] = next
    } else if others.count < Self.greatestStateCount * 32 {
      others[UInt64(state) << 32 | UInt64(scalar)] = next
    }
    return next
  }

  private func remember(_ set: [UInt64], _ isSourceKnown: inout Bool, after read: Int) -> State {
    if sets.count == Self.greatestStateCount {
      if bytesSinceForgetting + read < Self.bytesPerSet * Self.greatestStateCount {
        bytesUncached = Self.bytesWithoutCache
      }
      forget()
      // Do not count the bytes of this text that were read before the cache was cleared.
      bytesSinceForgetting = -read
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

  /// Returns whether the pattern matches if the text ends in this set.
  private func endsIn(_ set: [UInt64], isStart: Bool) -> Bool {
    var ended = set
    seen = [UInt64](repeating: 0, count: words)
    forEachMember(of: set) { add($0, to: &ended, isStart: isStart, isEnd: true) }
    return ended[0] & 1 != 0
  }

  /// Inserts an instruction with all instructions reachable from it without a scalar.
  ///
  /// Only instructions that wait for a scalar or the end become members.
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

/// Decodes the non-ASCII scalar at this offset of valid UTF-8, and returns it with its length in
/// bytes.
@inline(__always) func decodeScalar(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> (scalar: UInt32, length: Int) {
  let lead = UInt32(bytes[offset])
  func next(_ place: Int) -> UInt32 { UInt32(bytes[offset + place] & 0x3F) }
  if lead < 0xE0 { return ((lead & 0x1F) << 6 | next(1), 2) }
  if lead < 0xF0 { return ((lead & 0x0F) << 12 | next(1) << 6 | next(2), 3) }
  return ((lead & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4)
}
