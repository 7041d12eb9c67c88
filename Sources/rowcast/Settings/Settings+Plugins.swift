import ProcessSource

extension Settings {
  /// The problems that programs find in their settings by the rules that they declare.
  ///
  /// Starts each plugin that is a program, and each other program that has settings, one after the
  /// other. Commands that are watched are not started.
  var pluginProblems: [Problem] {
    var problems: [Problem] = []
    for (index, source) in (sources ?? []).enumerated() {
      guard var child = source.child, child.isPlugin || !source.settings.isEmpty else { continue }
      var values: [String: String] = [:]
      for pair in source.settings { values[pair.key] = pair.value }
      child.command.isolation = source.isolation ?? child.command.isolation
      child.command.sha256 = source.sha256
      do throws(SettingRules.Fault) {
        try SettingsProbe.check(values, of: child.command)
      } catch {
        let place = "sources[\(index)]"
        let key = error.key.flatMap { values[$0] == nil ? nil : "\(place).settings.\($0)" }
        let text = "\(source.name)\(error.key.map { ".\($0)" } ?? ""): \(error.reason)"
        problems.append(Problem(key: key ?? "\(place).\(source.kind)", text: text))
      }
    }
    return problems
  }
}
