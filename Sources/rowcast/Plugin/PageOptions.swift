import ArgumentParser
import Server

/// Options of the server that shows a plugin under development.
struct PageOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The port; 0 for a free one. (default: 7777)", valueName: "port"))
  var port: Int?

  @Flag(help: "Open the address in a browser: $BROWSER, or xdg-open.")
  var open = false

  @Flag(help: "Accept every client that can reach the port, without a token.")
  var noToken = false

  @Option(
    help: ArgumentHelp(
      "The folder with the page. (default: the installed one)", valueName: "folder"))
  var web: String?

  @Option(
    help: ArgumentHelp(
      "The minimum interval between two patches to a client, in milliseconds. (default: 300)", valueName: "ms")
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
