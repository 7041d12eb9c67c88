import Foundation
import ProcessSource
import SourceTesting
import Testing

/// A program pinned by its SHA-256 runs only when it is unchanged.
@Suite struct PinnedProgramTests {
  private let recorder = Recorder()

  @Test func `does not start a program with another SHA-256`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "jobs").path
      try Data("#!/bin/sh\necho '{\"id\":1}'\n".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      var command = ChildCommand(path)
      command.sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      let recorder = recorder
      let source = ChildSource(
        command, name: "jobs", log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
      try source.start()
      try recorder.wait("the refusal") {
        $0.states.contains { $0.hasPrefix("backingOff: \(path): not the file that was pinned: its SHA-256 is ") }
      }
      #expect(recorder.view.rows.isEmpty)
      source.stop()
    }
  }
}
