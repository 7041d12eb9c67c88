import Foundation
import Testing

/// Tests of arguments that may be omitted on the command line.
@Suite struct OmittedArgumentsTests {
  private func isShown(_ arguments: [String], _ text: String, in table: String, environment: [String: String] = [:])
    throws
  {
    let command = try RunningCommand(arguments, environment: environment)
    try WebSocketClient.waitFor(text, in: table, port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  private static let page = ["--port", "0", "--no-token"]

  @Test(arguments: [
    ("sales 2026.csv", "name,n\nbuild,7\n", "sales-2026"), ("one.csv", "name\nbuild\n", "one"),
    ("a.tsv", "name\tn\nbuild\t7\n", "a"), ("a.json", #"[{"name":"build"}]"#, "a"),
    ("b.ndjson", #"{"name":"build"}"#, "b"), ("c.log", "build has ended\nthe end\n", "c"),
    ("plain", "build\n", "plain"),
  ]) func `a file argument is served as a table`(_ name: String, _ text: String, _ table: String) throws {
    let scratch = try Scratch()
    let file = try scratch.write(name, text)
    for arguments in [[file] + Self.page, Self.page + [file], ["show", file] + Self.page] {
      try isShown(arguments, "build", in: table)
    }
  }

  @Test func `files with the same name are separate tables`() throws {
    let scratch = try Scratch()
    let first = try scratch.write("a.csv", "name,n\nbuild,7\n")
    let second = try scratch.write("a.tsv", "name\tn\ntest\t7\n")
    let command = try RunningCommand([first, second] + Self.page)
    try WebSocketClient.waitFor("build", in: "a", port: command.port)
    try WebSocketClient.waitFor("test", in: "a-2", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test func `a missing file or a folder is one error line and exit code 1`() throws {
    for (path, reason) in [("/nowhere/a.csv", "no such file or directory"), ("/etc", "a folder; name a file in it")] {
      let command = try RunningCommand([path] + Self.page, waits: false)
      #expect(try command.end() == 1)
      #expect(command.complaints == "rowcast: \(path): \(reason)\n")
    }
  }

  @Test(arguments: [
    (["-n", "0.2", "echo", "-e", "NAME USE\\nbuild 7"], "echo"), (["echo build | tr b B"], "echo"),
    (["--", "echo build; true"], "echo"), (["--name", "x", "printenv", "DOORS"], "x"),
  ]) func `a command is watched without a separator`(_ words: [String], _ table: String) throws {
    let text = words.contains { $0.contains("tr b") } ? "Build" : "build"
    try isShown(["watch"] + Self.page + words, text, in: table, environment: ["DOORS": "build"])
  }

  @Test(arguments: [
    (["--preset", "mount"], "relatime", "mount"), (["--preset", "df"], "/dev", "df"),
    (["--preset", "own", "--presets", "."], "build", "own"),
    (["--preset", "own", "--presets", ".", "extra"], "extra", "own"),
  ]) func `a preset names the command and its table`(_ words: [String], _ text: String, _ table: String) throws {
    let scratch = try Scratch()
    _ = try scratch.write("own.yaml", "about: A test\ncommand: echo NAME USE; echo build 7; echo\n")
    try isShown(["watch"] + Self.page + words.map { $0 == "." ? scratch.path : $0 }, text, in: table)
  }

  @Test func `all presets of the installation are valid and listed`() throws {
    let command = try RunningCommand(["watch", "--list-presets"], waits: false)
    #expect(try command.end() == 0)
    let lines = (command.announcement + "\n" + command.remainingOutput).split(separator: "\n")
    #expect(lines.count >= 30 && !lines.contains { $0.contains("(invalid)") }, "\(lines)")
  }

  @Test(arguments: [
    ("command: df", "“about” is missing"), ("about: x\ncommand: df\nkind: y", "unknown member “kind”"),
    ("about: x\ncommand: df\ncolumns: {a: {type: y}}", "unknown type “y”"),
    ("about: x\ncommand: df\nsort: [a, b, c, d, e, f, g, h, i]", "“sort” has 9 columns: use at most 8"),
    ("about: x\ncommand: df\ncolumns: {a: {warn: {b: 1}}}", "columns.a.warn: "),
    ("about: x\ncommand: df\npattern: y", "pattern “y” has no named group"),
  ]) func `an invalid preset is reported with exit code 1`(_ text: String, _ reason: String) throws {
    let scratch = try Scratch()
    _ = try scratch.write("own.yaml", text)
    let command = try RunningCommand(
      ["watch", "--preset", "own", "--presets", scratch.path] + Self.page, waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints.hasPrefix("rowcast: the preset \(scratch.path)/own.yaml is invalid: \(reason)"))
  }

  @Test func `a missing jc is reported with exit code 1`() throws {
    let command = try RunningCommand(
      ["watch", "--jc", "df"], waits: false, environment: ["PATH": "/nowhere"])
    #expect(try command.end() == 1)
    #expect(command.complaints.hasPrefix("rowcast: --jc needs the program jc: install it"))
  }

  @Test func `the address is opened in a browser`() throws {
    let scratch = try Scratch()
    let opened = "\(scratch.path)/opened"
    mkfifo(opened, 0o600)
    // Open both ends, so that opening does not block.
    let pipe = open(opened, O_RDWR)
    defer { close(pipe) }
    let browser = try scratch.write("browser", "#!/bin/sh\necho \"$@\" > \(opened)\n")
    let command = try RunningCommand(
      ["serve", "--port", "0", "--open"], environment: ["BROWSER": "/nowhere/b:\(browser) %s"])
    var entry = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    try #require(poll(&entry, 1, Int32(RawSocket.patience * 1_000)) == 1)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(pipe, &bytes, bytes.count)
    let address = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    // The browser gets a code of its own, because each code is valid once.
    let base = command.url.prefix { $0 != "?" }
    #expect(address.hasPrefix("\(base)?code=") && address != command.url + "\n")
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test(arguments: [
    (
      ["BROWSER": "", "PATH": "/nowhere"],
      "rowcast: --open: no browser found: set BROWSER, or install xdg-utils (xdg-open)\n"
    ),
    (["BROWSER": "false"], "rowcast: --open: no browser was opened: false ended with code 1; open the address above\n"),
  ]) func `a missing or failing browser is reported`(_ environment: [String: String], _ complaint: String) throws {
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--open"], environment: environment)
    try command.waitForComplaint(complaint)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }
}
