import Glibc
import ListEngine
import ProcessSource
import SourceRuntime
import TextSource

/// A source of text without a schema: a repeated command, a file, standard input, or what clients
/// send.
struct TextSource: Equatable {
  /// The place where the text comes from.
  enum Origin: Equatable {
    /// The output of a command that runs again after each pause.
    case watch(ChildCommand, pause: Duration)
    /// A file; `isFollowed` means that appended lines are read, too.
    case file(String, isFollowed: Bool)
    /// Standard input.
    case input(isFollowed: Bool)
    /// Rows that clients send by HTTP, and to these Unix sockets.
    case ingest([PushSocket.Place])
  }

  /// The pause between two runs of a command, if none is given.
  static let standardPause: Duration = .seconds(2)
  /// The number of last rows kept of an endless stream, if none is given.
  static let streamBound = 1_000_000
  static let pauses: ClosedRange<Double> = 0.1...86_400

  var name: String
  var origin: Origin
  var options = TextOptions()

  /// Creates a source from the output of a shell command line, named after its first word.
  static func watching(line: String, name: String? = nil, pause: Duration = standardPause) -> TextSource? {
    watching(words: ["/bin/sh", "-c", line], title: line, name: name ?? self.name(ofLine: line), pause: pause)
  }

  /// Creates a source from the output of a command.
  ///
  /// - Returns: `nil` if the name is not valid for a table.
  static func watching(words: [String], title: String, name: String?, pause: Duration) -> TextSource? {
    guard let name = name ?? Child(words: words)?.name, Child.isName(name) else { return nil }
    var command = ChildCommand(words[0], Array(words.dropFirst()))
    // The command must see the same files as in the user's shell.
    command.isolation = .light
    var source = TextSource(name: name, origin: .watch(command, pause: pause))
    source.options.title = title
    return source
  }

  private static func name(ofLine line: String) -> String? {
    let word = line.split { !$0.isLetter && !$0.isNumber && !"_-./".contains($0) }.first ?? "sh"
    return Child(words: [String(word)])?.name
  }

  /// Creates a source from a file, named after it: `sales-2026` for `sales 2026.csv`.
  static func reading(file path: String, name: String? = nil, isFollowed: Bool = false) -> TextSource {
    let title = path.split(separator: "/").last.map(String.init) ?? path
    let stem = title.split(separator: ".").first ?? ""
    let letters = stem.unicodeScalars.map { Child.isName(String($0)) ? Character($0) : "-" }
    let own = letters.isEmpty ? "file" : String(letters.prefix(64))
    var source = TextSource(name: name ?? own, origin: .file(path, isFollowed: isFollowed))
    source.options.title = title
    // The extension selects the separator; other formats are recognized from the first line.
    source.options.format = ["csv": .csv, "tsv": .tsv][title.split(separator: ".").last?.lowercased() ?? ""]
    return source
  }

  /// Creates a source of the rows that clients send.
  static func ingesting(name: String, sockets: [PushSocket.Place] = []) -> TextSource {
    var source = TextSource(name: name, origin: .ingest(sockets))
    source.options.defaultRowLimit = streamBound
    return source
  }

  /// Whether clients send the rows.
  var takesUploads: Bool { if case .ingest = origin { true } else { false } }

  /// Makes a command run with the whole environment of this process.
  mutating func inheritEnvironment() {
    guard case .watch(var command, let pause) = origin else { return }
    command.inheritsEnvironment = true
    origin = .watch(command, pause: pause)
  }

  /// Returns the sources with a number appended to names that repeat: `sales`, `sales-2`.
  static func withUniqueNames(_ sources: [TextSource]) -> [TextSource] {
    var names: Set<String> = []
    return sources.map { source in
      var source = source
      let first = source.name
      var number = 2
      while !names.insert(source.name).inserted {
        (source.name, number) = ("\(first.prefix(56))-\(number)", number + 1)
      }
      return source
    }
  }

  /// The reason why the file is not readable, or `nil`.
  var problem: String? {
    guard case .file(let path, _) = origin else { return nil }
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
      return "\(path): \(String(cString: strerror(errno)).lowercased())"
    }
    return status.st_mode & S_IFMT == S_IFDIR ? "\(path): a folder; name a file in it" : nil
  }

  /// Creates a running source.
  ///
  /// - Throws: `PluginError.badSetting` if the file is not readable.
  func make(
    _ command: ChildCommand?, log: @escaping @Sendable (PluginLogLevel, String) -> Void,
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) throws(PluginError) -> any RunningSource {
    if let defaultRowLimit = options.defaultRowLimit, options.rowLimit == nil {
      log(.info, "keeps the last \(defaultRowLimit) rows; --keep sets another number")
    }
    switch origin {
    case .watch(let own, let pause):
      return WatchSource(command ?? own, name: name, pause: pause, options: options, log: log, events: events)
    case .input(let isFollowed):
      return StreamSource(
        STDIN_FILENO, name: name, options: options, isFollowing: isFollowed, log: log, events: events)
    case .ingest(let sockets):
      return PushSource(name: name, options: options, sockets: sockets, log: log, events: events)
    case .file(let path, let isFollowed):
      if let problem { throw .badSetting(source: name, key: nil, message: problem) }
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else {
        let reason = String(cString: strerror(errno)).lowercased()
        throw .badSetting(source: name, key: nil, message: "\(path): \(reason)")
      }
      return StreamSource(
        file, name: name, options: options, isFollowing: isFollowed, ownsFile: true, log: log, events: events)
    }
  }
}
