import Glibc

/// What is started as a child process, and what it may use.
public struct ChildCommand: Hashable, Sendable {
  /// The program: a path, or a name that is looked for in PATH.
  public var program: String
  /// Its arguments, without the program's name.
  public var arguments: [String]
  /// The folder that it begins in; ours when `nil`.
  public var folder: String?
  /// What its environment has beside what is always handed on; see ``inherited``.
  public var environment: [String: String] = [:]
  /// Whether it gets our whole environment: for a command that its user has typed, and no plugin.
  public var inheritsEnvironment = false
  /// How much memory of its own each of its processes may have, in bytes.
  public var memory: UInt64 = 2 << 30
  /// The bytes of memory of their own that all its processes may have together; with more the program is ended.
  public var totalMemory: UInt64 = 4 << 30
  /// The number of processes that it may have; with more the program is ended.
  public var greatestProcessCount = 1_024
  /// How many files each of its processes may have open.
  public var openFiles: UInt64 = 256
  /// How many processes and threads may be started beside those that its user had before; means nothing to root.
  public var processes: UInt64 = 256

  /// The rights that are taken from it.
  public var isolation = Isolation.standard
  /// The paths that it must not read, where ``isolation`` says so: those with the server's tokens.
  public var secrets = Secrets()

  /// What the SHA-256 of the program's file must be, each time that it is started; `nil` for any.
  public var sha256: String?

  /// A program with its arguments.
  public init(_ program: String, _ arguments: [String] = [], folder: String? = nil) {
    self.program = program
    self.arguments = arguments
    self.folder = folder
  }

  /// A line for the shell.
  public static func shell(_ line: String) -> ChildCommand { ChildCommand("/bin/sh", ["-c", line]) }

  /// Of our own environment a child gets these and `LC_*`, and nothing else: what else is there may be secret.
  static let inherited: Set<String> = ["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"]

  /// What the system manager has told us alone.
  private static func ofTheServer(_ name: String) -> Bool {
    name == "NOTIFY_SOCKET" || name == "WATCHDOG_PID" || name == "WATCHDOG_USEC" || name.hasPrefix("LISTEN_")
  }

  /// The child's whole environment.
  func environment(from ours: [String: String]) -> [String] {
    var result = ours.filter { name, _ in
      inheritsEnvironment ? !Self.ofTheServer(name) : Self.inherited.contains(name) || name.hasPrefix("LC_")
    }
    if result["PATH"] == nil { result["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
    result.merge(environment) { $1 }
    return result.map { "\($0.key)=\($0.value)" }.sorted()
  }

  /// Where the program is; `nil` when it is nowhere, or may not be run.
  func path(searching folders: String?) -> String? {
    func isProgram(_ path: String) -> Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
    if program.contains("/") {
      let path = program.hasPrefix("/") || folder == nil ? program : "\(folder!)/\(program)"
      return isProgram(path) ? path : nil
    }
    return (folders ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
      .first(where: isProgram)
  }

  /// Checks that nobody but root and we can have put the program there or changed it. For one that is named by an absolute path.
  ///
  /// Since nobody else can write to it nor to the folders on the way, it is the same when it is started.
  public func checkTrust() throws(PluginError) {
    let file = try TrustedFile.open(program).file
    defer { close(file) }
    if let sha256 { try FileDigest.check(file, program, is: sha256) }
  }

  /// Our own environment.
  static var ours: [String: String] {
    var result: [String: String] = [:]
    var place = environ
    while let entry = place.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        result[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      place += 1
    }
    return result
  }
}
