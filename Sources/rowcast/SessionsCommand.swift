import ArgumentParser
import Foundation
import Server

/// `rowcast sessions`
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Lists the browsers that have signed in, and ends their sign-ins.",
    discussion: """
      A sign-in ends after 30 days, when its user signs out, or by --end. A running server closes its pages within a few \
      seconds. --port names the server, running or not; --token-file a file of your own. Clients with a token are not \
      listed: “rowcast token rotate” replaces the tokens.
      """)

  @OptionGroup var options: ServeOptions

  @Option(
    // An ID may begin with a dash.
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "End the sign-in with this ID, as “rowcast sessions” prints it; may be repeated.", valueName: "id"))
  var end: [String] = []

  @Flag(help: "End all sign-ins.")
  var endAll = false

  func validate() throws {
    guard !endAll || end.isEmpty else { throw ValidationError("use --end or --end-all, not both") }
  }

  func run() throws {
    let path = SignInFile.path(besideTokens: try TokenCommand.path(try options.settings()))
    var missing: [String] = []
    let signIns = SignInFile.update(path, at: WallClock.milliseconds) { signIns in
      if endAll { signIns.endAll(at: WallClock.milliseconds) }
      missing = end.filter { !signIns.end($0) }
    }
    guard let signIns else {
      throw EnvironmentFailure(
        description: "\(path) is not readable and writable, or is not a private file of this user (chmod 600)")
    }
    if let id = missing.first {
      throw EnvironmentFailure(description: "unknown sign-in \(id); “rowcast sessions” lists them")
    }
    if endAll { return announce("all sign-ins have ended") }
    if !end.isEmpty { return announce(end.count == 1 ? "the sign-in has ended" : "\(end.count) sign-ins have ended") }
    list(signIns.all.filter { !$0.isEnded })
  }

  private func list(_ entries: [SignIns.Entry]) {
    guard !entries.isEmpty else { return announce("no browser has signed in") }
    announce("ID        ROLE      SIGNED IN         LAST SEEN         FROM")
    for entry in entries {
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
