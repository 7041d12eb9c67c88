import Foundation
import Testing

@testable import Server

/// Tests of the configuration file: its settings, the locations of errors, and failed reloads.
@Suite struct ConfigurationTests {
  final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var file: String { "\(path)/rowcast.yaml" }
    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: file)) }
  }

  /// Invalid files, with the line and column of the error and a part of its text.
  private static let broken: [(text: String, place: String, says: String)] = [
    ("prot: 1", "1:1", "unknown setting “prot”"), ("port: 1\nPort: 2", "2:1", "unknown setting “Port”"),
    ("port: 70000", "1:1", "between 0 and 65535"), ("port: -1", "1:1", "between 0 and 65535"),
    ("port: x", "1:7", "whole number"), ("port: 7.5", "1:7", "whole number"), ("port: \"80\"", "1:7", "whole number"),
    ("port: 0x50", "1:7", "whole number"), ("port: 080", "1:7", "whole number"), ("port:", "1:6", "whole number"),
    ("port: [80]", "1:7", "whole number"), ("port: 99999999999999999999", "1:7", "whole number"),
    ("port: 1\nport: 2", "2:1", "twice"), ("listen: example.org", "1:1", "must be an address"),
    ("listen: 0.0.0.0", "1:1", "not a loopback address"),
    ("port: 1\nlisten: 192.168.0.1", "2:1", "not a loopback address"),
    ("unix: /\(String(repeating: "x", count: 90))", "1:1", "at most 90 bytes"),
    ("listen: ''", "1:9", "must not be empty"), ("listen: ~", "1:9", "must not be empty"),
    ("listen: {a: b}", "1:9", "must be a text"), ("unix: relative", "1:1", "begins with /"),
    ("unix: /a\nport: 1", "1:1", "excludes port"), ("unix: /a\nlisten: '::1'", "1:1", "excludes listen"),
    ("public-url: example.org", "1:13", "as browsers write it"),
    ("public-url:\n  - https://a\n  - https://B\n", "3:5", "as browsers write it"),
    ("public-url: [[a]]", "1:14", "must be a text"), ("tls-key: k", "1:1", "needs tls-certificate"),
    ("interval: 1\ntls-certificate: c", "2:1", "needs tls-key"),
    ("tls-certificate: /nowhere/c\ntls-key: /nowhere/k", "1:1", "is not usable"),
    ("no-token: yes", "1:11", "true or false"), ("no-token: 'true'", "1:11", "true or false"),
    ("read-only: 1", "1:12", "true or false"), ("read-only:", "1:11", "true or false"),
    ("no-token: true\ntoken-file: /t", "1:1", "excludes token-file"),
    ("no-token: true\npublic-url: ['https://a.example']", "1:1", "excludes public-url"),
    ("token-file: /etc/passwd", "1:1", "yours"),
    ("web: /nowhere", "1:1", "missing web folder"), ("interval: 60001", "1:1", "between 0 and 60000"),
    ("sessions-per-token: 0", "1:1", "between 1 and 10000"), ("export-rate: x", "1:14", "whole number"),
    ("exports-per-token: 9", "1:1", "between 1 and 8"), ("export-time: 0", "1:1", "between 1 and 86400"),
    ("publish: localhost", "1:1", "nats://127.0.0.1:4222"), ("from: nats://a\nstatus: true", "1:1", "excludes status"),
    ("publish-keys: a..m", "1:1", "needs publish"),
    ("publish: nats://a\npublish-keys: [a..m, jobs=m..a]", "2:22", "holds no key"),
    ("publish: nats://a\npublish-retention: 0", "2:1", "between 1 and"), ("nats-ca: /x", "1:1", "needs publish"),
    ("interval: 1s", "1:11", "whole number"), ("log-level: loud", "1:1", "trace, debug"),
    ("log-level: INFO", "1:1", "trace, debug"), ("log-format: xml", "1:1", "text or json"),
    ("sources: processes", "1:10", "must be a list"), ("sources: []", "1:10", "must not be empty"),
    ("sources:\n  - processes", "2:5", "a source is"), ("sources:\n  - plugin: ''", "2:13", "must not be empty"),
    ("sources:\n  - settings: {}", "2:5", "the name or the path of a plugin"),
    ("sources:\n  - plugin: clock\n  - plugin: clock", "3:13", "two sources are called clock"),
    ("sources:\n  - plugin: nowhere", "2:13", "missing plugin"),
    ("sources:\n  - plugin: clock\n    rows: 1", "3:5", "nothing else"),
    ("sources:\n  - plugin: clock\n    settings: [1]", "3:15", "must be a list of"),
    ("sources:\n  - plugin: clock\n    settings: {a: [1]}", "3:19", "must be one value"),
    ("sources:\n  - child: true", "2:12", "name=command"), ("sources:\n  - child: a b=true", "2:12", "name=command"),
    ("sources:\n  - child: ''", "2:12", "must not be empty"), ("sources:\n  - child: x= ", "2:12", "name=command"),
    ("sources:\n  - plugin: clock\n    child: x=true", "3:12", "excludes the other kinds"),
    ("sources:\n  - plugin: clock\n  - child: clock=true", "3:12", "two sources are called clock"),
    ("record: ''", "1:9", "must not be empty"),
    ("sources:\n  - plugin: clock\n    sha256: abc", "3:13", "64 hexadecimal digits"),
    (
      "sources:\n  - child: x=true\n    sha256: 0000000000000000000000000000000000000000000000000000000000000000",
      "2:5", "not for a child"
    ),
    ("- port: 1", "1:1", "a list of settings"), ("port", "1:1", "a list of settings"),
    ("port: 1\n  listen: x", "2:9", ""),
    ("port: [1", "2:1", ""), ("port: \"1", "1:9", ""), ("\tport: 1", "1:1", ""), ("port: 1\n---\nport: 2", "2:1", ""),
    ("port: *x", "1:7", ""), ("? [a]\n: b", "1:3", "is a text"), ("listen: \"a\\nb\"", "1:9", "one line"),
    ("%YAML 9.9\n---\nport: 1", "1:1", ""), ("port: !!binary x", "1:7", "whole number"),
    ("<<: {port: 1}", "1:1", "unknown setting"), ("sources:\n  - child: a=true\n    isolation: some", "3:16", "strict"),
    ("sources:\n  - plugin: load\n    isolation: strict", "2:5", "not for a shared library"),
  ]

  private func check(_ file: String) throws -> (code: Int32, complaints: String, output: String) {
    let command = try RunningCommand(["config", "check", file], waits: false)
    let code = try command.end()
    return (code, command.complaints, command.remainingOutput)
  }

  @Test func `config check reports an error with its line and column`() throws {
    let folder = try Folder()
    #expect(Self.broken.count >= 50)
    for (text, place, says) in Self.broken {
      try folder.write(text)
      let checked = try check(folder.file)
      #expect(checked.code == 2, "\(text)")
      #expect(checked.complaints.hasPrefix("rowcast: \(folder.file):\(place): "), "\(text): \(checked.complaints)")
      #expect(says == "" || checked.complaints.contains(says), "\(text): \(checked.complaints)")
      #expect(checked.output == "", "\(text)")
    }
  }

  @Test func `config check reports the place of bytes that are not text`() throws {
    let folder = try Folder()
    for (bytes, place) in [
      (Array("port: 1\n# \u{E4}".utf8) + [0xFF], "2:4"), ([0xFF], "1:1"), (Array("web: ".utf8) + [0xC3], "1:6"),
      (Array("port: 1\nweb: \u{0}".utf8), "2:1"),
    ] as [([UInt8], String)] {
      try folder.write(bytes)
      let checked = try check(folder.file)
      #expect(checked.code == 2)
      #expect(checked.complaints.hasPrefix("rowcast: \(folder.file):\(place): "), "\(checked.complaints)")
    }
    #expect(try check("/nowhere/x").code == 1)
    #expect(try check(folder.path).code == 1)
    try folder.write([UInt8](repeating: 0x23, count: (256 << 10) + 1))
    #expect(try check(folder.file).code == 1)
  }

  @Test func `config check prints one line per error`() throws {
    let folder = try Folder()
    try folder.write("port: 70000\ninterval: -1\nlog-level: loud\nweb: /nowhere\n")
    let checked = try check(folder.file)
    #expect(checked.code == 2)
    #expect(checked.complaints.split(separator: "\n").count == 4)
  }

  @Test func `config check reports all independent errors, serve the first`() throws {
    let folder = try Folder()
    try folder.write(
      """
      port: x
      prot: 1
      listen: 0.0.0.0
      tls-certificate: [a]
      log-level: loud
      sources:
        - processes
        - plugin: clock
          rows: 1
          sha256: abc
        - plugin: clock
        - child: x= 
        - plugin: nowhere
      """)
    let checked = try check(folder.file)
    #expect(checked.code == 2)
    let places = checked.complaints.split(separator: "\n").map { line in
      line.dropFirst("rowcast: \(folder.file):".count).split(separator: ": ")[0]
    }
    // An error that only follows from another one is not reported: 0.0.0.0 has a certificate,
    // though an unreadable one.
    #expect(
      places == ["1:7", "2:1", "4:18", "5:1", "7:5", "9:5", "10:13", "11:13", "12:12", "13:13"], "\(checked.complaints)"
    )
    let command = try RunningCommand(["--config", folder.file], waits: false)
    #expect(try command.end() == 2)
    #expect(command.complaints == "rowcast: \(folder.file):1:7: port must be a whole number\n")
  }

  @Test func `config check accepts valid files`() throws {
    let folder = try Folder()
    for text in [
      "unix: /\(String(repeating: "x", count: 89))\n", "interval: 60000\n", "", "# nothing\n", "---\n", "port: 0\n",
      "listen: '::1'\nport: 65535\n", "listen: localhost", "unix: /tmp/x\n",
      "interval: 0\nlog-level: debug\nlog-format: json\nread-only: true\nno-token: false\n",
      "public-url: [https://a, 'http://b:8080']\n", "token-file: \(folder.path)/made-at-the-start\n",
      "sources:\n- plugin: clock\n- {plugin: market, settings: {rows: 10, rate: 0.5, empty: ''}}\n",
      "record: \(folder.path)/made-at-the-start.rowcast\n",
      "sources:\n- child: jobs=sh jobs.sh\n- {child: x=cat, settings: {a: b}}\n- plugin: /bin/cat\n",
      "listen: 0.0.0.0\ntls-certificate: \(RunningServer.certificate.chain)\ntls-key: \(RunningServer.certificate.key)\n",
    ] {
      try folder.write(text)
      let checked = try check(folder.file)
      #expect(checked.code == 0, "\(text): \(checked.complaints)")
      #expect(checked.output == "\(folder.file): no problems found\n")
    }
  }

  @Test func `serve applies the file, and flags override it`() throws {
    let folder = try Folder()
    try folder.write(
      "port: 1\nno-token: true\nread-only: true\nlog-format: json\nsources:\n  - plugin: market\n    settings: {rows: 50, rate: 0}\n"
    )
    let command = try RunningCommand(["--config", folder.file, "--port", "0", "--set", "market.rows=20"])
    let session = try HTTPAnswer.get("/session", port: command.port)
    #expect(session?.body == Array("{\"role\":\"viewer\"}\n".utf8))
    let client = try WebSocketClient.greeted(port: command.port)
    client.send(#"{"type":"open","table":"quotes","request":1,"viewport":{"first":0,"count":100}}"#)
    var rows: Int?
    while rows != 20 {
      let message = try client.message()
      if let seq = message["seq"] as? Int { client.send(#"{"type":"ack","seq":\#(seq)}"#) }
      rows = message["total"] as? Int ?? rows
    }
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    for line in command.complaints.split(separator: "\n") {
      #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any], "\(line)")
    }
  }

  @Test func `the file configures a child program and a recording`() throws {
    let folder = try Folder()
    try folder.write(
      """
      port: 0
      no-token: true
      record: \(folder.path)/served.rowcast
      sources:
        - child: jobs=echo '{"id":1,"name":"build"}'; exec sleep 100
      """)
    let command = try RunningCommand(["--config", folder.file])
    let client = try WebSocketClient.greeted(port: command.port)
    client.send(#"{"type":"open","table":"jobs","request":1}"#)
    while true {
      let message = try client.message()
      if message["type"] as? String != "tables", "\(message)".contains("build") { break }
      if let sequence = message["seq"] as? Int { client.send(#"{"type":"ack","seq":\#(sequence)}"#) }
    }
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    let verifier = try RunningCommand(["replay", "\(folder.path)/served.rowcast", "--verify"])
    #expect(try verifier.end() == 0)
    #expect(verifier.announcement.hasSuffix(": all equal"), "\(verifier.announcement)")
  }

  @Test func `a recording with a reloaded interval verifies`() throws {
    let folder = try Folder()
    let manager = DatagramSocket()
    let head = "port: 0\nno-token: true\nrecord: \(folder.path)/served.rowcast\nsources: [{plugin: clock}]\n"
    try folder.write(head + "interval: 300\n")
    let command = try RunningCommand(["--config", folder.file], environment: ["NOTIFY_SOCKET": manager.path])
    #expect(manager.message()?.hasPrefix("READY=1") == true)
    try folder.write(head + "interval: 50\n")
    command.send(signal: SIGHUP)
    #expect(manager.message()?.hasPrefix("RELOADING=1") == true)
    #expect(manager.message()?.hasPrefix("READY=1") == true)
    let client = try WebSocketClient.open("clock", port: command.port)
    client.send(#"{"type":"ack","seq":1}"#)
    _ = try client.message("patch")
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    let verifier = try RunningCommand(["replay", "\(folder.path)/served.rowcast", "--verify"])
    #expect(try verifier.end() == 0)
  }

  @Test func `does not start with an invalid file or flag`() throws {
    let folder = try Folder()
    try folder.write("no-token: true\nport: 70000\n")
    let command = try RunningCommand(["--config", folder.file], waits: false)
    #expect(try command.end() == 2)
    #expect(command.complaints == "rowcast: \(folder.file):2:1: port: must be between 0 and 65535, not 70000\n")
    let missing = try RunningCommand(["--config", "/nowhere"], waits: false)
    #expect(try missing.end() == 1)
    try folder.write("port: 1\n")
    let flag = try RunningCommand(["--config", folder.file, "--interval=-1"], waits: false)
    #expect(try flag.end() == 2)
    #expect(flag.complaints.hasPrefix("rowcast: "))
    #expect(flag.complaints.contains("--interval: must be between"))
  }

  @Test func `reloading an invalid file changes nothing`() throws {
    let folder = try Folder()
    let manager = DatagramSocket()
    let good = "port: 0\nno-token: true\nread-only: true\nsources: [{plugin: clock}]\n"
    try folder.write(good)
    let command = try RunningCommand(["--config", folder.file], environment: ["NOTIFY_SOCKET": manager.path])
    #expect(manager.message()?.hasPrefix("READY=1") == true)
    let client = try WebSocketClient.greeted(port: command.port)
    func reload() {
      command.send(signal: SIGHUP)
      #expect(manager.message()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
      #expect(manager.message()?.hasPrefix("READY=1") == true)
    }
    func role() throws -> String? {
      try HTTPAnswer.get("/session", port: command.port).map { String(decoding: $0.body, as: UTF8.self) }
    }
    for (text, _, _) in Self.broken {
      // Without the error, this file would change a setting.
      try folder.write(text)
      reload()
      #expect(try role() == "{\"role\":\"viewer\"}\n", "\(text)")
    }
    unlink(folder.file)
    reload()
    #expect(try role() == "{\"role\":\"viewer\"}\n")
    try folder.write(good.replacingOccurrences(of: "read-only: true", with: "read-only: false\ninterval: 50"))
    reload()
    #expect(try role() == "{\"role\":\"operator\"}\n")
    client.send(#"{"type":"open","table":"clock","request":1}"#)
    #expect(try client.message("window")["interval"] as? Int == 50)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    for (text, place, _) in Self.broken {
      #expect(command.complaints.contains("\(folder.file):\(place): "), "\(text)")
    }
  }

  @Test func `a reload disconnects the clients of a removed token`() throws {
    let folder = try Folder()
    let manager = DatagramSocket()
    let (keeper, guest) = (AccessToken(role: .operator), AccessToken(role: .viewer))
    let path = "\(folder.path)/tokens"
    try TokenFile.write([keeper, guest], to: path)
    let command = try RunningCommand(
      ["--port", "0", "--token-file", path, "--plugin", "clock"], environment: ["NOTIFY_SOCKET": manager.path])
    #expect(manager.message()?.hasPrefix("READY=1") == true)
    func client(_ token: AccessToken) throws -> WebSocketClient {
      let lines = WebSocketClient.upgrade(port: command.port, subprotocol: "rowcast.v1, rowcast.token.\(token.text)")
      let client = try WebSocketClient(port: command.port, lines: lines)
      client.send(#"{"type":"hello","version":1}"#)
      return client
    }
    let (stays, goes) = (try client(keeper), try client(guest))
    _ = try stays.message("hello")
    _ = try goes.message("hello")
    try TokenFile.write([keeper], to: path)
    command.send(signal: SIGHUP)
    #expect(goes.closeCode() == 1008)
    stays.send(#"{"type":"open","table":"clock","request":1}"#)
    _ = try stays.message("window")
    let again = WebSocketClient.upgrade(port: command.port, subprotocol: "rowcast.v1, rowcast.token.\(guest.text)")
    #expect(try WebSocketClient.status(of: again, port: command.port) == 401)
  }
}
