import Foundation
import ProcessSource
import SourceRuntime
import Yams

/// A configuration file in YAML, with the location of each setting for error messages.
///
///     port: 7777
///     public-url: https://rows.example.org
///     log-format: json
///     sources:
///       - plugin: processes
///       - plugin: market
///         settings: {rows: 100000, rate: 1000}
///       - postgres: orders
///         name: shop
///         settings: {service: shop}
///       - child: jobs=sh jobs.sh
///       - watch: df -h
struct ConfigurationFile {
  /// An error in the file's content.
  struct Problem: Error, Equatable, CustomStringConvertible {
    var path: String
    var line: Int
    var column: Int
    var text: String
    var description: String { "\(path):\(line):\(column): \(text)" }
  }

  /// An unreadable or oversized file.
  struct Unreadable: Error, CustomStringConvertible {
    var path: String
    var description: String { "the configuration \(path) is not readable, or is larger than 256 KiB" }
  }

  private static let greatestByteCount = 256 << 10

  let path: String
  private(set) var settings = Settings()
  private var marks: [String: Mark] = [:]
  /// The errors in single settings; these settings are missing in ``settings``.
  private(set) var ownProblems: [Problem] = []
  /// The keys of the invalid settings, such as `listen` or `sources[1]`.
  private var spoiled: [String] = []

  /// Reads a file and checks each setting by itself; ``problems`` holds the errors.
  ///
  /// - Throws: ``Unreadable``, or ``Problem`` if the file is not a mapping of settings.
  init(path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: Self.greatestByteCount + 1) ?? Data(), data.count <= Self.greatestByteCount
    else { throw Unreadable(path: path) }
    try self.init(path: path, text: data)
  }

  private init(path: String, text data: Data) throws {
    self.path = path
    guard let text = String(data: data, encoding: .utf8) else {
      throw Self.invalidText(data, path: path)
    }
    let root: Node?
    do {
      root = try Parser(yaml: text).singleRoot()
    } catch {
      throw Self.problem(of: error, in: text, path: path)
    }
    guard let root else { return }
    // A file of comments only is a valid empty configuration.
    if root.scalar?.string == "" { return }
    guard let mapping = root.mapping else {
      throw problem(root, "a configuration is a list of settings, “name: value”")
    }
    for (key, value) in mapping {
      collect(key.scalar?.string ?? "") { file throws(Problem) in try file.take(key, value) }
    }
  }

  /// Runs `take` and records its error, so that all errors of a file are reported together.
  private mutating func collect(_ key: String, _ take: (inout Self) throws(Problem) -> Void) {
    do throws(Problem) {
      try take(&self)
    } catch {
      note(error, about: key)
    }
  }

  private mutating func note(_ problem: Problem, about key: String) {
    ownProblems.append(problem)
    spoiled.append(key)
  }

  // MARK: Single settings

  private mutating func take(_ key: Node, _ value: Node) throws(Problem) {
    guard let name = key.scalar?.string else { throw problem(key, "the name of a setting is a text") }
    marks[name] = key.mark
    switch name {
    case "port": settings.port = try number(value, name)
    case "listen": settings.listen = try text(value, name)
    case "unix": settings.unix = try text(value, name)
    case "public-url": settings.publicURLs = try texts(value, name)
    case "tls-certificate": settings.tlsCertificate = try text(value, name)
    case "tls-key": settings.tlsKey = try text(value, name)
    case "token-file": settings.tokenFile = try text(value, name)
    case "no-token": settings.noToken = try truth(value, name)
    case "read-only": settings.readOnly = try truth(value, name)
    case "allow-root": settings.allowRoot = try truth(value, name)
    case "status": settings.status = try truth(value, name)
    case "web": settings.web = try text(value, name)
    case "interval": settings.interval = try number(value, name)
    case "sessions-per-token": settings.sessionsPerToken = try number(value, name)
    case "exports-per-token": settings.exportsPerToken = try number(value, name)
    case "export-rate": settings.exportRate = try number(value, name)
    case "export-time": settings.exportTime = try number(value, name)
    case "views": settings.views = try text(value, name)
    case "history": settings.histories = try texts(value, name)
    case "changed": settings.changeTimes = try texts(value, name)
    case "record": settings.record = try text(value, name)
    case "publish": settings.publish = try text(value, name)
    case "from": settings.from = try text(value, name)
    case "nats-credentials": settings.natsCredentials = try text(value, name)
    case "nats-ca": settings.natsAuthorities = try text(value, name)
    case "nats-replicas": settings.natsReplicas = try number(value, name)
    case "publish-retention": settings.publishRetention = try number(value, name)
    case "publish-snapshots": settings.publishSnapshots = try number(value, name)
    case "publish-keys": settings.publishKeys = try texts(value, name)
    case "log-level": settings.logLevel = try text(value, name)
    case "log-format": settings.logFormat = try text(value, name)
    case "sources": settings.sources = try sources(value)
    default: throw problem(key, "unknown setting “\(name)”")
    }
  }

  private mutating func sources(_ node: Node) throws(Problem) -> [Settings.Source] {
    guard let list = node.sequence else {
      throw problem(node, "sources must be a list, a line beginning with “-” for each")
    }
    guard !list.isEmpty else { throw problem(node, "sources must not be empty") }
    var sources: [Settings.Source] = []
    for (index, node) in list.enumerated() {
      let place = "sources[\(index)]"
      marks["\(place).plugin"] = node.mark
      var source = Settings.Source()
      if let mapping = node.mapping, mapping.keys.contains(where: { Self.textKinds.contains($0.string ?? "") }) {
        for kind in Self.textKinds { marks["\(place).\(kind)"] = mapping[kind]?.mark }
        collect(place) { file throws(Problem) in
          source.text = try file.textSource(mapping)
          if let node = mapping["isolation"] { source.isolation = try file.isolation(node) }
        }
        sources.append(source)
        continue
      }
      if let mapping = node.mapping {
        for (key, value) in mapping {
          collect(place) { file throws(Problem) in try file.take(key, value, of: &source, at: place) }
        }
        // A command line has no single file to verify.
        if source.sha256 != nil, source.command != nil {
          note(problem(node, "sha256 is for a plugin, not for a child"), about: place)
        }
        // A library runs in the server's own process.
        if source.isolation != nil, source.child == nil, !source.plugin.isEmpty {
          note(problem(node, "isolation is for a program, not for a shared library"), about: place)
        }
        if let name = mapping["name"], source.command != nil {
          note(problem(name, "name is for a plugin: a child has its name before “=”"), about: place)
        }
      } else {
        note(
          problem(
            node,
            "a source is “plugin: name”, “child: name=command”, “watch: command”, “file: path”, “stdin: name”, "
              + "“ingest: name”, or a plugin with its main setting, such as “postgres: table”"),
          about: place)
      }
      // Keep invalid sources, too, because problems refer to sources by index.
      sources.append(source)
    }
    return sources
  }

  private mutating func take(
    _ key: Node, _ value: Node, of source: inout Settings.Source, at place: String
  ) throws(Problem) {
    let kind = key.scalar?.string
    if let program = kind.flatMap(BundledProgram.named) { return try take(program, value, of: &source, at: place) }
    switch kind {
    case "plugin":
      marks["\(place).plugin"] = value.mark
      guard source.plugin.isEmpty else { throw severalKinds(value) }
      source.plugin = try text(value, "plugin")
    case "name":
      source.givenName = try name(value)
    case "child":
      marks["\(place).child"] = value.mark
      guard let child = Child(argument: try text(value, "child")) else {
        throw problem(value, "child must be “name=command”, the name of letters, digits, - and _")
      }
      source.command = child
    case "sha256":
      let digest = try text(value, "sha256")
      guard FileDigest.isOne(digest) else { throw problem(value, "sha256 must be 64 hexadecimal digits") }
      source.sha256 = digest
    case "isolation":
      source.isolation = try isolation(value)
    case "settings":
      try takeSettings(value, "settings", of: &source, at: place)
    default:
      let names = BundledProgram.all.map { "“\($0.name)”" }.joined(separator: ", ")
      throw problem(
        key,
        "a source has one of “plugin”, “child”, \(names), and “name”, “settings”, “isolation” and “sha256”, and "
          + "nothing else")
    }
  }

  /// Reads a source that is named by its plugin: its main setting, or all of them.
  private mutating func take(
    _ program: BundledProgram, _ value: Node, of source: inout Settings.Source, at place: String
  ) throws(Problem) {
    marks["\(place).plugin"] = value.mark
    guard source.plugin.isEmpty else { throw severalKinds(value) }
    source.plugin = program.name
    if value.mapping != nil { return try takeSettings(value, program.name, of: &source, at: place) }
    marks["\(place).settings.\(program.mainSetting)"] = value.mark
    source.settings.append(.init(key: program.mainSetting, value: try text(value, program.name)))
  }

  private func severalKinds(_ node: Node) -> Problem {
    problem(node, "a source is one plugin: use a list item for each")
  }

  private mutating func takeSettings(
    _ node: Node, _ key: String, of source: inout Settings.Source, at place: String
  ) throws(Problem) {
    guard let pairs = node.mapping else { throw problem(node, "\(key) must be a list of “name: value”") }
    for (key, value) in pairs {
      let name = try text(key, "the name of a setting")
      // The plugin checks the value, which may be empty.
      guard let scalar = value.scalar else { throw problem(value, "\(name) must be one value") }
      guard !source.settings.contains(where: { $0.key == name }) else { throw problem(key, "\(name) is set twice") }
      marks["\(place).settings.\(name)"] = value.mark
      source.settings.append(.init(key: name, value: scalar.string))
    }
  }

  private func isolation(_ node: Node) throws(Problem) -> Isolation {
    let name = try text(node, "isolation")
    guard let isolation = Isolation(rawValue: name) else {
      throw problem(node, "isolation must be none, light, standard or strict, not “\(name)”")
    }
    return isolation
  }

  func text(_ node: Node, _ name: String) throws(Problem) -> String {
    guard let text = node.scalar?.string else { throw problem(node, "\(name) must be a text") }
    guard !text.isEmpty, !(node.scalar?.style == .plain && ["~", "null", "Null", "NULL"].contains(text)) else {
      throw problem(node, "\(name) must not be empty")
    }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw problem(node, "\(name) must be one line of text")
    }
    return text
  }

  private mutating func texts(_ node: Node, _ name: String) throws(Problem) -> [String] {
    let nodes = node.sequence.map(Array.init) ?? [node]
    for (index, node) in nodes.enumerated() { marks["\(name)[\(index)]"] = node.mark }
    return try nodes.map { node throws(Problem) in try text(node, name) }
  }

  func number(_ node: Node, _ name: String) throws(Problem) -> Int {
    guard let scalar = node.scalar, scalar.style == .plain, let number = Int(scalar.string),
      "\(number)" == scalar.string
    else {
      throw problem(node, "\(name) must be a whole number")
    }
    return number
  }

  func truth(_ node: Node, _ name: String) throws(Problem) -> Bool {
    guard let scalar = node.scalar, scalar.style == .plain, let truth = Bool(scalar.string) else {
      throw problem(node, "\(name) must be true or false")
    }
    return truth
  }

  // MARK: Problems

  /// All errors in the file, in order of their locations.
  var problems: [Problem] {
    let others = (settings.problems + settings.fileProblems).filter { !isFromOwn($0) }.compactMap(problem)
    return (ownProblems + others).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
  }

  /// Returns whether the problem only follows from a setting that was dropped as invalid.
  private func isFromOwn(_ problem: Settings.Problem) -> Bool {
    spoiled.contains { key in
      problem.key == key || problem.key.hasPrefix("\(key).") || problem.text.contains("needs \(key)")
    }
  }

  /// Returns the problem with its location in the file, or `nil` if the file does not contain the
  /// setting.
  func problem(_ problem: Settings.Problem) -> Problem? {
    guard let mark = marks[problem.key] else { return nil }
    let name = problem.key.split(separator: "[")[0]
    return Problem(path: path, line: mark.line, column: mark.column, text: "\(name): \(problem.text)")
  }

  func problem(_ node: Node, _ text: String) -> Problem {
    Problem(path: path, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1, text: text)
  }

  private static func problem(of error: any Error, in text: String, path: String) -> Problem {
    func at(_ mark: Mark, _ text: String) -> Problem {
      Problem(path: path, line: mark.line, column: mark.column, text: text)
    }
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return at(mark, problem)
    case .duplicatedKeysInMapping(let duplicates, let context):
      let place = placeOfSecond(duplicates.first ?? "", after: context.mark.line, in: text)
      return Problem(
        path: path, line: place?.line ?? context.mark.line, column: place?.column ?? context.mark.column,
        text: "\(duplicates.joined(separator: ", ")): given twice")
    case .reader(let problem, let offset, _, _):
      // The offset counts UTF-16 or UTF-8 code units; either way it finds the right line.
      let before = text.utf8.prefix(offset ?? 0)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      return Problem(path: path, line: line, column: 1, text: problem)
    default: return Problem(path: path, line: 1, column: 1, text: "invalid YAML: \(error)")
    }
  }

  /// Returns the location of a key's second occurrence, which Yams does not report.
  private static func placeOfSecond(_ name: String, after first: Int, in text: String) -> (line: Int, column: Int)? {
    var count = 0
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where index + 1 >= first {
      let indentation = line.prefix { $0 == " " || $0 == "-" }
      guard line.dropFirst(indentation.count).hasPrefix("\(name):") else { continue }
      count += 1
      if count == 2 { return (index + 1, indentation.count + 1) }
    }
    return nil
  }

  private static func invalidText(_ data: Data, path: String) -> Problem {
    var (line, column) = (1, 1)
    var decoder = UTF8()
    var bytes = data.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&bytes) {
      (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
    }
    return Problem(path: path, line: line, column: column, text: "invalid UTF-8")
  }
}
