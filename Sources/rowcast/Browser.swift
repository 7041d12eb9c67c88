import Foundation
import Glibc

/// The user's web browser.
enum Browser {
  /// Opens an address in a browser, without blocking.
  ///
  /// It tries each command of `$BROWSER` until one succeeds; if `$BROWSER` is empty, it runs
  /// `xdg-open`. A failure is reported on standard error.
  static func open(_ address: String) {
    let commands = commands(
      ProcessInfo.processInfo.environment["BROWSER"], path: ProcessInfo.processInfo.environment["PATH"], address)
    guard !commands.isEmpty else {
      return complain("--open: no browser found: set BROWSER, or install xdg-utils (xdg-open)")
    }
    let thread = Thread {
      var reasons: [String] = []
      for words in commands {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch {
          reasons.append("\(words[0]): \(error.localizedDescription)")
          continue
        }
        process.waitUntilExit()
        if process.terminationReason == .exit, process.terminationStatus == 0 { return }
        reasons.append("\(words[0]) ended with code \(process.terminationStatus)")
      }
      complain("--open: no browser was opened: \(reasons.joined(separator: "; ")); open the address above")
    }
    thread.name = "browser"
    thread.start()
  }

  /// Returns the commands to try, in order.
  ///
  /// `$BROWSER` is a colon-separated list of commands; `%s` in a command stands for the address.
  static func commands(_ browser: String?, path: String?, _ address: String) -> [[String]] {
    let configured = (browser ?? "").split(separator: ":").map { command in
      let words = command.split(separator: " ").map(String.init)
      return words.contains { $0.contains("%s") }
        ? words.map { $0.replacingOccurrences(of: "%s", with: address) } : words + [address]
    }
    if !configured.isEmpty { return configured }
    let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    guard folders.contains(where: { access("\($0)/xdg-open", X_OK) == 0 }) else { return [] }
    return [["xdg-open", address]]
  }
}
