import CSimdjson

/// Parses JSON documents of strict UTF-8, nested at most ``depth`` deep, into a reused buffer.
///
///     let parser = JSONParser()
///     let root = try parser.parse(line)      // valid until the next parse
///
/// Parsing is done by [simdjson](https://simdjson.org). Values are read directly from its tape,
/// without an allocation per value.
package final class JSONParser {
  /// The reason why a document is invalid.
  package struct Fault: Error {
    package var reason: String
  }

  /// The maximum nesting depth of lists and objects: `[[1]]` is two deep.
  package static let depth = 32
  /// The number of bytes behind a document that must be readable.
  package static let padding = json_padding()
  /// The document size above which the parser's memory is released again.
  ///
  /// A parser needs about ten times the memory of its longest document.
  package static let retainedCapacity = 1 << 17

  private var handle: OpaquePointer

  package init() { handle = Self.make() }

  deinit { json_parser_destroy(handle) }

  private static func make() -> OpaquePointer {
    // simdjson requires depths below its bound. It limits its own memory; the exact limit is
    // checked in `parse`.
    guard let handle = json_parser_create(depth + 1) else { preconditionFailure("no memory for a parser") }
    return handle
  }

  /// The size of the longest document that fits into the allocated memory.
  package var capacity: Int { json_parser_capacity(handle) }

  /// Releases the memory of a long document.
  ///
  /// Elements of that document become invalid.
  package func shrink() {
    guard capacity > Self.retainedCapacity else { return }
    json_parser_destroy(handle)
    handle = Self.make()
  }

  private func read(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    json_parse(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// Rewrites whole numbers beyond 64 bits with an exponent, which makes simdjson read them as
  /// `Double`.
  ///
  /// Returns the padded document, or `nil` when it has no such number. Otherwise one such number
  /// would invalidate the line.
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
        // Digits after a decimal point or an exponent do not start a whole number.
        isWhole = !isNumber || byte == 0x2D && digits == 0
        digits = 0
        isText = byte == 0x22
      }
      readable.append(byte)
    }
    return isChanged ? readable + [UInt8](repeating: 0, count: padding) : nil
  }

  /// Parses one document.
  ///
  /// ``padding`` bytes behind it must be readable.
  package func parse(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> JSONElement {
    if bytes.count < Self.retainedCapacity { shrink() }
    var code = read(bytes)
    if code == json_number_error, let readable = Self.withLongNumbers(bytes) {
      code = readable.withUnsafeBytes {
        read(UnsafeRawBufferPointer(start: $0.baseAddress, count: readable.count - Self.padding))
      }
    }
    guard code == 0 else { throw Fault(reason: String(cString: json_error(code))) }
    // Shorter documents have no room for deeper nesting.
    guard bytes.count <= 2 * Self.depth || json_depth(handle) <= Self.depth else {
      throw Fault(reason: "it is nested more than \(Self.depth) deep")
    }
    return JSONElement(words: json_tape(handle), texts: json_texts(handle), index: 1)
  }
}

/// A value on the tape of a ``JSONParser``, valid until the parser's next parse.
///
/// Public rather than `package`, because only public functions are inlined in other modules.
public struct JSONElement {
  /// The type of a value, as encoded on the tape.
  public enum Kind: UInt8 {
    case object = 0x7B, list = 0x5B, text = 0x22
    case signed = 0x6C, unsigned = 0x75, number = 0x64
    case yes = 0x74, no = 0x66, null = 0x6E
  }

  @usableFromInline let words: UnsafePointer<UInt64>
  @usableFromInline let texts: UnsafePointer<UInt8>
  @usableFromInline let index: Int

  @inlinable init(words: UnsafePointer<UInt64>, texts: UnsafePointer<UInt8>, index: Int) {
    self.words = words
    self.texts = texts
    self.index = index
  }

  @inlinable @inline(__always) var letter: UInt8 { UInt8(truncatingIfNeeded: words[index] &>> 56) }
  @inlinable @inline(__always) var payload: Int { Int(words[index] & 0x00FF_FFFF_FFFF_FFFF) }

  /// The type of the value.
  @inlinable @inline(__always) public var kind: Kind { Kind(rawValue: letter).unsafelyUnwrapped }

  /// The tape index of the next value.
  @inlinable @inline(__always) var end: Int {
    switch letter {
    case Kind.object.rawValue, Kind.list.rawValue: Int(words[index] & 0xFFFF_FFFF)
    case Kind.signed.rawValue, Kind.unsigned.rawValue, Kind.number.rawValue: index + 2
    default: index + 1
    }
  }

  /// The bytes of a text, or empty for other types.
  @inlinable @inline(__always) public var bytes: UnsafeRawBufferPointer {
    guard letter == Kind.text.rawValue else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let place = UnsafeRawPointer(texts) + payload
    return UnsafeRawBufferPointer(start: place + 4, count: Int(place.loadUnaligned(as: UInt32.self)))
  }

  /// The text, or `nil` for other types.
  @inlinable public var text: String? { letter == Kind.text.rawValue ? String(decoding: bytes, as: UTF8.self) : nil }

  /// Returns the text truncated to `limit` bytes, or `nil` for other types.
  package func message(_ limit: Int = ForeignText.reasonLimit) -> String? {
    letter == Kind.text.rawValue ? ForeignText.cut(bytes, limit) : nil
  }

  /// The value as an `Int64`, or `nil` when it is not an exact integer.
  ///
  /// Accepts a fraction of zeros up to 2^53.
  @inlinable @inline(__always) public var integer: Int64? {
    switch letter {
    case Kind.signed.rawValue: Int64(bitPattern: words[index + 1])
    case Kind.number.rawValue: Double(bitPattern: words[index + 1]).magnitude <= 0x1p53 ? Int64(exactly: double) : nil
    default: nil
    }
  }

  @inlinable @inline(__always) var double: Double { Double(bitPattern: words[index + 1]) }

  /// The number rounded to a `Double`, or `nil` for other types.
  @inlinable @inline(__always) public var number: Double? {
    switch letter {
    case Kind.number.rawValue: double
    case Kind.signed.rawValue: Double(Int64(bitPattern: words[index + 1]))
    case Kind.unsigned.rawValue: Double(words[index + 1])
    default: nil
    }
  }

  /// The value as a `UInt64` if it exceeds `Int64`, otherwise `nil`.
  @inlinable public var unsigned: UInt64? { letter == Kind.unsigned.rawValue ? words[index + 1] : nil }

  /// The boolean, or `nil` for other types.
  @inlinable public var boolean: Bool? {
    letter == Kind.yes.rawValue ? true : letter == Kind.no.rawValue ? false : nil
  }

  /// Whether the value is `null`.
  @inlinable @inline(__always) public var isNull: Bool { letter == Kind.null.rawValue }

  /// The items of a list; empty for other types.
  @inlinable @inline(__always) public var items: JSONItems { JSONItems(self, of: .list) }

  /// The members of an object; empty for other types.
  @inlinable @inline(__always) public var members: JSONMembers { JSONMembers(self) }

  /// The first member with this name, or `nil` when there is none.
  @inlinable public subscript(name: StaticString) -> JSONElement? {
    for (member, value) in members where member.spells(name) { return value }
    return nil
  }

  /// The type's name for messages.
  package var name: String {
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

/// The items of a list.
public struct JSONItems: Sequence, IteratorProtocol {
  @usableFromInline let words: UnsafePointer<UInt64>
  @usableFromInline let texts: UnsafePointer<UInt8>
  @usableFromInline var index: Int
  @usableFromInline let end: Int

  @inlinable @inline(__always) init(_ element: JSONElement, of kind: JSONElement.Kind) {
    words = element.words
    texts = element.texts
    index = element.index + 1
    // The last word is the closing bracket.
    end = element.kind == kind ? element.end - 1 : index
  }

  /// Returns the next item, or `nil` at the end.
  @inlinable @inline(__always) public mutating func next() -> JSONElement? {
    guard index < end else { return nil }
    let element = JSONElement(words: words, texts: texts, index: index)
    index = element.end
    return element
  }
}

/// The members of an object in document order.
///
/// Names may repeat.
public struct JSONMembers: Sequence, IteratorProtocol {
  @usableFromInline var items: JSONItems

  @inlinable @inline(__always) init(_ element: JSONElement) { items = JSONItems(element, of: .object) }

  /// Returns the next member, or `nil` at the end.
  @inlinable @inline(__always) public mutating func next() -> (name: UnsafeRawBufferPointer, value: JSONElement)? {
    guard let name = items.next(), let value = items.next() else { return nil }
    return (name.bytes, value)
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether the bytes equal the text.
  @inlinable @inline(__always) public func spells(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && text.withUTF8Buffer { elementsEqual($0) }
  }
}
