import Foundation
import Testing

/// Plugins under names of their own, and settings that are checked by the plugins' rules.
@Suite struct NamedPluginTests {
  @Test func `one plugin serves several tables under names of their own`() throws {
    let scratch = try Scratch()
    for word in ["first", "second", "third"] { _ = try scratch.write("\(word).log", "a line of the \(word) file\n") }
    let configuration = try scratch.write(
      "rowcast.yaml",
      """
      port: 0
      no-token: true
      sources:
        - logs: \(scratch.path)/first.log
        - logs: {path: \(scratch.path)/second.log, format: plain}
          name: more
        - plugin: clock
        - plugin: clock
          name: watch
      """)
    let configured = try RunningCommand(["--config", configuration])
    try WebSocketClient.waitFor("a line of the first file", in: "logs", port: configured.port)
    try WebSocketClient.waitFor("a line of the second file", in: "more", port: configured.port)
    try WebSocketClient.waitFor("UTC", in: "clock", port: configured.port)
    try WebSocketClient.waitFor("UTC", in: "watch", port: configured.port)
    configured.send(signal: SIGTERM)
    #expect(try configured.end() == 0)

    let flagged = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--plugin", "logs", "--set", "logs.path=\(scratch.path)/first.log",
      "--plugin", "other=logs", "--set", "other.path=\(scratch.path)/third.log",
    ])
    try WebSocketClient.waitFor("a line of the first file", in: "logs", port: flagged.port)
    try WebSocketClient.waitFor("a line of the third file", in: "other", port: flagged.port)
    flagged.send(signal: SIGTERM)
    #expect(try flagged.end() == 0)
  }

  @Test func `config check reports what programs find in their settings`() throws {
    let scratch = try Scratch()
    let file = try scratch.write(
      "rowcast.yaml",
      """
      sources:
        - http: http://127.0.0.1:1/rows
          settings:
            interval: 3
            intervall: 3
        - postgres: {table: orders, timeout: 90000}
          name: shop
        - stream: ORDERS
        - sqlite: a.db
          settings: {interval: often}
        - child: jobs=echo '[1]'
          settings: {color: red}
        - child: idle=exit 3
      """)
    let command = try RunningCommand(["config", "check", file], waits: false)
    #expect(try command.end() != 0)
    let found = command.complaints.split(separator: "\n").map { $0.replacing("\(file):", with: "") }
    let expected = [
      "5:18: sources: http.intervall: unknown setting; the settings are",
      "6:40: sources: shop.timeout: 90000 is more than 3600",
      "8:13: sources: stream.backend: it must be set",
      "10:26: sources: sqlite.interval: 'often' is not a number",
      "12:23: sources: jobs.color: unknown setting: the program prints rows only",
    ]
    #expect(found.count == expected.count, "\(found)")
    for (line, start) in zip(found, expected) { #expect(line.contains(start)) }
  }

  @Test func `config check accepts a file whose programs accept their settings`() throws {
    let scratch = try Scratch()
    let file = try scratch.write(
      "rowcast.yaml", "sources:\n  - plugin: clock\n  - sqlite: a.db\n    settings: {table: t, interval: 0.5}\n")
    let command = try RunningCommand(["config", "check", file], waits: false)
    #expect(try command.end() == 0, "\(command.complaints)")
  }

  @Test(arguments: [
    ("- postgres: a\n    plugin: clock", "3:13", "a source is one plugin"),
    ("- logs: a\n    path: b", "3:5", "“logs”"),
    ("- logs: a\n    settings: {path: b}", "3:16", "path is set twice"),
    ("- logs: ''", "2:11", "must not be empty"),
    ("- logs: a\n  - logs: b", "3:11", "two sources are called logs: rename one"),
    ("- logs: a\n    name: a b", "3:11", "letters, digits"),
    ("- child: a=true\n    name: b", "3:11", "name is for a plugin"),
    ("- sqlite: {path: [a]}", "2:20", "must be one value"),
  ]) func `an invalid named plugin is refused with its place`(
    _ source: String, _ place: String, _ reason: String
  ) throws {
    let scratch = try Scratch()
    let file = try scratch.write("rowcast.yaml", "sources:\n  \(source)\n")
    let command = try RunningCommand(["config", "check", file], waits: false)
    #expect(try command.end() != 0)
    #expect(command.complaints.contains("rowcast.yaml:\(place): ") && command.complaints.contains(reason))
  }
}
