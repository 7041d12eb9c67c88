import TextSource
import Yams

/// Sources of text in a configuration file: `watch`, `file`, `stdin` and `ingest`.
///
///     sources:
///       - watch: df -h
///         every: 5
///         key: Filesystem
///       - preset: ss
///       - file: /var/log/app.ndjson
///         name: app
///         follow: true
///       - stdin: events
///       - ingest: jobs
///         key: id
///         socket: /run/rowcast/jobs.sock
extension ConfigurationFile {
  /// The keys that make a source one of text.
  static let textKinds = ["watch", "preset", "file", "stdin", "ingest"]

  /// Returns the source of text that a mapping describes.
  func textSource(_ mapping: Node.Mapping) throws(Problem) -> TextSource {
    var values: [String: Node] = [:]
    for (key, value) in mapping {
      guard let name = key.scalar?.string,
        Self.textKinds.contains(name) || Self.ownKeys.contains(name) || Self.optionKeys.contains(name)
      else {
        throw problem(
          key,
          "a source of text has “watch”, “preset”, “file”, “stdin” or “ingest”, and "
            + Self.ownKeys.map { "“\($0)”, " }.joined() + Self.optionKeys.map { "“\($0)”" }.joined(separator: ", "))
      }
      values[name] = value
    }
    guard let kind = Self.textKinds.first(where: { values[$0] != nil }), let node = values[kind],
      Self.textKinds.count(where: { values[$0] != nil }) == 1
    else { throw problem(Node.mapping(mapping), "a source is one of “watch”, “preset”, “file”, “stdin” and “ingest”") }
    let name = try values["name"].map { node throws(Problem) in try self.name(node) }
    let isFollowed = try values["follow"].map { node throws(Problem) in try truth(node, "follow") } ?? false
    var source: TextSource
    switch kind {
    case "watch", "preset":
      let pause = try values["every"].map { node throws(Problem) in try self.pause(node) }
      let preset = kind == "preset" ? try self.preset(node) : nil
      let words = try text(node, kind)
      let line = preset?.command ?? words
      let standard = preset?.interval.map { .seconds($0) } ?? TextSource.standardPause
      guard
        var watching = TextSource.watching(
          line: line, name: name ?? (preset == nil ? nil : words), pause: pause ?? standard)
      else {
        throw problem(node, "the command needs a “name” of letters, digits, - and _")
      }
      if let preset, let options = try? preset.options() {
        watching.options = options
        if options.title.isEmpty {
          // Then it is the title rather than the description.
          watching.options.title = preset.about
          watching.options.presentation?.description = ""
        }
      }
      source = watching
    case "file": source = .reading(file: try text(node, "file"), name: name, isFollowed: isFollowed)
    case "ingest":
      var sockets: [PushSocket.Place] = []
      for (key, isDatagram) in [("socket", false), ("datagram", true)] {
        guard let node = values[key] else { continue }
        sockets.append(PushSocket.Place(path: try path(node, key), isDatagram: isDatagram))
      }
      source = .ingesting(name: try self.name(node), sockets: sockets)
    default:
      source = TextSource(name: try self.name(node), origin: .input(isFollowed: isFollowed))
      source.options.title = "Standard input"
    }
    let place = kind == "preset" ? "watch" : kind
    let places = [
      ("every", "watch"), ("follow", "file"), ("isolation", "watch"), ("socket", "ingest"), ("datagram", "ingest"),
    ]
    for (key, only) in places where place != only {
      if let node = values[key], key != "follow" || kind != "stdin" {
        throw problem(node, "\(key) is for a source with “\(only)”")
      }
    }
    try take(values, into: &source.options)
    return source
  }

  /// The keys that describe the source itself.
  private static let ownKeys = ["name", "every", "follow", "isolation", "socket", "datagram"]

  /// The keys that describe the text, called like the options of `rowcast watch`.
  private static let optionKeys = [
    "format", "delimiter", "pattern", "header", "names", "types", "key", "columns", "title", "keep",
  ]

  private func take(_ values: [String: Node], into options: inout TextOptions) throws(Problem) {
    var choices = TextChoices()
    choices.format = try word(values, "format")
    choices.delimiter = try word(values, "delimiter")
    choices.pattern = try word(values, "pattern")
    choices.names = try list(values, "names")
    choices.types = try list(values, "types")
    choices.key = try list(values, "key")
    choices.columns = try list(values, "columns")
    choices.title = try word(values, "title")
    if let node = values["header"] { choices.isHeadless = !(try truth(node, "header")) }
    if choices.pattern != nil {
      for key in ["format", "delimiter"] {
        if let node = values[key] { throw problem(node, "pattern replaces \(key): use one of them") }
      }
      options.format = nil
    }
    do throws(TextArguments.Problem) {
      options = try choices.options(over: options)
    } catch {
      let key = ["types": "type", "pattern": "pattern", "delimiter": "delimiter", "format": "format"]
        .first { values[$0.key] != nil && error.text.contains($0.value) }?.key
      throw problem(key.flatMap { values[$0] } ?? values.values.first!, error.text.replacing("--", with: ""))
    }
    if let node = values["keep"] {
      let count = try number(node, "keep")
      guard (1...100_000_000).contains(count) else { throw problem(node, "keep must be between 1 and 100000000") }
      options.rowLimit = count
    }
  }

  private func word(_ values: [String: Node], _ key: String) throws(Problem) -> String? {
    guard let node = values[key] else { return nil }
    return try text(node, key)
  }

  /// Returns a list, written as a sequence or as one text with commas.
  private func list(_ values: [String: Node], _ key: String) throws(Problem) -> String? {
    guard let node = values[key] else { return nil }
    guard let nodes = node.sequence else { return try text(node, key) }
    var words: [String] = []
    for node in nodes { words.append(try text(node, key)) }
    return words.joined(separator: ",")
  }

  private func preset(_ node: Node) throws(Problem) -> Preset {
    let name = try text(node, "preset")
    do { return try Preset.named(name, folder: nil) } catch { throw problem(node, "\(error)") }
  }

  func name(_ node: Node) throws(Problem) -> String {
    let name = try text(node, "name")
    guard Child.isName(name) else { throw problem(node, "a name has 1 to 64 letters, digits, - and _") }
    return name
  }

  private func path(_ node: Node, _ key: String) throws(Problem) -> String {
    let path = try text(node, key)
    guard path.hasPrefix("/"), path.utf8.count <= 107 else {
      throw problem(node, "\(key) must be a path that begins with / and has at most 107 bytes")
    }
    return path
  }

  private func pause(_ node: Node) throws(Problem) -> Duration {
    guard let seconds = node.scalar.flatMap({ Double($0.string) }), TextSource.pauses.contains(seconds) else {
      throw problem(node, "every must be between 0.1 and 86400 seconds")
    }
    return .seconds(seconds)
  }
}
