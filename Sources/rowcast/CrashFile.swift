import Glibc
import Logging
import PluginHost

/// Where it is kept which shared libraries have crashed the server: it must outlive the machine's restart, unlike what is only of this run.
enum CrashFile {
  /// Begins to keep it; where that cannot be the server runs all the same, and the log says so.
  static func keep() {
    let folder = folder
    // One after the other, as `mkdir -p` does.
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      mkdir(path, 0o700)
    }
    if let reason = CrashNotes.keep(at: "\(folder)/crashes") {
      Logger(label: "rowcast").warning(
        "crashes of libraries are not written down", metadata: ["file": "\(folder)/crashes", "reason": "\(reason)"])
    }
  }

  private static var folder: String {
    func variable(_ name: String) -> String? {
      guard let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/") else { return nil }
      return value
    }
    // systemd's, which may name several.
    if let folder = variable("STATE_DIRECTORY") { return folder.split(separator: ":").first.map(String.init) ?? folder }
    if let folder = variable("XDG_STATE_HOME") { return "\(folder)/rowcast" }
    return "\(variable("HOME") ?? "/root")/.local/state/rowcast"
  }
}
