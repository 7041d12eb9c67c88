import ListEngine

/// The keys of a publisher's tables that it publishes, from `--publish-keys [TABLE=]FROM..TO`.
///
///     let keys = try PublishedKeys(arguments: ["orders=a..m"])
package struct PublishedKeys: Hashable, Sendable {
  /// The reason why an argument is refused.
  package struct Fault: Error, Hashable {
    /// The number of the argument.
    package var index: Int
    /// The fault and its remedy.
    package var text: String
  }

  private struct Ends: Hashable, Sendable {
    var from: String
    var to: String
  }

  /// The greatest size of an end, in bytes.
  static let greatestEnd = 48
  /// The ends for each table; `nil` stands for all tables that are not named.
  private var tables: [String?: Ends] = [:]

  /// Creates the keys of a publisher that publishes all of them.
  package init() {}

  /// Reads the arguments of the option.
  package init(arguments: [String]) throws(Fault) {
    for (index, argument) in arguments.enumerated() {
      let (table, ends) = try Self.parts(of: argument, index)
      guard tables.updateValue(ends, forKey: table) == nil else {
        throw Fault(
          index: index,
          text: "\(table.map { "the table \($0) has" } ?? "tables without a range of their own have") two ranges: "
            + "give one, because a publisher has one part of a table")
      }
    }
  }

  private static func parts(of argument: String, _ index: Int) throws(Fault) -> (table: String?, Ends) {
    func fault(_ text: String) -> Fault { Fault(index: index, text: text) }
    let advice = "must be a range of keys such as a..m, m.. or orders=..m, not “\(argument)”"
    var table: String?
    var range = Substring(argument)
    if let sign = argument.firstIndex(of: "="), !argument[..<sign].contains("..") {
      table = String(argument[..<sign])
      range = argument[argument.index(after: sign)...]
    }
    let ends = range.split(separator: "..", omittingEmptySubsequences: false)
    guard table?.isEmpty != true, ends.count == 2, !ends.contains(where: { $0.hasPrefix(".") || $0.hasSuffix(".") })
    else { throw fault(advice) }
    let (from, to) = (String(ends[0]), String(ends[1]))
    guard !from.isEmpty || !to.isEmpty else { throw fault("“\(argument)” holds every key: leave the option out") }
    guard max(from.utf8.count, to.utf8.count) <= greatestEnd else {
      throw fault("has an end of more than \(greatestEnd) bytes: use the first bytes that tell the keys apart")
    }
    guard KeyType.isAnyRange(from, to) else {
      throw fault("“\(argument)” holds no key: its first end must come before the other one")
    }
    return (table, Ends(from: from, to: to))
  }

  /// The publishable part of a table.
  enum Part: Equatable {
    case everything
    case keys(KeyRange)
    /// The option does not fit the table, for this reason.
    case refused(String)

    /// The keys; `nil` for all of them.
    var range: KeyRange? {
      guard case .keys(let range) = self else { return nil }
      return range
    }
  }

  /// Returns the part of a table that is published.
  func part(of table: String, _ key: KeyType) -> Part {
    guard let ends = tables[table] ?? tables[nil] else { return .everything }
    if let range = KeyRange(from: ends.from, to: ends.to, of: key) { return .keys(range) }
    let text = "\(ends.from)..\(ends.to)"
    return .refused(
      "its keys are of type \(key.rawValue), which --publish-keys \(text) does not fit: give it a range of "
        + (key == .integer ? "whole numbers, such as 1..1000" : "texts in the order of their bytes, such as a..m"))
  }
}

extension KeyType {
  /// Whether two texts are the ends of a range for some type of key.
  fileprivate static func isAnyRange(_ from: String, _ to: String) -> Bool {
    [KeyType.integer, .text].contains { KeyRange(from: from, to: to, of: $0) != nil }
  }
}
