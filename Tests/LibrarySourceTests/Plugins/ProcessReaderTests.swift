import Foundation
import SourceTesting
import Testing

@testable import ProcessReader

/// The process reader, mostly on artificial trees, because a real one keeps changing.
@Suite struct ProcessReaderTests {
  /// An artificial `/proc`.
  private struct Tree {
    let folder: URL

    func add(
      _ pid: Int, name: String = "worker", state: String = "S", cpu: (Int, Int) = (0, 0), threads: Int = 1,
      start: Int = 100,
      pages: Int = 10, flags: Int = 0x40_0100, command: String? = "worker\0--fast\0"
    ) throws {
      let process = folder.appending(path: "\(pid)")
      try FileManager.default.createDirectory(at: process, withIntermediateDirectories: true)
      let line =
        "\(pid) (\(name)) \(state) 1 1 1 0 -1 \(flags) 123 0 0 0 \(cpu.0) \(cpu.1) 0 0 20 0 \(threads) 0 \(start) 1000 \(pages) 18446744073709551615 1 1 0 0\n"
      try Data(line.utf8).write(to: process.appending(path: "stat"))
      if let command { try Data(command.utf8).write(to: process.appending(path: "cmdline")) }
    }

    func remove(_ pid: Int, _ file: String = "") throws {
      try FileManager.default.removeItem(at: folder.appending(path: "\(pid)/\(file)"))
    }
  }

  private func withTree(_ body: (Tree, inout ProcessReader) throws -> Void) throws {
    try Workshop.withFolder { folder in
      var reader = ProcessReader(root: folder.path, ticksPerSecond: 100)
      try body(Tree(folder: folder), &reader)
    }
  }

  @Test func `reads all values of a process`() throws {
    try withTree { tree, reader in
      try tree.add(42, state: "R", cpu: (300, 50), threads: 7, start: 250, pages: 3)
      try Data("cpu 1 2 3\nintr \(String(repeating: "0 ", count: 5_000))\nbtime 1700000000\nprocesses 5\n".utf8)
        .write(to: tree.folder.appending(path: "stat"))
      let rows = try reader.read(at: .zero)
      #expect(
        rows == [
          ProcessRow(
            pid: 42, startTicks: 250, user: NSUserName(), name: "worker", state: "running", cpu: 0,
            memory: 3 * Int64(getpagesize()), threads: 7, started: 1_700_000_002_500_000_000, isKernel: false,
            command: "worker --fast")
        ])
    }
  }

  @Test(arguments: ["two words", "a) R (b", ")", "((", "", "x) S 1 1"])
  func `reads a name with spaces and parentheses`(name: String) throws {
    try withTree { tree, reader in
      try tree.add(1, name: name, threads: 5)
      let rows = try reader.read(at: .zero)
      #expect(rows.map(\.name) == [name])
      #expect(rows.map(\.threads) == [5])
    }
  }

  @Test func `lists processes in order of PID and skips other directories`() throws {
    try withTree { tree, reader in
      for pid in [31, 4, 1_000, 5, 999_999] { try tree.add(pid) }
      try FileManager.default.createDirectory(
        at: tree.folder.appending(path: "self"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(at: tree.folder.appending(path: "12x"), withIntermediateDirectories: true)
      #expect(try reader.read(at: .zero).map(\.pid) == [4, 5, 31, 1_000, 999_999])
    }
  }

  @Test func `shows the name in brackets for an empty command line`() throws {
    try withTree { tree, reader in
      try tree.add(2, name: "kthreadd", command: "")
      try tree.add(3, name: "gone", command: nil)
      try tree.add(4, command: "odd\u{1}\nname\0\0\0")
      #expect(try reader.read(at: .zero).map(\.command) == ["[kthreadd]", "[gone]", "odd  name"])
    }
  }

  @Test func `measures CPU use since the previous reading`() throws {
    try withTree { tree, reader in
      try tree.add(1, cpu: (1_000, 500))
      #expect(try reader.read(at: .seconds(10)).map(\.cpu) == [0])
      try tree.add(1, cpu: (1_030, 520))
      #expect(try reader.read(at: .seconds(12)).map(\.cpu) == [25])
      #expect(try reader.read(at: .seconds(13)).map(\.cpu) == [0])
      try tree.add(1, cpu: (1_430, 520))
      #expect(try reader.read(at: .seconds(14)).map(\.cpu) == [400])  // equals four cores
      try tree.add(1, cpu: (1_431, 520))
      #expect(try reader.read(at: .seconds(14)).map(\.cpu) == [0])  // no share without elapsed time
    }
  }

  @Test func `a reused PID is another process`() throws {
    try withTree { tree, reader in
      try tree.add(7, cpu: (100, 0), start: 10, command: "first")
      let first = try reader.read(at: .seconds(1))
      try tree.add(7, cpu: (5_000, 0), start: 900, command: "second")
      let second = try reader.read(at: .seconds(2))
      #expect(second.map(\.cpu) == [0])
      #expect(second.map(\.command) == ["second"])
      #expect(first[0].key != second[0].key)
    }
  }

  @Test func `kernel threads are recognized by their flag`() throws {
    try withTree { tree, reader in
      try tree.add(2, name: "kthreadd", flags: 0x20_8040, command: "")
      try tree.add(3, flags: 0x40_0100)
      #expect(try reader.read(at: .zero).map(\.isKernel) == [true, false])
    }
  }

  @Test func `keys differ for another PID or another start time`() throws {
    func key(_ pid: Int32, _ start: UInt64) -> Int64 {
      ProcessRow(
        pid: pid, startTicks: start, user: "", name: "", state: "", cpu: 0, memory: 0, threads: 0, started: nil,
        isKernel: false, command: ""
      ).key
    }
    #expect(Set([key(1, 0), key(1, 1), key(2, 0), key(4_194_303, 0), key(4_194_303, 1)]).count == 5)
  }

  @Test func `omits a process that ends while it is read`() throws {
    try withTree { tree, reader in
      for pid in 1...5 { try tree.add(pid) }
      _ = try reader.read(at: .zero)
      try tree.remove(1)
      try tree.remove(2, "stat")
      try Data("3 (work".utf8).write(to: tree.folder.appending(path: "3/stat"))
      try Data().write(to: tree.folder.appending(path: "4/stat"))
      #expect(try reader.read(at: .seconds(1)).map(\.pid) == [5])
    }
  }

  @Test func `a PID that reappears starts with a CPU use of 0`() throws {
    try withTree { tree, reader in
      try tree.add(1, cpu: (0, 0))
      try tree.add(2, cpu: (0, 0))
      _ = try reader.read(at: .seconds(1))
      try tree.remove(2)
      _ = try reader.read(at: .seconds(2))
      try tree.add(2, cpu: (800, 0))
      #expect(try reader.read(at: .seconds(3)).map(\.cpu) == [0, 0])
    }
  }

  @Test func `reads a changed command line again within ten readings`() throws {
    try withTree { tree, reader in
      try tree.add(1, command: "before")
      _ = try reader.read(at: .zero)
      try tree.add(1, command: "after")
      let seen = try (1...10).map { try reader.read(at: .seconds($0))[0].command }
      #expect(seen.last == "after")
      #expect(Set(seen).isSubset(of: ["before", "after"]))
    }
  }

  @Test func `reads the command line again at once after a new name`() throws {
    try withTree { tree, reader in
      try tree.add(1, name: "sh", command: "sh")
      _ = try reader.read(at: .zero)
      try tree.add(1, name: "top", command: "top\0-b\0")
      #expect(try reader.read(at: .seconds(1)).map(\.command) == ["top -b"])
    }
  }

  @Test func `throws an error with the path of a missing directory`() {
    var reader = ProcessReader(root: "/nowhere")
    #expect(throws: ProcessReaderError.cannotList("/nowhere", code: ENOENT)) { try reader.read(at: .zero) }
    #expect("\(ProcessReaderError.cannotList("/nowhere", code: ENOENT))" == "/nowhere: No such file or directory")
  }

  @Test func `lists the test process with plausible values`() throws {
    var reader = ProcessReader()
    _ = try reader.read(at: .zero)
    let rows = try reader.read(at: .seconds(1))
    let own = try #require(rows.first { $0.pid == getpid() })
    #expect(own.user == NSUserName())
    #expect(own.memory > 1_000_000)
    #expect(own.threads >= 1)
    #expect(own.state != "unknown")  // the state depends on which thread the kernel reports
    let age = Date().timeIntervalSince1970 - Double(try #require(own.started)) / 1e9
    #expect(age > -2 && age < 86_400)
    #expect(rows.map(\.pid) == rows.map(\.pid).sorted())
  }
}
