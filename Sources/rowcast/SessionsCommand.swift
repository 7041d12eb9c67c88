import ArgumentParser
import Foundation
import Server

/// `rowcast sessions`
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Lists the browsers that have signed in, and ends their sign-ins.",
    discussion: """
      A sign-in ends after 30 days, when its user signs out, or by “rowcast sessions end ID”. A running server closes its \
      pages within a few seconds. --port names the server, running or not; --token-file a file of your own. Clients with a \
      token are not listed: “rowcast token rotate” replaces the tokens.
      """, subcommands: [List.self, End.self], defaultSubcommand: List.self)

  /// `rowcast sessions list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the browsers that have signed in.")

    @OptionGroup var options: ServeOptions

    func run() throws {
      let signIns = try SessionsCommand.update(options) { _ in }
      let active = signIns.all.filter { !$0.isEnded }
      guard !active.isEmpty else { return announce("no browser has signed in") }
      announce("ID        ROLE      SIGNED IN         LAST SEEN         FROM")
      for entry in active {
        let role = entry.role.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        announce("\(entry.id)  \(role)  \(Self.time(entry.signedInAt))  \(Self.time(entry.seenAt))  \(entry.address)")
      }
    }

    private static func time(_ milliseconds: Int64) -> String {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = "yyyy-MM-dd HH:mm"
      return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
    }
  }

  /// `rowcast sessions end`
  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ends sign-ins: their browsers must sign in again.")

    @OptionGroup var options: ServeOptions

    @Flag(help: "End all sign-ins.")
    var all = false

    @Argument(help: ArgumentHelp("The IDs of the sign-ins, as “rowcast sessions” prints them.", valueName: "id"))
    var ids: [String] = []

    func validate() throws {
      guard all != !ids.isEmpty else { throw ValidationError("name the sign-ins by their IDs, or use --all") }
    }

    func run() throws {
      var missing: [String] = []
      _ = try SessionsCommand.update(options) { signIns in
        if all { signIns.endAll(at: WallClock.milliseconds) }
        missing = ids.filter { !signIns.end($0) }
      }
      if let id = missing.first {
        throw WorldError(description: "there is no sign-in \(id); “rowcast sessions” lists them")
      }
      announce(all ? "all sign-ins have ended" : ids.count == 1 ? "the sign-in has ended" : "\(ids.count) sign-ins have ended")
    }
  }

  /// Changes the sign-ins of the server that the options name.
  fileprivate static func update(_ options: ServeOptions, _ change: (inout SignIns) -> Void) throws -> SignIns {
    let path = SignInFile.path(besideTokens: try TokenCommand.path(try options.settings()))
    guard let signIns = SignInFile.update(path, at: WallClock.milliseconds, change) else {
      throw WorldError(description: "\(path) cannot be read and written, or is not a file of this user (chmod 600)")
    }
    return signIns
  }
}
