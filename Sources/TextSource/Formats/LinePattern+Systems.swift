extension LinePattern {
  private static let text = ColumnHint(.text)
  private static let time = ColumnHint(.timestamp)

  /// The patterns for sessions, packages and rules, and for other systems than Linux.
  static let systems: [LinePattern] = [
    LinePattern(
      "who-all",
      #" *(?:(?<user>(?!system boot|run-level )\S+) +)?(?:(?<messages>[-+?]) +)?(?<line>system boot|run-level \d|\S+) +(?<time>\d{4}-\d\d-\d\d \d\d:\d\d)(?: +(?<idle>\d\d:\d\d|\.|old))?(?: +(?<pid>\d+))?(?: +(?<comment>\S.*?))? *"#,
      hints: ["line": text, "idle": text, "time": time, "pid": ColumnHint(.integer)],
      skipping: "(?:NAME|USER) +(?:S +)?LINE +.*",
      startsWith: " *system boot .*|(?:NAME|USER) +(?:S +)?LINE +TIME +IDLE .*"),
    LinePattern(
      "mount-options", #"(?<device>.+) on (?<mounted_on>/.*) \((?<type>\w[\w.-]*), (?<options>[^()]*)\)"#),
    LinePattern(
      "ufw",
      #"(?:\[ *(?<number>\d+)\] )?(?<To>\S.*?) +(?<Action>(?:ALLOW|DENY|REJECT|LIMIT)(?: IN| OUT| FWD)?) +(?<From>\S.*?)(?: +# (?<comment>.*?))? *"#,
      hints: ["To": text, "From": text, "comment": text],
      skipping: "(?:Status|Logging|Default|New profiles): .*| *To +Action +From *|[ -]+", startsWith: "Status: active"),
    LinePattern(
      "dir",
      #"(?<modified>\d\d/\d\d/\d{4}  \d\d:\d\d [AP]M) +(?:<(?<kind>[A-Z]+)>|(?<size>[\d,]+)) +(?<name>\S.*?)(?: \[(?<target>.*)\])?"#,
      hints: ["modified": text, "size": ColumnHint(.bytes(1)), "name": text, "target": text],
      skipping: #" Volume .*| +\d+ (?:File|Dir)\(s\).*| +Total Files Listed:"#, heading: "directory",
      startsWith: " Volume .*", titled: " Directory of (?<directory>.+)"),
    LinePattern(
      "manual-pages", #"(?<name>\S+(?:, \S+)*) \((?<section>\d\w*)\) +- (?<description>\S.*)"#,
      hints: ["name": text, "section": text, "description": text]),
    LinePattern(
      "package-names", #"(?<package>(?=[a-z0-9+.-]*[a-z])[a-z0-9][a-z0-9+.-]+) - (?<description>(?!\S+ \[)\S.*)"#,
      hints: ["package": text, "description": text], names: .unique),
    LinePattern(
      "program-log",
      #"(?<program>[A-Za-z][\w./-]*(?:\[\d+\])?) (?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[-+]\d\d:?\d\d)?)[:,]? (?<message>\S.*)"#,
      hints: ["program": text, "time": time, "message": text], joinsLines: true),
  ]
}
