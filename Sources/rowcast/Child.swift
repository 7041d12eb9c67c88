import ArgumentParser
import Glibc
import ProcessSource

/// A program that serves as a data source.
///
/// It comes from `--child NAME=COMMAND`, from a path after `--plugin`, or from the words after
/// `--`.
struct Child: ExpressibleByArgument, Equatable {
  var name: String
  var command: ChildCommand
  /// Whether the program was named by its path, as a plugin.
  ///
  /// The file of a plugin must pass the trust check; a command line is trusted.
  var isPlugin = false

  /// Parses `NAME=COMMAND`, where the command is a shell command line.
  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "=") else { return nil }
    let line = String(argument[argument.index(after: equals)...])
    name = String(argument[..<equals])
    command = .shell(line)
    guard Self.isName(name), line.contains(where: { !$0.isWhitespace }) else { return nil }
  }

  /// Creates a child from a program and its arguments, named after the program's file.
  init?(words: [String]) {
    guard let program = words.first, !program.isEmpty else { return nil }
    name = Self.name(of: program)
    command = ChildCommand(program, Array(words.dropFirst()))
    guard Self.isName(name) else { return nil }
  }

  /// Creates a child from a plugin that is not a shared library: a path to an executable, or the
  /// name of a ``BundledProgram``.
  init?(plugin: String) {
    let bundled = BundledProgram.named(plugin)
    guard plugin.contains("/") || bundled != nil, !plugin.hasSuffix(".so"),
      let path = realpath(bundled?.path ?? plugin, nil)
    else { return nil }
    defer { free(path) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else { return nil }
    self.init(words: [String(cString: path)])
    name = Self.name(of: plugin)
    isPlugin = true
  }

  /// Returns whether `name` is valid in URLs and settings: 1 to 64 ASCII letters, digits, `-` and
  /// `_`.
  static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x5F || $0 == 0x2D
      }
  }

  /// Returns whether a program is found in `PATH`.
  static func isInstalled(_ program: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// Returns the file's name without its extensions: `market` for `./market.py`.
  private static func name(of program: String) -> String {
    let file = program.split(separator: "/").last.map(String.init) ?? program
    return file.split(separator: ".").first.map(String.init) ?? file
  }
}
