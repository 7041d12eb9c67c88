import Foundation
import Glibc

/// A plugin's folder as `rowcast plugin new` creates it.
///
/// The folder `jobs` contains `jobs.py`, `jobs.sh` or, built by its Makefile, `libjobs.so`.
struct PluginFolder {
  private let path: String
  private let givenName: String

  /// Creates a reference to a folder by its absolute path and the name to use in error messages.
  init(_ path: String, named givenName: String) { (self.path, self.givenName) = (path, givenName) }

  /// Runs `make` if the folder has a Makefile; its output goes to standard error.
  ///
  /// - Throws: ``EnvironmentFailure`` if `make` fails.
  func build() throws {
    guard access("\(path)/Makefile", R_OK) == 0 else { return }
    let make = Process()
    make.executableURL = URL(filePath: "/usr/bin/env")
    make.arguments = ["make", "--silent", "-C", path]
    make.standardOutput = FileHandle.standardError
    do { try make.run() } catch {
      throw EnvironmentFailure(description: "\(givenName): make did not start: \(error.localizedDescription)")
    }
    make.waitUntilExit()
    guard make.terminationStatus == 0 else {
      throw EnvironmentFailure(
        description: "\(givenName): make failed with code \(make.terminationStatus); its output is above")
    }
  }

  /// Returns the path of the plugin in the folder.
  ///
  /// - Throws: ``EnvironmentFailure`` if there is none, or if the choice is ambiguous.
  func product() throws -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let names = ["lib\(name).so", "\(name).py", "\(name).sh", name]
    if let found = names.first(where: isFile) { return "\(path)/\(found)" }
    // A renamed folder still contains exactly one plugin.
    let others = (try? FileManager.default.contentsOfDirectory(atPath: path))?.filter {
      isFile($0) && ($0.hasPrefix("lib") && $0.hasSuffix(".so") || access("\(path)/\($0)", X_OK) == 0)
    }
    if let others, others.count == 1 { return "\(path)/\(others[0])" }
    throw EnvironmentFailure(
      description: "\(givenName): no plugin in this folder; looked for \(names.joined(separator: ", "))")
  }

  private func isFile(_ name: String) -> Bool {
    var status = stat()
    return stat("\(path)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
