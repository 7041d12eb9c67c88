import Glibc

/// What keeps the command from doing as it was told, though it was told well.
struct EnvironmentFailure: Error, CustomStringConvertible {
  var description: String
}

/// What was examined has failed, and the report says why.
struct Verdict: Error {}

/// Writes one line to standard error.
func complain(_ text: String) {
  let line = "rowcast: " + text.split(separator: "\n").joined(separator: " ") + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

/// Writes one line to standard output at once, whatever it is connected to.
func announce(_ text: String) {
  _ = (text + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) }
}
