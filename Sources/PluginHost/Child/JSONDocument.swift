import CSimdjson

/// Reads JSON documents of strict UTF-8, nested at most ``depth`` deep, with room that is kept from one to the next.
///
///     let parser = JSONParser()
///     let root = try parser.parse(line)      // valid until the next parse
///
/// The work is simdjson's; what it has read is looked at on its tape, so that nothing is allocated per value.
final class JSONParser {
  /// Why a document cannot be read.
  struct Fault: Error {
    var reason: String
  }

  /// How deep lists and objects may be nested: `[[1]]` is two deep.
  static let depth = 32
  /// How many bytes behind a document must be readable.
  static let padding = json_padding()
  /// What longer documents than this have taken is given back: a parser takes about ten times as much as its longest document.
  static let keptCapacity = 1 << 17

  private var handle: OpaquePointer

  init() { handle = Self.make() }

  deinit { json_parser_destroy(handle) }

  private static func make() -> OpaquePointer {
    // simdjson wants to be below its bound. It bounds its own memory; the last word is ours.
    guard let handle = json_parser_create(depth + 1) else { preconditionFailure("no memory for a parser") }
    return handle
  }

  /// How long a document it has room for.
  var capacity: Int { json_parser_capacity(handle) }

  /// Gives back what a long document has taken; what was read of it is not valid any more.
  func shrink() {
    guard capacity > Self.keptCapacity else { return }
    json_parser_destroy(handle)
    handle = Self.make()
  }

  private func read(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    json_parse(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The document with an exponent behind whole numbers that 64 bits do not hold, which simdjson then reads as `Double`, and padding;
  /// `nil` when it has none. Without, one such number would cost the whole line.
  private static func withLongNumbers(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var readable: [UInt8] = []
    var isText = false
    var isEscaped = false
    var digits = 0
    var isWhole = true
    var isChanged = false
    for byte in bytes {
      if isText {
        if isEscaped { isEscaped = false } else if byte == 0x5C { isEscaped = true } else { isText = byte != 0x22 }
      } else if (0x30...0x39).contains(byte) {
        digits += 1
      } else {
        let isNumber = byte == 0x2E || byte | 0x20 == 0x65 || byte == 0x2B || byte == 0x2D
        if isWhole, digits >= 19, !isNumber {
          let start = readable.count - digits
          let isNegative = start > 0 && readable[start - 1] == 0x2D
          let text = String(decoding: readable[(isNegative ? start - 1 : start)...], as: UTF8.self)
          if isNegative ? Int64(text) == nil : UInt64(text) == nil {
            readable += "e0".utf8
            isChanged = true
          }
        }
        // Behind a point or an exponent there are digits, too.
        isWhole = !isNumber || byte == 0x2D && digits == 0
        digits = 0
        isText = byte == 0x22
      }
      readable.append(byte)
    }
    return isChanged ? readable + [UInt8](repeating: 0, count: padding) : nil
  }

  /// Reads one document. ``padding`` bytes behind it must be readable.
  func parse(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> JSONElement {
    if bytes.count < Self.keptCapacity { shrink() }
    var code = read(bytes)
    if code == json_number_error, let readable = Self.withLongNumbers(bytes) {
      code = readable.withUnsafeBytes {
        read(UnsafeRawBufferPointer(start: $0.baseAddress, count: readable.count - Self.padding))
      }
    }
    guard code == 0 else { throw Fault(reason: String(cString: json_error(code))) }
    // Shorter ones have no room for more brackets.
    guard bytes.count <= 2 * Self.depth || json_depth(handle) <= Self.depth else {
      throw Fault(reason: "it is nested more than \(Self.depth) deep")
    }
    return JSONElement(words: json_tape(handle), texts: json_texts(handle), index: 1)
  }
}

/// One value on the tape of a ``JSONParser``; valid until that one parses again.
struct JSONElement {
  /// What kind of value it is: the letter on the tape.
  enum Kind: UInt8 {
    case object = 0x7B, list = 0x5B, text = 0x22
    case signed = 0x6C, unsigned = 0x75, number = 0x64
    case yes = 0x74, no = 0x66, null = 0x6E
  }

  fileprivate let words: UnsafePointer<UInt64>
  fileprivate let texts: UnsafePointer<UInt8>
  fileprivate let index: Int

  fileprivate init(words: UnsafePointer<UInt64>, texts: UnsafePointer<UInt8>, index: Int) {
    self.words = words
    self.texts = texts
    self.index = index
  }

  @inline(__always) private var letter: UInt8 { UInt8(truncatingIfNeeded: words[index] &>> 56) }
  @inline(__always) private var payload: Int { Int(words[index] & 0x00FF_FFFF_FFFF_FFFF) }

  /// What kind of value it is.
  @inline(__always) var kind: Kind { Kind(rawValue: letter).unsafelyUnwrapped }

  /// Where the next value begins.
  @inline(__always) fileprivate var end: Int {
    switch letter {
    case Kind.object.rawValue, Kind.list.rawValue: Int(words[index] & 0xFFFF_FFFF)
    case Kind.signed.rawValue, Kind.unsigned.rawValue, Kind.number.rawValue: index + 2
    default: index + 1
    }
  }

  /// The bytes of a text; empty for anything else.
  @inline(__always) var bytes: UnsafeRawBufferPointer {
    guard letter == Kind.text.rawValue else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let place = UnsafeRawPointer(texts) + payload
    return UnsafeRawBufferPointer(start: place + 4, count: Int(place.loadUnaligned(as: UInt32.self)))
  }

  /// The text; `nil` for anything else.
  var text: String? { letter == Kind.text.rawValue ? String(decoding: bytes, as: UTF8.self) : nil }

  /// The text, cut to what a reason or a message may have; `nil` for anything else.
  func message(_ limit: Int = ForeignText.reasonLimit) -> String? {
    letter == Kind.text.rawValue ? ForeignText.cut(bytes, limit) : nil
  }

  /// A whole number that 64 bits with a sign hold: also one with a fraction of zeros, where it is exact; `nil` for anything else.
  @inline(__always) var integer: Int64? {
    switch letter {
    case Kind.signed.rawValue: Int64(bitPattern: words[index + 1])
    case Kind.number.rawValue: Double(bitPattern: words[index + 1]).magnitude <= 0x1p53 ? Int64(exactly: double) : nil
    default: nil
    }
  }

  @inline(__always) private var double: Double { Double(bitPattern: words[index + 1]) }

  /// Any number, rounded to what a `Double` holds; `nil` for anything else.
  @inline(__always) var number: Double? {
    switch letter {
    case Kind.number.rawValue: double
    case Kind.signed.rawValue: Double(Int64(bitPattern: words[index + 1]))
    case Kind.unsigned.rawValue: Double(words[index + 1])
    default: nil
    }
  }

  /// A whole number that only 64 bits without a sign hold; `nil` for anything else.
  var unsigned: UInt64? { letter == Kind.unsigned.rawValue ? words[index + 1] : nil }

  /// Yes or no; `nil` for anything else.
  var boolean: Bool? { letter == Kind.yes.rawValue ? true : letter == Kind.no.rawValue ? false : nil }

  /// Whether it is `null`.
  @inline(__always) var isNull: Bool { letter == Kind.null.rawValue }

  /// The items of a list; none for anything else.
  @inline(__always) var items: JSONItems { JSONItems(self, of: .list) }

  /// The members of an object; none for anything else.
  @inline(__always) var members: JSONMembers { JSONMembers(items: JSONItems(self, of: .object)) }

  /// The member of an object with this name; of two the first. `nil` when there is none.
  subscript(name: StaticString) -> JSONElement? {
    for (member, value) in members where member.spells(name) { return value }
    return nil
  }

  /// How people call what it is.
  var name: String {
    switch kind {
    case .object: "an object"
    case .list: "a list"
    case .text: "a text"
    case .signed, .unsigned, .number: "a number"
    case .yes, .no: "a boolean"
    case .null: "null"
    }
  }
}

/// The items of a list, one after the other.
struct JSONItems: Sequence, IteratorProtocol {
  private let words: UnsafePointer<UInt64>
  private let texts: UnsafePointer<UInt8>
  private var index: Int
  private let end: Int

  @inline(__always) fileprivate init(_ element: JSONElement, of kind: JSONElement.Kind) {
    words = element.words
    texts = element.texts
    index = element.index + 1
    // The word before the end is the closing bracket.
    end = element.kind == kind ? element.end - 1 : index
  }

  @inline(__always) mutating func next() -> JSONElement? {
    guard index < end else { return nil }
    let element = JSONElement(words: words, texts: texts, index: index)
    index = element.end
    return element
  }
}

/// The members of an object, one after the other, in the order in which they are written. A name may come twice.
struct JSONMembers: Sequence, IteratorProtocol {
  fileprivate var items: JSONItems

  @inline(__always) mutating func next() -> (name: UnsafeRawBufferPointer, value: JSONElement)? {
    guard let name = items.next(), let value = items.next() else { return nil }
    return (name.bytes, value)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these bytes are this text.
  @inline(__always) func spells(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && text.withUTF8Buffer { elementsEqual($0) }
  }
}
