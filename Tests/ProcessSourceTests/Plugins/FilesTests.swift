import Foundation
import ListEngine
import SourceTesting
import Testing

@testable import ProcessSource

/// The plugin `files` with real folders and images.
@Suite struct FilesTests {
  private let recorder = Recorder()

  /// An image of one pixel.
  private static let picture = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")!

  private func withSource(
    _ configuration: [String: String] = [:], _ body: (ChildSource, URL) throws -> Void
  ) throws {
    try Workshop.withFolder { folder in
      let root = folder.appending(path: "root")
      try FileManager.default.createDirectory(at: root.appending(path: "sub"), withIntermediateDirectories: true)
      try Self.picture.write(to: root.appending(path: "one.png"))
      try Data("hello".utf8).write(to: root.appending(path: "sub/text.txt"))
      try Data("hidden".utf8).write(to: root.appending(path: ".hidden"))
      try FileManager.default.createSymbolicLink(
        at: root.appending(path: "link"), withDestinationURL: URL(filePath: "/etc"))
      let recorder = recorder
      let source = ChildSource(
        ChildCommand(Workshop.root.appending(path: "Plugins/files/files.py").path), name: "files",
        configuration: ["path": root.path].merging(configuration) { $1 }, log: { recorder.note($0, $1) },
        events: { recorder.receive($0) })
      try source.start()
      defer { source.stop() }
      try recorder.wait("the list") { $0.changes.last?.endsReload == true }
      try body(source, root)
    }
  }

  /// Returns the table after all changes, with each row's cells except the thumbnail and the time.
  private func table(_ view: Recorder.View) -> [String: [Cell]] {
    var rows: [String: [Cell]] = [:]
    for row in view.rows {
      if row.verb == .delete {
        rows["\(row.key)"] = nil
      } else {
        rows["\(row.key)"] = row.cells[1...4].map { $0 ?? .null }
      }
    }
    return rows
  }

  private func thumbnails(_ view: Recorder.View) -> [String: Cell] {
    var found: [String: Cell] = [:]
    for case .loaded(let key, 0, let cell) in view.events { found["\(key)"] = cell }
    return found
  }

  private func image(_ number: UInt64, _ view: Recorder.View) -> ImageOutcome? {
    for case .image(number, let outcome) in view.events { return outcome }
    return nil
  }

  @Test func `lists files and directories without links and hidden files`() throws {
    try withSource { _, _ in
      #expect(
        table(recorder.view) == [
          "one.png": [.text("one.png"), .text(""), .text("png"), .integer(Int64(Self.picture.count))],
          "sub": [.text("sub"), .text(""), .text("folder"), .null],
          "sub/text.txt": [.text("text.txt"), .text("sub"), .text("txt"), .integer(5)],
        ])
    }
  }

  @Test func `lists hidden files if the setting is on`() throws {
    try withSource(["hidden": "true"]) { _, _ in #expect(table(recorder.view)[".hidden"] != nil) }
  }

  @Test func `reports created, changed, moved and removed files`() throws {
    try withSource { _, root in
      let manager = FileManager.default
      try Data("new".utf8).write(to: root.appending(path: "new.txt"))
      try recorder.wait("a new file") { table($0)["new.txt"]?[3] == .integer(3) }
      try Data("longer".utf8).write(to: root.appending(path: "new.txt"))
      try recorder.wait("another size") { table($0)["new.txt"]?[3] == .integer(6) }
      try manager.createDirectory(at: root.appending(path: "a/b"), withIntermediateDirectories: true)
      try Data("x".utf8).write(to: root.appending(path: "a/b/deep.txt"))
      try recorder.wait("what lies deep") { table($0)["a/b/deep.txt"] != nil }
      try manager.moveItem(at: root.appending(path: "a"), to: root.appending(path: "z"))
      try recorder.wait("another name") { table($0)["z/b/deep.txt"] != nil && table($0)["a/b/deep.txt"] == nil }
      try Data("y".utf8).write(to: root.appending(path: "z/b/later.txt"))
      try recorder.wait("a file in the folder that was moved") { table($0)["z/b/later.txt"] != nil }
      try manager.removeItem(at: root.appending(path: "z"))
      try recorder.wait("the end of all in it") { table($0).keys.allSatisfy { !$0.hasPrefix("z") } }
      #expect(Set(table(recorder.view).keys) == ["one.png", "new.txt", "sub", "sub/text.txt"])
    }
  }

  @Test func `serves thumbnails, but no image for a foreign or old key`() throws {
    try withSource { source, root in
      source.send(.load(["one.png", "sub/text.txt"].map { DeferredCell(.text($0), column: 0) }))
      try recorder.wait("thumbnails") { thumbnails($0).count == 2 }
      #expect(thumbnails(recorder.view)["sub/text.txt"] == .null)
      guard case .image(let key)? = thumbnails(recorder.view)["one.png"] else {
        Issue.record("\(recorder.view.events)")
        return
      }
      source.send(.image(1, key: key))
      source.send(.image(2, key: "../../etc/passwd|1.2.3.96"))
      source.send(.image(3, key: "one.png|0.0.0.96"))
      try recorder.wait("images") { view in (1...3).allSatisfy { image($0, view) != nil } }
      guard case .bytes(let bytes)? = image(1, recorder.view) else {
        Issue.record("\(String(describing: image(1, recorder.view)))")
        return
      }
      #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8, 0xFF]))
      #expect(image(2, recorder.view) == ImageOutcome.none && image(3, recorder.view) == ImageOutcome.none)
      // A different image with the same name has a different key.
      try Data("no image".utf8).write(to: root.appending(path: "one.png"))
      try recorder.wait("a word that it has changed") { view in
        view.events.contains { if case .forget(.text("one.png"), 0) = $0 { true } else { false } }
      }
      source.send(.image(4, key: key))
      source.send(.load([DeferredCell(.text("one.png"), column: 0)]))
      try recorder.wait("its failure") { view in
        image(4, view) != nil
          && view.events.contains { if case .notLoaded(.text("one.png"), 0, _) = $0 { true } else { false } }
      }
      #expect(image(4, recorder.view) == ImageOutcome.none)
    }
  }

  @Test func `cancelled thumbnails do not block a later request`() throws {
    try Workshop.withFolder { scratch in
      // A thumbnailer that never answers.
      let program = scratch.appending(path: "slow")
      try Data("#!/bin/sh\nexec cat >/dev/null\n".utf8).write(to: program)
      #expect(chmod(program.path, 0o755) == 0)
      try withSource(["thumbnailer": program.path]) { source, root in
        let names = ["one.png", "two.png", "three.png"]
        for name in names.dropFirst() { try Self.picture.write(to: root.appending(path: name)) }
        try recorder.wait("the files") { table($0).count == 5 }
        source.send(.load(names.map { DeferredCell(.text($0), column: 0) }))
        source.send(.cancel(names.map { DeferredCell(.text($0), column: 0) }))
        source.send(.load([DeferredCell(.text("sub/text.txt"), column: 0)]))
        try recorder.wait("what needs no thumbnailer") { thumbnails($0).count == 1 }
        let answers = recorder.view.events.count { if case .notLoaded = $0 { true } else { false } }
        #expect(answers == 0)
      }
    }
  }

  @Test func `does not open a file that was replaced after the listing`() throws {
    try Workshop.withFolder { scratch in
      let program = """
        import os, sys
        sys.path.insert(0, sys.argv[1])
        from tree import Tree
        root = sys.argv[2]
        os.makedirs(root + "/sub/deep")
        for name in ["kept", "link", "other", "pipe", "sub/one", "sub/deep/two"]:
            open(f"{root}/{name}", "w").write(name)
        os.makedirs(root + "/../secret")
        os.link(root + "/sub/one", root + "/../secret/one")
        tree = Tree(root, False, 100)
        tree.scan()
        for name in ["link", "other", "pipe"]:
            os.rename(f"{root}/{name}", f"{root}/../{name}")
        os.symlink(f"{root}/../link", f"{root}/link")
        open(f"{root}/other", "w").write("another")
        os.mkfifo(root + "/pipe")
        def tell(path):
            try:
                print(path, os.read(tree.open(path), 100).decode())
            except OSError as error:
                print(path, "is refused")
        for path in ["kept", "sub/one", "sub/deep/two", "link", "other", "pipe"]:
            tell(path)
        os.rename(root + "/sub", root + "/../sub")
        # Even where the same file lies behind the link.
        os.symlink(root + "/../secret", root + "/sub")
        tell("sub/one")
        os.unlink(root + "/sub")
        tell("sub/one")
        print(len(os.listdir("/proc/self/fd")) < 12)
        """
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/python3")
      process.arguments = [
        "-c", program, Workshop.root.appending(path: "Plugins/files").path, scratch.appending(path: "root").path,
      ]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      #expect(
        text.split(separator: "\n") == [
          "kept kept", "sub/one sub/one", "sub/deep/two sub/deep/two", "link is refused", "other is refused",
          "pipe is refused", "sub/one is refused", "sub/one is refused", "True",
        ])
    }
  }

  @Test func `the image sandbox refuses other files, writes and sockets`() throws {
    try Workshop.withFolder { folder in
      let program = """
        import os, socket, subprocess, sys
        sys.path.insert(0, sys.argv[1])
        import sandbox
        root, other = sys.argv[2] + "/root", sys.argv[2] + "/other"
        os.mkdir(root)
        for path in (root + "/image", other):
            open(path, "w").close()
        held = sandbox.enter([root])
        def attempt(name, action):
            try:
                action()
                print(name)
            except OSError:
                print("no", name)
        attempt("image", lambda: open(root + "/image"))
        attempt("library", lambda: open("/usr/bin/env"))
        if "landlock" in held:
            attempt("other", lambda: open(other))
            attempt("passwd", lambda: open("/etc/passwd"))
            attempt("write", lambda: open(root + "/new", "w"))
            attempt("remove", lambda: os.unlink(root + "/image"))
        if "seccomp" in held:
            attempt("socket", lambda: socket.socket())
            attempt("program", lambda: subprocess.run(["/bin/true"]))
            attempt("signal", lambda: os.kill(os.getppid(), 0))
        print("landlock" in held, "seccomp" in held)
        """
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/python3")
      process.arguments = ["-c", program, Workshop.root.appending(path: "Plugins/files").path, folder.path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      let lines = text.split(separator: "\n").map(String.init)
      #expect(lines.prefix(2) == ["image", "library"] && lines.count >= 3, "\(text)")
      #expect(lines.dropFirst(2).dropLast().allSatisfy { $0.hasPrefix("no ") }, "\(text)")
      // A system without both is none that this is developed on.
      #expect(lines.last == "True True")
    }
  }

  @Test func `refuses a missing directory`() throws {
    let recorder = recorder
    let source = ChildSource(
      ChildCommand(Workshop.root.appending(path: "Plugins/files/files.py").path), name: "files",
      configuration: ["path": "/no/such/folder"], log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("a refusal") { !$0.states.isEmpty }
    #expect(recorder.view.states == ["failed: files.path: '/no/such/folder' is not a folder"])
    #expect(source.stop())
  }
}
