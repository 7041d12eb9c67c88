import ArgumentParser
import Server

/// Options of the server that shows a plugin under development.
struct PageOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The port; 0 for any that is free. (default: 7777)", valueName: "port"))
  var port: Int?

  @Flag(help: "Open the address in a browser: $BROWSER, or xdg-open.")
  var open = false

  @Flag(help: "Let in everyone who can reach the server: every user of this machine.")
  var noToken = false

  @Option(
    help: ArgumentHelp(
      "The folder with the page; the one that was installed with rowcast if left out.", valueName: "folder"))
  var web: String?

  @Option(
    help: ArgumentHelp("The least time between two patches of a page, in milliseconds. (default: 300)", valueName: "ms")
  )
  var interval: Int?

  func validate() throws {
    if let problem = settings.problems.first { throw ValidationError("--\(problem.key): \(problem.text)") }
  }

  /// The options in the form of a server's settings.
  var settings: Settings {
    var settings = Settings()
    settings.port = port
    settings.noToken = noToken ? true : nil
    settings.web = web
    settings.interval = interval
    return settings
  }
}
