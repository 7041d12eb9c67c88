/// Checks whether a line can begin a JSON document.
///
/// Only the parser checks the whole document.
///
///     JSONBeginning.look(line)    // .whole: a document; .part: it continues on the next line
///
/// Other formats also begin with a bracket: `[12:00:01] INFO`, `[    0.000000] Linux`.
struct JSONBeginning {
  enum Answer { case whole, part, neither }

  private enum Wanted { case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd }

  private let line: UnsafeRawBufferPointer
  private var place = 0
  private var open: [UInt8] = []
  private var wanted = Wanted.value

  private init(_ line: UnsafeRawBufferPointer) { self.line = line }

  static func look(_ line: UnsafeRawBufferPointer) -> Answer {
    var beginning = JSONBeginning(line)
    while beginning.place < line.count {
      guard beginning.step() else { return .neither }
    }
    return beginning.open.isEmpty && beginning.wanted == .commaOrEnd ? .whole : .part
  }

  /// Consumes one token or character; returns false when it is invalid at this position.
  private mutating func step() -> Bool {
    let byte = line[place]
    place += 1
    switch (byte, wanted) {
    case (0x20, _), (0x09, _), (0x0D, _), (0x0A, _): return true
    case (0x7B, .value), (0x7B, .valueOrEnd), (0x5B, .value), (0x5B, .valueOrEnd):
      open.append(byte)
      wanted = byte == 0x7B ? .nameOrEnd : .valueOrEnd
    case (0x7D, .nameOrEnd), (0x5D, .valueOrEnd): return end(byte)
    case (0x7D, .commaOrEnd), (0x5D, .commaOrEnd): return end(byte)
    case (0x2C, .commaOrEnd) where !open.isEmpty: wanted = open.last == 0x7B ? .name : .value
    case (0x3A, .colon): wanted = .value
    case (0x22, .name), (0x22, .nameOrEnd):
      wanted = .colon
      return text()
    case (0x22, .value), (0x22, .valueOrEnd):
      wanted = .commaOrEnd
      return text()
    case (_, .value), (_, .valueOrEnd):
      wanted = .commaOrEnd
      return word()
    default: return false
    }
    return true
  }

  private mutating func end(_ byte: UInt8) -> Bool {
    wanted = .commaOrEnd
    return open.popLast() == byte - 2  // the matching opening bracket
  }

  private mutating func text() -> Bool {
    while place < line.count {
      let byte = line[place]
      place += byte == 0x5C ? 2 : 1
      if byte == 0x22 { return true }
    }
    return false
  }

  /// Consumes a number, `true`, `false` or `null`.
  private mutating func word() -> Bool {
    let start = place - 1
    while place < line.count, line[place] > 0x20, ![0x2C, 0x5D, 0x7D].contains(line[place]) { place += 1 }
    let word = String(decoding: line[start..<place], as: UTF8.self)
    if ["true", "false", "null"].contains(word) { return true }
    guard let first = word.utf8.first, first == 0x2D || (0x30...0x39).contains(first) else { return false }
    return Double(word) != nil
  }
}
