import Glibc
import ListPlugin
import ProcessHandle
import ProcessReader

/// Actions on processes, which the setting `allow_actions` enables.
///
/// The kernel reuses process ids, so a row's key also contains the start time. An action first
/// opens a handle, then compares the process with the key, and acts only if they match.
enum ProcessActions {
  /// The reason why an action was not done.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  /// The actions: terminate, kill and set priority.
  static let all = [
    Action(
      "terminate", title: "Terminate", confirm: "Unsaved work may be lost.",
      isDangerous: true
    ) { try signal(SIGTERM, $0, "It was asked to end.") },
    Action(
      "kill", title: "Kill", confirm: "Unsaved work is lost.", isDangerous: true
    ) { try signal(SIGKILL, $0, "It was killed.") },
    Action(
      "renice", title: "Set priority",
      arguments: [
        ActionArgument(
          "nice", .integer, label: "Niceness (−20: first, 19: last)", standard: 10, minimum: -20, maximum: 19)
      ]
    ) { try renice($0) },
  ]

  private static func signal(_ number: Int32, _ request: ActionRequest, _ done: String) throws -> String {
    let (process, handle) = try hold(request.key)
    defer { close(handle) }
    guard process_signal(handle, number) == 0 else { throw refusal(of: process, errno) }
    return "\(done) (\(process))"
  }

  /// Sets the niceness of all threads, because on Linux every thread has its own.
  private static func renice(_ request: ActionRequest) throws -> String {
    guard let nice = request.integer("nice").flatMap({ Int32(exactly: $0) }) else {
      throw Refusal(description: "it was not said how nice")
    }
    let (process, handle) = try hold(request.key)
    defer { close(handle) }
    for thread in threads(of: process) {
      // A thread that has ended since the listing is not an error.
      guard process_set_nice(thread, nice) == 0 || errno == ESRCH else { throw refusal(of: process, errno) }
    }
    // No system call sets niceness through a handle. If the process still exists now, the id
    // belonged to it during the calls.
    guard process_signal(handle, 0) == 0 || errno == EPERM else {
      throw Refusal(description: "process \(process) has ended meanwhile")
    }
    return "Its niceness is \(nice). (\(process))"
  }

  /// Opens a handle of a row's process, and throws an error if the process has been replaced.
  private static func hold(_ key: Key?) throws -> (process: Int32, handle: Int32) {
    guard let key = key?.integer else { throw Refusal(description: "it was not said to which process") }
    let process = ProcessRow.pid(ofKey: key)
    guard process > 0 else { throw Refusal(description: "the process is gone") }
    guard process != getpid() else { throw Refusal(description: "process \(process) is the one that you look through") }
    let handle = process_open(process)
    guard handle >= 0 else { throw refusal(of: process, errno) }
    guard ProcessReader().key(of: process) == key else {
      close(handle)
      throw Refusal(description: "process \(process) has ended; its number belongs to another one now")
    }
    return (process, handle)
  }

  private static func threads(of process: Int32) -> [Int32] {
    guard let folder = opendir("/proc/\(process)/task") else { return [process] }
    defer { closedir(folder) }
    var threads: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let thread = Int32(name) { threads.append(thread) }
    }
    return threads.isEmpty ? [process] : threads
  }

  private static func refusal(of process: Int32, _ code: Int32) -> Refusal {
    switch code {
    case ESRCH: Refusal(description: "process \(process) has ended")
    case EPERM, EACCES: Refusal(description: "process \(process) belongs to another user, or more rights are needed")
    default: Refusal(description: "process \(process): \(String(cString: strerror(code)))")
    }
  }
}
