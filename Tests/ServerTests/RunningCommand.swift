import Foundation
import Glibc

/// A process of the `rowcast` command, from the folder of the test's build products.
final class RunningCommand {
  let process: pid_t
  private let output: Int32
  private let errors: Int32
  private var hasEnded = false
  /// The first line of the standard output.
  private(set) var announcement = ""
  /// The rest of the standard output, available after the end.
  private(set) var remainingOutput = ""
  /// The standard error: all of it after the end, before that the parts waited for.
  private(set) var complaints = ""

  private static let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "rowcast").path

  /// The function that makes a new process close all other descriptors.
  ///
  /// Foundation opens files that processes started meanwhile inherit. A program file that is open
  /// for writing in any process is not executable. Swift does not import this function from glibc.
  private static let closeAllOthers = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
  }

  /// The state folder, which holds the tokens that a command generates.
  static let folder: String = {
    let path = FileManager.default.temporaryDirectory.appending(path: "rowcast-run-\(getpid())").path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: RunningCommand.folder) }
    return path
  }()

  /// Starts the command; if `waits` is true, waits for its first line.
  ///
  /// Foundation's `Process` is not suitable: it reports the end on another thread, and passes
  /// blocked signals on. The process keeps its state in a folder for tests, or in `folder`.
  init(
    _ arguments: [String], input: String = "/dev/null", waits: Bool = true, folder: String = RunningCommand.folder,
    environment: [String: String] = [:]
  ) throws {
    var pipes: [Int32] = [0, 0, 0, 0]
    // Sockets can be created such that other child processes do not inherit them.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    pipes.withUnsafeMutableBufferPointer {
      socketpair(AF_UNIX, kind, 0, $0.baseAddress!)
      socketpair(AF_UNIX, kind, 0, $0.baseAddress! + 2)
    }
    output = pipes[0]
    errors = pipes[2]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[3], 2)
    _ = Self.closeAllOthers?(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // Reset the disposition of a signal that the test runner ignores.
    var hangUp = sigset_t()
    sigemptyset(&hangUp)
    sigaddset(&hangUp, SIGHUP)
    posix_spawnattr_setsigdefault(&attributes, &hangUp)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = ([Self.executable] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder]) { $1 }.merging(
        environment
      ) { $1 }
      .map { strdup("\($0)=\($1)") } + [nil]
    var identifier: pid_t = 0
    let result = posix_spawn(&identifier, Self.executable, &actions, &attributes, &words, &variables)
    variables.forEach { free($0) }
    words.forEach { free($0) }
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    close(pipes[1])
    close(pipes[3])
    process = identifier
    guard result == 0 else { throw RawSocket.Failure.notConnected(result) }
    guard waits else { return }
    let line = try read(output, until: RawSocket.now() + RawSocket.patience) { $0.last == UInt8(ascii: "\n") }
    announcement = String(decoding: line.dropLast(), as: UTF8.self)
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(output)
    close(errors)
  }

  /// The URL that the command has printed.
  var url: String { announcement.split(separator: " ").last.map(String.init) ?? "" }
  /// The login code in the URL.
  var code: String? { url.range(of: "?code=").map { String(url[$0.upperBound...]) } }

  var port: Int { Int(announcement.split(separator: ":").last?.split(separator: "/").first ?? "") ?? 0 }

  func send(signal number: Int32) { kill(process, number) }

  /// Waits for the process to end.
  ///
  /// - Returns: The exit code, or the negated number of the signal that ended it.
  /// - Throws: An error if it does not end in time.
  func end(within seconds: Double = RawSocket.patience) throws -> Int32 {
    let deadline = RawSocket.now() + seconds
    // Both streams end with the process.
    remainingOutput = String(decoding: try read(output, until: deadline) { _ in false }, as: UTF8.self)
    complaints += String(decoding: try read(errors, until: deadline) { _ in false }, as: UTF8.self)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    hasEnded = true
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
  }

  /// Waits until standard error contains this text after the text waited for last.
  func waitForComplaint(_ text: String) throws {
    let wanted = Array(text.utf8)
    let bytes = try read(errors, until: RawSocket.now() + WebSocketClient.longPatience) {
      $0.suffix(wanted.count).elementsEqual(wanted)
    }
    complaints += String(decoding: bytes, as: UTF8.self)
  }

  /// Reads byte by byte until the condition holds or the stream ends.
  private func read(_ file: Int32, until deadline: Double, isEnough: ([UInt8]) -> Bool) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32(max(0, deadline - RawSocket.now()) * 1_000)) > 0 else {
        throw RawSocket.Failure.nothingCame
      }
      var byte: UInt8 = 0
      guard Glibc.read(file, &byte, 1) == 1 else { return bytes }
      bytes.append(byte)
      if isEnough(bytes) { return bytes }
    }
  }
}
