import Foundation
import PluginHost
import Yams

/// Sources of text in a configuration file: `watch`, `file` and `stdin`.
///
///     sources:
///       - watch: df -h
///         every: 5
///         key: Filesystem
///       - file: /var/log/app.ndjson
///         name: app
///         follow: true
///       - stdin: events
extension ConfigurationFile {
  /// The keys that make a source one of text.
  static let textKinds: Set<String> = ["watch", "file", "stdin"]

  /// Returns the source of text that a mapping describes.
  func textSource(_ mapping: Node.Mapping) throws(Problem) -> TextSource {
    var values: [String: Node] = [:]
    for (key, value) in mapping {
      guard let name = key.scalar?.string,
        ["watch", "file", "stdin", "name", "every", "follow", "isolation"].contains(name)
          || Self.optionKeys.contains(name)
      else {
        throw problem(
          key,
          "a source of text has “watch”, “file” or “stdin”, and “name”, “every”, “follow”, “isolation”, "
            + Self.optionKeys.map { "“\($0)”" }.joined(separator: ", "))
      }
      values[name] = value
    }
    guard let kind = Self.textKinds.first(where: { values[$0] != nil }), let node = values[kind],
      Self.textKinds.count(where: { values[$0] != nil }) == 1
    else { throw problem(Node.mapping(mapping), "a source is one of “watch”, “file” and “stdin”") }
    let name = try values["name"].map { node throws(Problem) in try self.name(node) }
    let isFollowed = try values["follow"].map { node throws(Problem) in try truth(node, "follow") } ?? false
    var source: TextSource
    switch kind {
    case "watch":
      let pause = try values["every"].map { node throws(Problem) in try self.pause(node) } ?? TextSource.standardPause
      guard let watching = TextSource.watching(line: try text(node, "watch"), name: name, pause: pause) else {
        throw problem(node, "the command needs a “name” of letters, digits, - and _")
      }
      source = watching
    case "file": source = .reading(file: try text(node, "file"), name: name, isFollowed: isFollowed)
    default:
      source = TextSource(name: try self.name(node), origin: .input(isFollowed: isFollowed))
      source.options.title = "Standard input"
    }
    for (key, only) in [("every", "watch"), ("follow", "file"), ("isolation", "watch")] where kind != only {
      if let node = values[key], key != "follow" || kind != "stdin" {
        throw problem(node, "\(key) is for a source with “\(only)”")
      }
    }
    try take(values, into: &source.options)
    return source
  }

  /// The keys that describe the text, called like the options of `rowcast watch`.
  private static let optionKeys = ["format", "key", "columns", "title", "keep"]

  private func take(_ values: [String: Node], into options: inout TextOptions) throws(Problem) {
    if let node = values["format"] {
      guard let format = TextFormat(rawValue: try text(node, "format")) else {
        let names = TextFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw problem(node, "format must be one of \(names)")
      }
      options.format = format
    }
    if let node = values["key"] {
      let names = try names(node, "key")
      options.guessesKey = names != ["none"]
      options.key = options.guessesKey ? names : []
    }
    if let node = values["columns"] { options.columns = try names(node, "columns") }
    if let node = values["title"] { options.title = try text(node, "title") }
    if let node = values["keep"] {
      let count = try number(node, "keep")
      guard (1...100_000_000).contains(count) else { throw problem(node, "keep must be between 1 and 100000000") }
      options.kept = count
    }
  }

  private func name(_ node: Node) throws(Problem) -> String {
    let name = try text(node, "name")
    guard Child.isName(name) else { throw problem(node, "a name has 1 to 64 letters, digits, - and _") }
    return name
  }

  private func names(_ node: Node, _ key: String) throws(Problem) -> [String] {
    guard let nodes = node.sequence else {
      return try text(node, key).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    var names: [String] = []
    for node in nodes { names.append(try text(node, key)) }
    return names
  }

  private func pause(_ node: Node) throws(Problem) -> Duration {
    guard let seconds = node.scalar.flatMap({ Double($0.string) }), TextSource.pauses.contains(seconds) else {
      throw problem(node, "every must be between 0.1 and 86400 seconds")
    }
    return .seconds(seconds)
  }
}
