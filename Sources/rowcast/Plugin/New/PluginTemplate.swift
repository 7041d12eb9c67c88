import Foundation

/// A generator for the files of a new plugin.
struct PluginTemplate {
  /// A file of the new plugin.
  struct File {
    var path: String
    var text: String
    var isProgram = false
  }

  let name: String
  let language: PluginLanguage

  init(_ name: String, _ language: PluginLanguage) {
    self.name = name
    self.language = language
  }

  /// Returns the files of the new plugin.
  ///
  /// - Throws: ``EnvironmentFailure`` if the SDK's files are not installed.
  func files() throws -> [File] {
    let readme = File(path: "README.md", text: self.readme)
    switch language {
    case .shell: return [File(path: "\(name).sh", text: shell, isProgram: true), readme]
    case .python: return [File(path: "\(name).py", text: python, isProgram: true), readme]
    case .c:
      return [
        File(path: "\(name).c", text: c), File(path: "Makefile", text: cMakefile), readme,
        try kit("CListPlugin/include/list_plugin.h", as: "include/list_plugin.h"),
      ]
    case .swift:
      let names = try FileManager.default.contentsOfDirectory(atPath: try kitFolder("ListPlugin")).sorted()
      let sdk = try names.filter { $0.hasSuffix(".swift") }.map { try kit("ListPlugin/\($0)", as: "ListPlugin/\($0)") }
      let modules = "module CListPlugin {\n  header \"list_plugin.h\"\n  export *\n}\n"
      return [
        File(path: "\(typeName).swift", text: swift), File(path: "Makefile", text: swiftMakefile), readme,
        try kit("CListPlugin/include/list_plugin.h", as: "include/list_plugin.h"),
        File(path: "include/module.modulemap", text: modules),
      ] + sdk
    }
  }

  /// Returns the folder of a part of the SDK, in the repository or where a package installs it.
  private func kitFolder(_ part: String, source: String = #filePath) throws -> String {
    var repository = source
    for _ in 0..<5 { repository = Installation.parent(of: repository) }
    let candidates = ["\(repository)/Sources/\(part)", "\(Installation.folder)/../share/rowcast/kit/\(part)"]
    guard let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      throw EnvironmentFailure(
        description: "the authors' kit is not installed; looked for \(candidates.joined(separator: ", "))")
    }
    return found
  }

  private func kit(_ path: String, as place: String) throws -> File {
    File(path: place, text: try String(contentsOfFile: try kitFolder(path), encoding: .utf8))
  }

  /// The name of the Swift type: `CpuLoadTable` for `cpu-load`.
  ///
  /// The suffix keeps it distinct from the names in the SDK.
  var typeName: String {
    let words = name.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return (words.first?.first?.isNumber ?? true ? "The" : "") + words.joined() + "Table"
  }

  private var readme: String {
    let product = language.product(name)
    let build = language.isBuilt ? "    make\n" : ""
    let what =
      switch language {
      case .shell: "It prints rows: a JSON object a line, with an `id`. The columns are inferred."
      case .python:
        "It writes messages: typed columns, a reload of the list, an answer to `health`, a setting."
      case .c:
        "It is a shared library that implements `include/list_plugin.h`, which documents each function."
      case .swift:
        "It is a shared library; `ListPlugin` is the Swift side of the header in `include`, compiled into it."
      }
    return """
      # \(name)

      A data source for Rowcast. \(what)

      \(build)    rowcast plugin check ./\(product)       # the exam
          rowcast plugin run ./\(product)         # the table, in the browser; restarts when the file changes
          rowcast serve --plugin ./\(product)     # as an operator runs it

      """
  }
}
