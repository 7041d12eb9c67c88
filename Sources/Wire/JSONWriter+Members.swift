extension JSONWriter {
  /// Encodes one object as a line, as programs and the host exchange them.
  ///
  ///     JSONWriter.line("health") { $0.member("id", 7) }    // {"type":"health","id":7}
  ///
  /// - Parameter members: Appends the members after `type`.
  package static func line(_ type: StaticString, _ members: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
    var writer = JSONWriter()
    writer.line(type, members)
    return writer.bytes
  }

  /// Appends one object as a line; see ``line(_:_:)-swift.type.method``.
  package mutating func line(_ type: StaticString, _ members: (inout JSONWriter) -> Void = { _ in }) {
    object {
      $0.type(type)
      members(&$0)
    }
    byte("\n")
  }

  /// Appends an object whose members the closure appends.
  package mutating func object(_ members: (inout JSONWriter) -> Void) {
    beginObject()
    members(&self)
    endObject()
  }

  /// Begins an object; ``endObject()`` ends it.
  package mutating func beginObject() { byte("{") }

  /// Ends the object that began last.
  package mutating func endObject() { byte("}") }

  /// Appends the name of the next member, after a comma unless it is the first one.
  ///
  /// - Parameter name: A name without characters that JSON escapes.
  package mutating func name(_ name: StaticString) {
    separate()
    word(name)
    byte(":")
  }

  /// Appends the name of the next member, which is any text.
  package mutating func name(anyText name: String) {
    separate()
    text(name)
    byte(":")
  }

  /// Appends the name of the next member, which is a JSON string already.
  package mutating func name(encoded name: String) {
    separate()
    encoded(name)
    byte(":")
  }

  /// Appends a value that is JSON already.
  package mutating func encoded(_ json: String) { bytes.append(contentsOf: json.utf8) }

  /// Appends a comma unless the object, or the output, begins here.
  ///
  /// A value never ends with a brace that opens.
  private mutating func separate() {
    if let last = bytes.last, last != UInt8(ascii: "{") { byte(",") }
  }

  /// Appends the member `type` of a message.
  package mutating func type(_ type: StaticString) {
    name("type")
    word(type)
  }

  /// Appends a text without characters that JSON escapes.
  mutating func word(_ text: StaticString) {
    byte("\"")
    raw(text)
    byte("\"")
  }

  /// Appends a text member.
  package mutating func member(_ name: StaticString, _ value: String) {
    self.name(name)
    text(value)
  }

  /// Appends a text member unless the text is missing or empty.
  package mutating func member(_ name: StaticString, unlessEmpty value: String?) {
    guard let value, !value.isEmpty else { return }
    member(name, value)
  }

  /// Appends an integer member.
  package mutating func member(_ name: StaticString, _ value: Int) { member(name, Int64(value)) }

  /// Appends an integer member.
  package mutating func member(_ name: StaticString, _ value: Int64) {
    self.name(name)
    integer(value)
  }

  /// Appends an integer member.
  package mutating func member(_ name: StaticString, _ value: UInt64) {
    self.name(name)
    unsigned(value)
  }

  /// Appends a Boolean member.
  package mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    boolean(value)
  }

  /// Appends an object as a member.
  package mutating func member(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
    self.name(name)
    object(members)
  }

  /// Appends a list as a member.
  package mutating func member<Item>(
    _ name: StaticString, _ items: some Sequence<Item>, _ write: (inout JSONWriter, Item) -> Void
  ) {
    self.name(name)
    list(items, write)
  }

  /// Appends a list of texts as a member unless it is empty.
  package mutating func member(_ name: StaticString, unlessEmpty texts: [String]) {
    if !texts.isEmpty { member(name, texts) { $0.text($1) } }
  }

  package mutating func boolean(_ flag: Bool) { flag ? raw("true") : raw("false") }
}
