import Foundation
import Testing

/// Tests of a program that keeps its rows: loaded where a client looks, and again after a restart.
@Suite struct WindowedProgramTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Creates a file with 2,000 rows, whose names contain this word and their numbers.
  private func make(_ file: URL, _ word: String) throws {
    let program = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      c.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size INT NOT NULL)")
      c.executemany("INSERT INTO things VALUES (?, ?, ?)", [(n, f"{sys.argv[2]} {n}", n * 7 % 2000) for n in range(2000)])
      c.commit()
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program, file.path, word]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// Receives and acknowledges messages until one contains all these texts.
  @discardableResult
  private func wait(_ client: WebSocketClient, for texts: String...) throws -> [String: Any] {
    while true {
      let message = try client.message()
      if let sequence = message["seq"] as? Int { client.send(#"{"type":"ack","seq":\#(sequence)}"#) }
      let text = String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
      if texts.allSatisfy(text.contains) { return message }
    }
  }

  @Test func `loads the viewport's rows, also after the program restarts`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "things.db")
    let other = folder.appending(path: "other.db")
    try make(file, "old")
    try make(other, "new")
    let command = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--plugin", Self.root.appending(path: "Plugins/sqlite/sqlite.py").path,
      "--set", "sqlite.path=\(file.path)", "--set", "sqlite.table=things", "--set", "sqlite.interval=0.05",
    ])
    let client = try WebSocketClient.greeted(port: command.port)
    client.send(#"{"type":"open","table":"things","request":1,"viewport":{"first":0,"count":10}}"#)
    #expect(try wait(client, for: #""old 0""#, #""old 9""#)["rows"] as? Int == 2_000)
    client.send(
      #"{"type":"query","request":2,"query":{"sort":[{"column":"size"}]},"viewport":{"first":0,"count":10}}"#)
    // The row of size 2: 7 · 286 = 2,002.
    let sequence = try #require(try wait(client, for: #""old 286""#)["seq"] as? Int)
    client.send(#"{"type":"viewport","seq":\#(sequence),"first":1500,"count":10}"#)
    // The row of size 1,500: 7 · 500 = 3,500.
    try wait(client, for: #""old 500""#)
    // Another file replaces it: the program ends and restarts, and the client sees the new rows in
    // place.
    #expect(rename(other.path, file.path) == 0)
    try wait(client, for: #""new 500""#)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    #expect(command.complaints.contains("the file was replaced by another one"), "\(command.complaints)")
  }

  @Test func `exports filtered and sorted rows of a remote table`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "things.db")
    try make(file, "thing")
    let command = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--plugin", Self.root.appending(path: "Plugins/sqlite/sqlite.py").path,
      "--set", "sqlite.path=\(file.path)", "--set", "sqlite.table=things",
    ])
    try until { try HTTPAnswer.get("/tables/things.csv", port: command.port, method: "HEAD")?.status != 404 }
    let filter = "%7B%22column%22:%22size%22,%22op%22:%22%3C%22,%22value%22:1500%7D"
    let answer = try HTTPAnswer.get("/tables/things.csv?sort=-size&filter=\(filter)", port: command.port)
    let text = String(decoding: answer?.body ?? [], as: UTF8.self)
    let lines = text.components(separatedBy: "\r\n").filter { $0.contains(",thing ") }
    // Each size occurs once, because 7 and 2,000 are coprime.
    #expect(lines.compactMap { $0.split(separator: ",").last.flatMap { Int($0) } } == (0..<1_500).reversed())
    #expect(lines.first == "1357,thing 1357,1499")
    #expect(text.hasSuffix("\r\n0\r\n\r\n"))
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }
}
