/// Finds a regular expression in texts, in time linear in the text.
///
/// It walks through the text once with the set of all states that the machine may be in (Thompson 1968), so no pattern makes it
/// go back. Sets and what follows from them are cached, so that most bytes cost one look into a table. A pattern that fills the cache
/// faster than the cache pays is simulated without it: a set is a row of bits there, and all members whose successor is the instruction
/// before them move on by one shift. Everything is counted in ``steps``, and a search can be interrupted: see ``matches(_:until:)``.
final class PatternMatcher {
  /// A remembered set, by number, or one of the outcomes below 0.
  private typealias State = Int16
  private static var unknown: State { -1 }
  private static var found: State { -2 }
  private static var hopeless: State { -3 }
  /// How many sets are remembered.
  static let greatestStateCount = 128
  /// The number of characters beyond ASCII whose masks are cached.
  private static var maskLimit: Int { 256 }
  /// A cache that is full after fewer bytes than this for each of its sets does not pay.
  private static var bytesPerSet: Int { 10 }
  /// The number of bytes that are searched without the cache before it is tried again.
  private static var bytesWithoutCache: Int { 1 << 20 }
  /// The result of a search that took more steps than this is kept, so that an interrupted row does not pay for it twice.
  private static var cheapSteps: Int { 4_096 }

  private let pattern: Pattern
  /// 64-bit words of a set with one bit for each instruction.
  private let words: Int
  /// What can begin anywhere but at the beginning of the text.
  private var anywhere: [UInt64] = []
  private var isAnchored = false
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
  /// The work done so far, in bytes looked at, words of sets and instructions visited: about a nanosecond each.
  private(set) var steps = 0

  /// The set that the machine is in, and room for the next one.
  private var current: UnsafeMutablePointer<UInt64>
  private var following: UnsafeMutablePointer<UInt64>
  /// The instructions that wait for a scalar and go on at the one before them, which waits for something, too.
  private let plain: UnsafeMutablePointer<UInt64>
  /// The members that a scalar lets through: by the byte for ASCII.
  private var masks: [[UInt64]] = Array(repeating: [], count: 128)
  private var otherMasks: [UInt32: [UInt64]] = [:]
  /// The set that follows an instruction which is not plain.
  private var successors: [[UInt64]]
  /// The bytes searched since the cache was last emptied, and those that are still to be searched without it.
  private var bytesSinceForgetting = 0
  private var bytesUncached = 0

  /// The text whose search was interrupted or was expensive.
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

  /// Whether the pattern is found in these bytes, which are UTF-8.
  ///
  /// - Complexity: O(bytes · instructions) at worst, O(bytes) for most texts.
  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    while true { if let result = matches(bytes, until: .max) { return result } }
  }

  /// Whether the pattern is found in these bytes, which are UTF-8; `nil` when ``steps`` has reached the limit before that is known. The next
  /// call with an equal text goes on from there.
  func matches(_ bytes: UnsafeRawBufferPointer, until limit: Int) -> Bool? {
    if !held.isEmpty, held.count == bytes.count, held.withUnsafeBytes({ equal($0, bytes) }) {
      steps += bytes.count >> 4
      if let heldResult { return heldResult }
      current.update(from: heldSet, count: words)
      // As if it had begun long ago: its result is kept.
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

  /// Forgets the text that was held.
  func letGo() {
    (held, heldSet, heldResult) = ([], [], nil)
  }

  // MARK: Without the cache

  /// Goes on in a text from the current set.
  private func simulate(
    _ bytes: UnsafeRawBufferPointer, from start: Int, began: Int, until limit: Int
  ) -> Bool? {
    var offset = start
    defer { bytesUncached -= offset - start }
    while offset < bytes.count {
      // One character at least: otherwise nothing would ever come to an end.
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

  /// Keeps a result that was expensive.
  private func keep(_ result: Bool, of bytes: UnsafeRawBufferPointer, began: Int) -> Bool {
    guard steps - began > max(Self.cheapSteps, bytes.count) else { return result }
    held = Array(bytes)
    (heldResult, heldOffset) = (result, 0)
    return result
  }

  /// Moves the current set on by one scalar.
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

  /// The instructions that let this scalar through.
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
    bytesSinceForgetting = 0
    steps += Self.greatestStateCount * 32
  }

  private func outcome(of set: [UInt64]) -> State? {
    if set[0] & 1 != 0 { return Self.found }
    return set.allSatisfy { $0 == 0 } ? Self.hopeless : nil
  }

  /// What follows a state on a scalar; it is remembered. `read` is how far the text was read.
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
      // What was read of this text came before.
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
