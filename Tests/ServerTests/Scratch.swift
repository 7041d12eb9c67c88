import Foundation

/// A temporary folder for one test, deleted with the value.
final class Scratch {
  let path = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Replaces a file atomically; makes it executable if it begins with `#!`.
  @discardableResult func write(_ name: String, _ text: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: file + ".new"))
    if text.hasPrefix("#!") {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file + ".new")
    }
    guard rename(file + ".new", file) == 0 else { throw RawSocket.Failure.nothingCame }
    return file
  }

  /// Returns a program that sends a list of jobs and then waits for its end.
  ///
  /// - Parameter then: Commands to run before it waits.
  static func jobs(_ rows: String, column: String = "name", then: String = "") -> String {
    """
    #!/bin/sh
    echo '{"type":"hello","version":1,"settings":{"type":"object","additionalProperties":true}}'
    read -r hello
    read -r configure
    echo "$configure" >&2
    echo '{"type":"schema","name":"jobs","key":"integer","columns":[{"name":"\(column)","type":"text"}]}'
    echo '{"type":"reload"}'
    echo '{"type":"upsert","rows":[\(rows)]}'
    echo '{"type":"commit"}'
    \(then)
    while read -r line; do :; done

    """
  }
}
