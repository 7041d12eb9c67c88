import CChildProcess
import Glibc

/// The rights that are taken from a program, beyond those that no program gets.
public enum Isolation: String, CaseIterable, Hashable, Sendable {
  /// Takes none: for a program that needs a right that the others take.
  case none
  /// Keeps signals from the server, such as those of `kill -9 -1`: for commands that a user has typed.
  case light
  /// Also confines signals and debugging to the program itself, and hides the server's tokens: for plugins.
  case standard
  /// Also gives the program process numbers of its own, by bubblewrap: it sees no other process.
  case strict
}

/// The paths with the server's tokens.
public struct Secrets: Hashable, Sendable {
  /// The state folder.
  public var folder: String?
  /// A token file elsewhere.
  public var file: String?

  /// No paths.
  public init() {}
}

/// The restrictions in force for one program: those of its ``Isolation`` that this system supports.
public struct Confinement: Hashable, Sendable {
  /// The restrictions, as the C side names them.
  let flags: UInt32
  /// Whether it runs inside bubblewrap.
  let isWrapped: Bool
  private let isHiding: Bool
  private let isolation: Isolation

  /// The path of bubblewrap, if it is installed and works here.
  static let wrapper: String? = {
    guard let path = ChildCommand("bwrap").path(searching: ChildCommand.ours["PATH"]) else { return nil }
    return runs([path] + wrapping + ["--", "/bin/true"]) ? path : nil
  }()

  /// What bubblewrap is asked for.
  static let wrapping = [
    "--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--dev-bind", "/", "/", "--proc", "/proc",
  ]

  private static let everywhere = child_supported(CHILD_SPARES_SERVER.rawValue | CHILD_SIGNALS_ITSELF.rawValue, nil)
  private static let hidingByMount = child_supported(CHILD_HIDES_BY_MOUNT.rawValue, nil) != 0

  /// The restrictions for a command.
  public init(_ command: ChildCommand) { self.init(command, mounts: Self.hidingByMount, isHomeSpared: true) }

  /// - Parameters:
  ///   - mounts: Whether a mount hides the tokens, where there are any to hide.
  ///   - isHomeSpared: Whether Landlock hides no folder in a place where programs and their users make files.
  init(_ command: ChildCommand, mounts: Bool, isHomeSpared: Bool) {
    isolation = command.isolation
    isWrapped = isolation == .strict
    var flags: UInt32 = 0
    if isolation != .none { flags |= Self.everywhere & CHILD_SPARES_SERVER.rawValue }
    if isolation == .standard || isolation == .strict { flags |= Self.everywhere & CHILD_SIGNALS_ITSELF.rawValue }
    var isHiding = isWrapped
    if isolation == .standard {
      if mounts {
        flags |= CHILD_HIDES_BY_MOUNT.rawValue
        isHiding = true
      } else if let folder = command.secrets.folder, command.secrets.file == nil,
        !isHomeSpared || !Self.isAtHome(folder, command),
        child_supported(CHILD_HIDES_BY_LANDLOCK.rawValue, folder) != 0
      {
        flags |= CHILD_HIDES_BY_LANDLOCK.rawValue
        isHiding = true
      }
    }
    self.isHiding = isHiding
    self.flags = flags
  }

  /// Whether a folder lies where programs and their users make files: Landlock would keep new ones from the program.
  private static func isAtHome(_ folder: String, _ command: ChildCommand) -> Bool {
    let ours = ChildCommand.ours
    let homes = [ours["HOME"] ?? "/root", ours["TMPDIR"] ?? "/tmp", "/tmp", command.folder].compactMap(\.self)
    // A user of the system has `/` for a home, and makes no files there.
    return homes.filter { $0 != "/" }.contains { "\(folder)/".hasPrefix($0.hasSuffix("/") ? $0 : "\($0)/") }
  }

  /// One line for people: what is in force, and what is not.
  public var description: String {
    func has(_ flag: child_confinement) -> Bool { flags & flag.rawValue != 0 }
    var held = ["no new privileges", "no core dumps", "ends with the server"]
    var lacking: [String] = []
    func note(_ isHeld: Bool, _ text: String, otherwise missing: String) {
      if isHeld { held.append(text) } else { lacking.append(missing) }
    }
    if isolation != .none {
      note(has(CHILD_SPARES_SERVER), "no signals to the server", otherwise: "signals to the server (seccomp)")
    }
    if isolation == .standard || isolation == .strict {
      note(
        has(CHILD_SIGNALS_ITSELF) || isWrapped, "signals only within the program",
        otherwise: "signals to other programs (needs Linux 6.12)")
      note(isHiding, "tokens hidden", otherwise: "tokens of the same user (needs isolation: strict, or root)")
    }
    if geteuid() == 0, !isWrapped { lacking.append("root's rights to files (run the server as another user)") }
    if isWrapped { held.append("own process numbers") }
    let rest = lacking.isEmpty ? "" : "; not prevented: " + lacking.joined(separator: ", ")
    return "\(isolation.rawValue): " + held.joined(separator: ", ") + rest
  }

  /// Whether a program runs and exits with 0.
  private static func runs(_ words: [String]) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for file in 0...2 as ClosedRange<Int32> { posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0) }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard posix_spawn(&process, words[0], &actions, nil, &arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
    return status == 0
  }
}

/// Keeps the memory of this process from others of its user: no core dump, no debugger.
public func protectOwnMemory() { child_protect_self() }
