import Logging
import Server

extension ServerConfiguration {
  /// Creates the configuration of a server from the operator's settings.
  ///
  /// - Throws: `PageFiles.Failure` if the page's files are not readable.
  /// - Precondition: The settings have no problems.
  init(_ settings: Settings, _ access: Access) throws {
    self.init()
    address = settings.address
    port = settings.port ?? Settings.standardPort
    publicURLs = (settings.publicURLs ?? []).compactMap { PublicURL($0) }
    tokens = access.tokens
    isReadOnly = settings.readOnly ?? false
    limits.interval = .milliseconds(settings.interval ?? Settings.standardInterval)
    sessionsPerToken = settings.sessionsPerToken
    exportsPerToken = settings.exportsPerToken
    if let rate = settings.exportRate { exportPace.leastRate = rate }
    if let time = settings.exportTime { exportPace.longest = .seconds(time) }
    viewsFolder = settings.views
    histories = (settings.histories ?? []).compactMap { HistoryRequest(argument: $0) }
    changeTimes = Set(settings.changeTimes ?? [])
    endsOnSignals = true
    logger = Logger(label: "rowcast")
    certificate = settings.certificate
    if let folder = settings.web ?? Installation.webFolder() {
      page = try PageFiles(folder: folder)
    } else {
      logger.warning("the page is not installed; name its folder with --web")
    }
  }
}
