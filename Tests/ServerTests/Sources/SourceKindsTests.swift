import Foundation
import Testing

@testable import Server

/// Sources of text in a server: watched commands, files and standard input, one or many.
@Suite struct SourceKindsTests {
  private func end(_ command: RunningCommand) throws {
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test func `one configuration serves plugins, commands and files`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("app.ndjson", "{\"id\":1,\"text\":\"from a file\"}\n")
    let table = try scratch.write("prices.csv", "name,price\ntea,12\n")
    let configuration = try scratch.write(
      "rowcast.yaml",
      """
      port: 0
      no-token: true
      sources:
        - plugin: clock
        - watch: printf 'NAME  SIZE\\nsda   10\\nsdb   20\\n'
          name: disks
          every: 0.2
          key: NAME
        - file: \(file)
          follow: true
          key: id
        - file: \(table)
          keep: 5
      """)
    let command = try RunningCommand(["--config", configuration])
    try WebSocketClient.waitFor("UTC", in: "clock", port: command.port)
    try WebSocketClient.waitFor("sdb", in: "disks", port: command.port)
    try WebSocketClient.waitFor("from a file", in: "app", port: command.port)
    try WebSocketClient.waitFor("tea", in: "prices", port: command.port)
    let handle = try FileHandle(forWritingTo: URL(filePath: file))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("{\"id\":2,\"text\":\"appended\"}\n".utf8))
    try WebSocketClient.waitFor("appended", in: "app", port: command.port)
    try end(command)
  }

  @Test func `a changed command in the configuration takes over on SIGHUP`() throws {
    let scratch = try Scratch()
    func configure(_ word: String) throws -> String {
      try scratch.write(
        "rowcast.yaml",
        """
        port: 0
        no-token: true
        sources:
          - watch: echo '{"id":1,"word":"\(word)"}'
            name: words
            title: Words
            key: id
        """)
    }
    let command = try RunningCommand(["--config", try configure("before")])
    try WebSocketClient.waitFor("before", in: "words", port: command.port)
    _ = try configure("after")
    command.send(signal: SIGHUP)
    try WebSocketClient.waitFor("after", in: "words", port: command.port)
    try end(command)
  }

  @Test func `each command line to watch is a table of its own`() throws {
    let command = try RunningCommand([
      "watch", "--port", "0", "--no-token", "printf 'A B\\n1 one\\n'", "printf 'A B\\n2 two\\n'",
    ])
    try WebSocketClient.waitFor("one", in: "printf", port: command.port)
    try WebSocketClient.waitFor("two", in: "printf-2", port: command.port)
    try end(command)
  }

  @Test func `flags name commands and files together with a plugin`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.ndjson", "{\"id\":1,\"job\":\"backup\"}\n")
    let command = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--plugin", "clock", "--watch", "up=echo up and running", "--file", file,
    ])
    try WebSocketClient.waitFor("up and running", in: "up", port: command.port)
    try WebSocketClient.waitFor("backup", in: "jobs", port: command.port)
    try end(command)
  }

  @Test(arguments: [
    ("- watch: df\n    every: 0", "3:12", "every must be between"),
    ("- watch: df\n    follow: true", "3:13", "follow is for a source with “file”"),
    ("- file: a.csv\n    every: 3", "3:12", "every is for a source with “watch”"),
    ("- file: a.csv\n    isolation: none", "3:16", "isolation is for a source with “watch”"),
    ("- file: a.csv\n    watch: df", "2:5", "one of “watch”, “preset”, “file”, “stdin” and “ingest”"),
    ("- watch: df\n    rows: 3", "3:5", "a source of text has"),
    ("- watch: df\n    format: xml", "3:13", "format must be one of"),
    ("- watch: df\n    types: size=much", "3:12", "unknown type “much”"),
    ("- watch: df\n    pattern: x\n    format: csv", "4:13", "pattern replaces format"),
    ("- preset: nothing", "2:13", "unknown preset “nothing”"),
    ("- watch: df\n    keep: 0", "3:11", "keep must be between"),
    ("- watch: df\n    name: a b", "3:11", "letters, digits"),
    ("- stdin: a b", "2:12", "letters, digits"),
    ("- file: /nowhere", "2:11", "no such file"),
    ("- watch: df\n  - watch: df -h", "3:12", "two sources are called df"),
  ]) func `an invalid text source is refused with its place`(
    _ source: String, _ place: String, _ reason: String
  ) throws {
    let scratch = try Scratch()
    let file = try scratch.write("rowcast.yaml", "sources:\n  \(source)\n")
    let command = try RunningCommand(["config", "check", file], waits: false)
    #expect(try command.end() != 0)
    #expect(command.complaints.contains("rowcast.yaml:\(place): ") && command.complaints.contains(reason))
  }

  @Test func `clients send rows to a table by HTTP and to its socket`() throws {
    let scratch = try Scratch()
    let socket = "\(scratch.path)/jobs.sock"
    let configuration = try scratch.write(
      "rowcast.yaml",
      """
      port: 0
      no-token: true
      sources:
        - ingest: jobs
          key: job
          title: Jobs
          socket: \(socket)
      """)
    let command = try RunningCommand(["--config", configuration])
    func post(_ body: String, _ method: String = "POST") throws -> HTTPAnswer? {
      try HTTPAnswer.to(
        "\(method) /ingest/jobs HTTP/1.1\r\nHost: 127.0.0.1:\(command.port)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
        port: command.port)
    }
    #expect(try post("{\"job\":\"backup\",\"state\":\"runs\"}\n")?.status == 200)
    try WebSocketClient.waitFor("backup", in: "jobs", port: command.port)
    let local = try RawSocket(path: socket)
    local.send("{\"job\":\"report\",\"state\":\"queued\"}\n{\"state\":\"x\"}\n")
    shutdown(local.descriptor, Int32(SHUT_WR))
    let report = try #require(local.readToEnd())
    #expect(String(decoding: report, as: UTF8.self).hasPrefix("{\"accepted\":1,\"rejected\":1"))
    try WebSocketClient.waitFor("report", in: "jobs", port: command.port)
    #expect(try post("[{\"job\":\"backup\",\"state\":\"done\"}]", "PUT")?.status == 200)
    let rest = try #require(try HTTPAnswer.get("/tables/jobs.ndjson", port: command.port))
    #expect(String(decoding: rest.body, as: UTF8.self).contains("done"))
    #expect(!String(decoding: rest.body, as: UTF8.self).contains("report"))
    try end(command)
  }

  @Test func `token show prints a writer token that a running server accepts`() throws {
    let scratch = try Scratch()
    let command = try RunningCommand(["serve", "--port", "0", "--ingest", "jobs"], folder: scratch.path)
    let show = try RunningCommand(["token", "show", "--port", "\(command.port)"], folder: scratch.path)
    let token = show.announcement
    #expect(try show.end() == 0)
    let answer = try HTTPAnswer.to(
      "POST /ingest/jobs HTTP/1.1\r\nHost: 127.0.0.1:\(command.port)\r\nAuthorization: Bearer \(token)\r\n"
        + "Content-Length: 8\r\n\r\n{\"id\":1}", port: command.port)
    #expect(answer?.status == 200)
    try end(command)
  }
}
