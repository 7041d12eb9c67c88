import Dispatch
import SourceTesting
import Testing

@testable import PluginExam

/// A shared library that is examined inside this process.
@Suite struct LibraryUnderTestTests {
  @Test func `accepts lines while the output pipe is full`() throws {
    // The hello alone fills the pipe, so that each answer waits for a reader.
    nonisolated(unsafe) let plugin = LibraryUnderTest(try Workshop.library("market"), pipeBytes: 16)
    defer { #expect(plugin.reap() == 0) }
    let said = DispatchSemaphore(value: 0)
    DispatchQueue(label: "saying").async {
      for id in 1...3 {
        plugin.send(Array(#"{"type":"health","id":\#(id)}"#.utf8) + [0x0A], within: .seconds(60))
      }
      said.signal()
    }
    #expect(said.wait(timeout: .now() + 60) == .success, "it waits for a reader")
    var text = ""
    while !text.contains(#""id":3}"#), let bytes = plugin.read(atMost: 4_096, within: .seconds(60)), !bytes.isEmpty {
      text += String(decoding: bytes, as: UTF8.self)
    }
    #expect(text.split(separator: "\n").filter { $0.contains("health\",\"id\"") }.count == 3, "\(text)")
  }
}
