import Glibc

/// A failure of the operator's environment, as opposed to an error in the command line.
struct EnvironmentFailure: Error, CustomStringConvertible {
  var description: String
}

/// A failed check whose report has already been printed.
struct Verdict: Error {}

/// Writes one line to standard error, prefixed with the command's name.
func complain(_ text: String) {
  let line = "rowcast: " + text.split(separator: "\n").joined(separator: " ") + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

/// Writes one line to standard output without buffering.
func announce(_ text: String) {
  _ = (text + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) }
}
