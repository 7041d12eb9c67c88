import ArgumentParser
import Glibc
import PluginHost

/// A program that is a data source: one `--child NAME=COMMAND`, the path of one after `--plugin`, or the words after `--`.
struct Child: ExpressibleByArgument {
  var name: String
  var command: ChildCommand

  /// `NAME=COMMAND`; the command is a line for the shell.
  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "=") else { return nil }
    let line = String(argument[argument.index(after: equals)...])
    name = String(argument[..<equals])
    command = .shell(line)
    guard Self.isName(name), line.contains(where: { !$0.isWhitespace }) else { return nil }
  }

  /// A program and its arguments, called as the program's file is.
  init?(words: [String]) {
    guard let program = words.first, !program.isEmpty else { return nil }
    name = Self.name(of: program)
    command = ChildCommand(program, Array(words.dropFirst()))
    guard Self.isName(name) else { return nil }
  }

  /// A program that `--plugin` names: a path to a file that can be run, and is no shared library.
  init?(plugin: String) {
    guard plugin.contains("/"), !plugin.hasSuffix(".so"), let path = realpath(plugin, nil) else { return nil }
    defer { free(path) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else { return nil }
    self.init(words: [String(cString: path)])
    name = Self.name(of: plugin)
  }

  /// What stands for a table in addresses and settings.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x5F || $0 == 0x2D
      }
  }

  /// `market` for `./market.py`.
  private static func name(of program: String) -> String {
    let file = program.split(separator: "/").last.map(String.init) ?? program
    return file.split(separator: ".").first.map(String.init) ?? file
  }
}
