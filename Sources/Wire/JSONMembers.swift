import ListEngine

/// The members of one JSON object of a message, with typed accessors.
///
/// Errors name the member at fault. Members that are `null` count as omitted, and unknown members
/// are ignored, as docs/protocol.md requires.
struct JSONMembers {
  private let members: [(name: String, value: JSONValue)]
  /// The object's location in its message, for error messages; empty for the message itself.
  private let path: String

  /// - Throws: ``ListEngine/ClientError/unreadableMessage(_:)`` if `value` is not an object.
  init(_ value: JSONValue, path: String = "") throws(ClientError) {
    guard case .object(let members) = value else {
      throw .unreadableMessage("\(path.isEmpty ? "the message" : path) must be an object, not \(value.kind)")
    }
    self.members = members
    self.path = path
  }

  func fullName(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The names of all members in source order.
  var names: [String] { members.map(\.name) }

  /// The value of the last member with this name; `nil` if it is omitted or `null`.
  subscript(_ name: String) -> JSONValue? {
    guard let value = members.last(where: { $0.name == name })?.value else { return nil }
    if case .null = value { return nil }
    return value
  }

  private func mustBe(_ wanted: String, _ name: String, _ found: JSONValue) -> ClientError {
    .unreadableMessage("\(fullName(name)) must be \(wanted), not \(found.kind)")
  }

  private func isMissing(_ name: String) -> ClientError { .unreadableMessage("\(fullName(name)) is missing") }

  // MARK: Texts

  /// Returns a text member.
  ///
  /// - Parameter limit: The maximum length in Unicode scalars.
  func text(_ name: String, limit: Int) throws(ClientError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .text(let text) = value else { throw mustBe("a text", name, value) }
    // Count bytes first: this is O(1), and a text never has more scalars than bytes.
    guard text.utf8.count <= limit || text.unicodeScalars.count <= limit else {
      throw .tooLong("\(fullName(name)) has more than \(limit) characters")
    }
    return text
  }

  func requiredText(_ name: String, limit: Int) throws(ClientError) -> String {
    guard let text = try text(name, limit: limit) else { throw isMissing(name) }
    return text
  }

  // MARK: Numbers

  /// Returns an integer member; numbers such as `7.0` count as integers.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws(ClientError) -> Int64? {
    guard let value = self[name] else { return nil }
    guard let whole = value.whole else {
      guard case .number(let number) = value else { throw mustBe("a number", name, value) }
      guard number.rounded() == number else { throw mustBe("a whole number", name, value) }
      throw .outOfRange("\(fullName(name)) must be between \(range.lowerBound) and \(range.upperBound)")
    }
    guard range.contains(whole) else {
      throw .outOfRange("\(fullName(name)) must be between \(range.lowerBound) and \(range.upperBound), not \(whole)")
    }
    return whole
  }

  func requiredInteger(_ name: String, in range: ClosedRange<Int64>) throws(ClientError) -> Int64 {
    guard let value = try integer(name, in: range) else { throw isMissing(name) }
    return value
  }

  /// Returns a duration member, given in milliseconds with an optional fraction.
  func milliseconds(_ name: String, upTo longest: Duration) throws(ClientError) -> Duration? {
    guard let value = self[name] else { return nil }
    let number: Double
    switch value {
    case .integer(let integer): number = Double(integer)
    case .number(let some): number = some
    default: throw mustBe("a number", name, value)
    }
    let greatest = longest.nanoseconds / 1_000_000
    guard number >= 0, number <= Double(greatest) else {
      throw .outOfRange("\(fullName(name)) must be between 0 and \(greatest)")
    }
    return .nanoseconds(Int64((number * 1_000_000).rounded()))
  }

  // MARK: Other types

  func boolean(_ name: String) throws(ClientError) -> Bool? {
    guard let value = self[name] else { return nil }
    guard case .boolean(let flag) = value else { throw mustBe("true or false", name, value) }
    return flag
  }

  func requiredBoolean(_ name: String) throws(ClientError) -> Bool {
    guard let flag = try boolean(name) else { throw isMissing(name) }
    return flag
  }

  func list(_ name: String, limit: Int) throws(ClientError) -> [JSONValue] {
    guard let value = self[name] else { return [] }
    guard case .array(let values) = value else { throw mustBe("a list", name, value) }
    guard values.count <= limit else { throw .tooLong("\(fullName(name)) has more than \(limit) entries") }
    return values
  }

  func object(_ name: String) throws(ClientError) -> JSONMembers? {
    guard let value = self[name] else { return nil }
    return try JSONMembers(value, path: fullName(name))
  }
}
