import Foundation

/// Helpers for finding the package's files and libraries and for building plugins.
package enum Workshop {
  /// The package's folder.
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  package static let include = root.appending(path: "Sources/CListPlugin/include").path

  /// Returns the path of a plugin of this package, next to the test program.
  package static func library(_ name: String) throws -> String {
    let program = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let folders = [program, URL(filePath: CommandLine.arguments[0])].map { $0.deletingLastPathComponent() }
    let candidates = (folders + [root.appending(path: ".build/debug")]).map { $0.appending(path: "lib\(name).so").path }
    guard let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      throw Failure(description: "lib\(name).so was not built; looked for \(candidates)")
    }
    return found
  }

  /// Calls `body` with a temporary folder, which is removed afterwards.
  package static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// Builds a plugin from a C file.
  package static func build(_ source: URL, into folder: URL, defining macros: [String] = []) throws -> String {
    let output = folder.appending(path: "lib\(source.deletingPathExtension().lastPathComponent)-\(macros.joined()).so")
      .path
    try run(
      compiler(["cc", "clang"]),
      ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-I", include, "-o", output]
        + macros.map { "-D\($0)" } + [source.path])
    return output
  }

  /// Builds a plugin from a Swift file with the `ListPlugin` module built for the tests.
  package static func buildSwift(_ source: URL, into folder: URL) throws -> String {
    let name = source.deletingPathExtension().lastPathComponent
    let output = folder.appending(path: "lib\(name).so").path
    let products = URL(filePath: try library("load")).deletingLastPathComponent()
    let objects = try ["ListPlugin.build", "CListPlugin.build"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(at: products.appending(path: folder), includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "o" }.map(\.path)
    }
    try run(
      compiler(["swiftc"]),
      [
        "-emit-library", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-module-name", name,
        "-module-cache-path", folder.path, "-I", products.appending(path: "Modules").path, "-Xcc",
        "-fmodule-map-file=\(products.appending(path: "CListPlugin.build/module.modulemap").path)", "-Xcc",
        "-I\(include)", "-o", output, source.path,
      ] + objects, in: folder)
    return output
  }

  /// Returns the first installed compiler of these, in PATH, /usr/bin or the Swift toolchain.
  package static func compiler(_ names: [String]) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map(String.init)
    for name in names {
      for folder in folders + ["/usr/bin", "/opt/swift/usr/bin"] {
        if FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") { return "\(folder)/\(name)" }
      }
    }
    throw Failure(description: "none of \(names) is installed")
  }

  /// Runs a program to its end and throws an error with its output when it fails.
  package static func run(_ program: String, _ arguments: [String], in folder: URL? = nil) throws {
    try withFolder { scratch in
      let log = scratch.appending(path: "log")
      _ = FileManager.default.createFile(atPath: log.path, contents: nil)
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = arguments
      if let folder { process.currentDirectoryURL = folder }
      let output = try FileHandle(forWritingTo: log)
      process.standardOutput = output
      process.standardError = output
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw Failure(description: "\(program) \(arguments):\n\(try String(contentsOf: log, encoding: .utf8))")
      }
    }
  }

  package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
  }
}
