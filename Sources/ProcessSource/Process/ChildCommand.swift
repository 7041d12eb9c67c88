import Glibc
import SourceRuntime

/// A program to start as a child process, with its environment, limits and restrictions.
package struct ChildCommand: Hashable, Sendable {
  /// The program: a path, or a name to search for in PATH.
  package var program: String
  /// The arguments, without the program's name.
  package var arguments: [String]
  /// The initial working directory, or `nil` for the server's.
  package var folder: String?
  /// Environment variables to set in addition to the ``inherited`` ones.
  package var environment: [String: String] = [:]
  /// Whether the child gets the server's whole environment.
  ///
  /// For commands that the user typed, not for plugins.
  package var inheritsEnvironment = false
  /// The memory limit of each of its processes, in bytes.
  package var memory: UInt64 = 2 << 30
  /// The bytes of memory of their own that all its processes may have together; with more the
  /// program is ended.
  package var totalMemory: UInt64 = 4 << 30
  /// The number of processes that it may have; with more the program is ended.
  package var greatestProcessCount = 1_024
  /// The maximum number of open files of each of its processes.
  package var openFiles: UInt64 = 256
  /// The number of processes and threads allowed beyond those that the user has at the start.
  ///
  /// Has no effect for root.
  package var processes: UInt64 = 256

  /// The restrictions on the program.
  package var isolation = Isolation.standard
  /// The paths of the server's tokens, which some levels of ``isolation`` hide from the program.
  package var secrets = Secrets()

  /// The required SHA-256 of the program's file, checked at each start, or `nil` for any.
  package var sha256: String?

  /// Creates a command from a program and its arguments.
  package init(_ program: String, _ arguments: [String] = [], folder: String? = nil) {
    self.program = program
    self.arguments = arguments
    self.folder = folder
  }

  /// Creates a command that runs a line in the shell.
  package static func shell(_ line: String) -> ChildCommand { ChildCommand("/bin/sh", ["-c", line]) }

  /// The environment variables that a child inherits, together with `LC_*`.
  ///
  /// Others may hold secrets.
  static let inherited: Set<String> = ["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"]

  /// Returns whether a variable of the service manager is meant for the server alone.
  private static func ofTheServer(_ name: String) -> Bool {
    name == "NOTIFY_SOCKET" || name == "WATCHDOG_PID" || name == "WATCHDOG_USEC" || name.hasPrefix("LISTEN_")
  }

  /// Returns the child's whole environment.
  package func environment(from ours: [String: String]) -> [String] {
    var result = ours.filter { name, _ in
      inheritsEnvironment ? !Self.ofTheServer(name) : Self.inherited.contains(name) || name.hasPrefix("LC_")
    }
    if result["PATH"] == nil { result["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
    result.merge(environment) { $1 }
    return result.map { "\($0.key)=\($0.value)" }.sorted()
  }

  /// Returns the path of the program, or `nil` when it does not exist or is not executable.
  package func path(searching folders: String?) -> String? {
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

  /// Checks that only root and the current user can create or change the program.
  ///
  /// Requires an absolute path. Since other users can write neither the file nor its folders, the
  /// check still holds when the program is started.
  package func checkTrust() throws(PluginError) {
    let file = try TrustedFile.open(program).file
    defer { close(file) }
    if let sha256 { try FileDigest.check(file, program, is: sha256) }
  }

  /// The environment of this process.
  package static var ours: [String: String] {
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
