import Foundation

/// A folder of a test's own, which goes with it.
final class Scratch {
  let path = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Puts a file in the place of another, as a whole; as a program when it begins as one.
  @discardableResult func write(_ name: String, _ text: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: file + ".new"))
    if text.hasPrefix("#!") {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file + ".new")
    }
    guard rename(file + ".new", file) == 0 else { throw RawSocket.Failure.nothingCame }
    return file
  }

  /// A program that tells a list of jobs, and waits for its end. `then`: what it does before.
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
