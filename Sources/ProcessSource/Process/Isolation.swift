import CSystem
import Glibc

/// The level of restrictions on a program, in addition to those on every program.
package enum Isolation: String, CaseIterable, Hashable, Sendable {
  /// No further restrictions, for programs that fail under the others.
  case none
  /// Blocks signals to the server, such as those of `kill -9 -1`.
  ///
  /// For commands that a user typed.
  case light
  /// Also confines signals and debugging to the program itself and hides the server's tokens.
  ///
  /// For plugins.
  case standard
  /// Also runs the program in its own PID namespace through bubblewrap, where it sees no other
  /// process.
  case strict
}

/// The paths of the server's tokens.
package struct Secrets: Hashable, Sendable {
  /// The state folder.
  package var folder: String?
  /// A token file outside the state folder.
  package var file: String?

  /// Creates an empty value.
  package init() {}
}

/// The restrictions in force for one program: those of its ``Isolation`` that this system supports.
package struct Confinement: Hashable, Sendable {
  /// The restrictions as a bit set of `child_confinement`.
  package let flags: UInt32
  /// Whether the program runs inside bubblewrap.
  let isWrapped: Bool
  private let isHiding: Bool
  private let isolation: Isolation

  /// The path of bubblewrap, or `nil` when it is not installed or does not work on this system.
  static let wrapper: String? = {
    guard let path = ChildCommand("bwrap").path(searching: ChildCommand.ours["PATH"]) else { return nil }
    return runs([path] + wrapping + ["--", "/bin/true"]) ? path : nil
  }()

  /// The arguments for bubblewrap.
  static let wrapping = [
    "--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--dev-bind", "/", "/", "--proc", "/proc",
  ]

  private static let everywhere = child_supported(CHILD_SPARES_SERVER.rawValue | CHILD_SIGNALS_ITSELF.rawValue, nil)
  private static let hidingByMount = child_supported(CHILD_HIDES_BY_MOUNT.rawValue, nil) != 0

  /// Determines the restrictions for a command.
  package init(_ command: ChildCommand) { self.init(command, mounts: Self.hidingByMount, isHomeSpared: true) }

  /// Determines the restrictions for a command.
  ///
  /// - Parameters:
  ///   - mounts: Whether a mount hides the tokens, if there are any to hide.
  ///   - isHomeSpared: Whether to skip Landlock for folders where programs and users create files.
  package init(_ command: ChildCommand, mounts: Bool, isHomeSpared: Bool) {
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

  /// Returns whether a folder lies where programs and users create files.
  ///
  /// Landlock would hide new files there from the program.
  private static func isAtHome(_ folder: String, _ command: ChildCommand) -> Bool {
    let ours = ChildCommand.ours
    let homes = [ours["HOME"] ?? "/root", ours["TMPDIR"] ?? "/tmp", "/tmp", command.folder].compactMap(\.self)
    // System users have `/` as home and create no files there.
    return homes.filter { $0 != "/" }.contains { "\(folder)/".hasPrefix($0.hasSuffix("/") ? $0 : "\($0)/") }
  }

  /// A one-line summary of the restrictions in force and those not supported.
  package var description: String {
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

  /// Returns whether a program runs and exits with 0.
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

/// Protects the memory of this process from other processes of the user: no core dumps, no
/// debugger.
package func protectOwnMemory() { child_protect_self() }
