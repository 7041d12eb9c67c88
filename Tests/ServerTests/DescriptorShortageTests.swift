import Foundation
import Glibc
import Testing

/// A server that has no file descriptor left when a source needs some.
@Suite struct DescriptorShortageTests {
  /// glibc shows it to programs in C only.
  private static let change = dlsym(nil, "prlimit").map {
    unsafeBitCast(
      $0, to: (@convention(c) (pid_t, UInt32, UnsafePointer<rlimit>?, UnsafeMutablePointer<rlimit>?) -> Int32).self)
  }

  /// Sets how many descriptors a process may have; the result is the limit before.
  @discardableResult
  private func limit(_ process: pid_t, to count: rlim_t) throws -> rlim_t {
    let change = try #require(Self.change)
    var limit = rlimit()
    #expect(change(process, UInt32(RLIMIT_NOFILE.rawValue), nil, &limit) == 0)
    let before = limit.rlim_cur
    limit.rlim_cur = count
    #expect(change(process, UInt32(RLIMIT_NOFILE.rawValue), &limit, nil) == 0)
    return before
  }

  /// Lets a process have no more descriptors than it has; the result is how many it might have before.
  private func takeDescriptors(of process: pid_t) throws -> rlim_t {
    let used = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { Int($0) }
    return try limit(process, to: rlim_t(try #require((0...used.count).first { !used.contains($0) })))
  }

  @Test func `serves on when a changed program cannot be started`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"one"]"#))
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", file])
    try WebSocketClient.waitFor("one", in: "jobs", port: command.port)
    let before = try takeDescriptors(of: command.process)
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"two"]"#))
    try command.waitForComplaint("no file descriptor is left to run it")
    try limit(command.process, to: before)
    try WebSocketClient.waitFor("one", in: "jobs", port: command.port)
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"three"]"#))
    try WebSocketClient.waitFor("three", in: "jobs", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end(within: WebSocketClient.longPatience) == 0)
  }
}
