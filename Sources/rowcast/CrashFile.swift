import Glibc
import LibrarySource
import Logging

/// The file that records which shared libraries have crashed the server.
///
/// It lies in a state folder that persists across reboots.
enum CrashFile {
  /// Starts recording crashes; logs a warning if the file is not writable.
  static func keep() {
    let folder = folder
    // Create the folder and its parents, like `mkdir -p`.
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      mkdir(path, 0o700)
    }
    if let reason = CrashNotes.keep(at: "\(folder)/crashes") {
      Logger(label: "rowcast").warning(
        "crashes of libraries are not recorded", metadata: ["file": "\(folder)/crashes", "reason": "\(reason)"])
    }
  }

  private static var folder: String {
    func variable(_ name: String) -> String? {
      guard let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/") else { return nil }
      return value
    }
    // Set by systemd; may contain several paths.
    if let folder = variable("STATE_DIRECTORY") { return folder.split(separator: ":").first.map(String.init) ?? folder }
    if let folder = variable("XDG_STATE_HOME") { return "\(folder)/rowcast" }
    return "\(variable("HOME") ?? "/root")/.local/state/rowcast"
  }
}
