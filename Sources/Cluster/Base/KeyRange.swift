import ListEngine

/// A place in the order of a table's keys: integers by value, and texts by their bytes.
enum KeyBound: Comparable, Sendable {
  /// Before all keys.
  case least
  /// Directly before this key.
  case before(RowKey)
  /// After all keys.
  case greatest

  static func < (left: KeyBound, right: KeyBound) -> Bool {
    switch (left, right) {
    case (.greatest, _), (_, .least): false
    case (.least, _), (_, .greatest): true
    case (.before(let first), .before(let second)): first.precedes(second)
    }
  }

  static func == (left: KeyBound, right: KeyBound) -> Bool { !(left < right) && !(right < left) }

  /// The text of the key; empty at an end of all keys.
  var text: String {
    guard case .before(let key) = self else { return "" }
    return "\(key)"
  }
}

extension RowKey {
  /// Whether the key comes before another one; integers come before texts.
  ///
  /// Texts are compared by their bytes, not by the characters that these mean.
  func precedes(_ other: RowKey) -> Bool {
    switch (self, other) {
    case (.integer(let first), .integer(let second)): first < second
    case (.text(let first), .text(let second)): first.utf8.lexicographicallyPrecedes(second.utf8)
    case (.integer, .text): true
    case (.text, .integer): false
    }
  }
}

/// Keys from one place up to another one.
///
///     KeyRange(from: "a", to: "m", of: .text)   // a..m: from "a" up to, but not with, "m"
struct KeyRange: Equatable, Sendable {
  var from: KeyBound
  var to: KeyBound

  /// All keys.
  static let everything = KeyRange(.least, .greatest)

  init(_ from: KeyBound, _ to: KeyBound) { (self.from, self.to) = (from, to) }

  /// Whether no key lies between the ends.
  var isEmpty: Bool { !(from < to) }

  func contains(_ key: RowKey) -> Bool {
    if case .before(let first) = from, key.precedes(first) { return false }
    guard case .before(let end) = to else { return to == .greatest }
    return key.precedes(end)
  }

  /// Whether all keys of another range lie in this one.
  func contains(_ other: KeyRange) -> Bool { from <= other.from && other.to <= to }

  /// Returns the keys that lie in both ranges; `nil` if there are none.
  func intersection(_ other: KeyRange) -> KeyRange? {
    let common = KeyRange(max(from, other.from), min(to, other.to))
    return common.isEmpty ? nil : common
  }
}

extension KeyRange: CustomStringConvertible {
  /// The range as an operator writes it, such as `a..m` or `m..`.
  var description: String { "\(from.text)..\(to.text)" }
}

extension KeyRange {
  /// Creates the range of the keys of a type between two texts, of which an empty one is an end of
  /// all keys.
  ///
  /// Returns `nil` if a text is not a key of this type, or the range is empty.
  init?(from: String, to: String, of type: KeyType) {
    func key(_ text: String) -> RowKey? {
      switch type {
      case .text: .text(text)
      case .integer: Int64(text).map { .integer($0) }
      }
    }
    var range = KeyRange.everything
    if !from.isEmpty {
      guard let key = key(from) else { return nil }
      range.from = .before(key)
    }
    if !to.isEmpty {
      guard let key = key(to) else { return nil }
      range.to = .before(key)
    }
    guard !range.isEmpty else { return nil }
    self = range
  }
}
