import Cluster
import Glibc
import ListEngine
import Logging
import Server

extension Settings {
  /// An invalid setting.
  struct Problem: Equatable {
    /// The key of the setting, such as `listen` or `sources[1].plugin`.
    var key: String
    var text: String
  }

  /// The settings that are invalid by themselves or in combination.
  var problems: [Problem] {
    var problems: [Problem] = []
    func refuse(_ key: String, _ text: String) { problems.append(Problem(key: key, text: text)) }
    if let port, !(0...65_535).contains(port) { refuse("port", "must be between 0 and 65535, not \(port)") }
    if let interval, !(0...60_000).contains(interval) {
      refuse("interval", "must be between 0 and 60000 milliseconds, not \(interval)")
    }
    for (key, value, range) in [
      ("sessions-per-token", sessionsPerToken, 1...ServerConfiguration().sessionLimit),
      ("exports-per-token", exportsPerToken, 1...Server.greatestExportCount),
      ("export-rate", exportRate, 0...1_000_000_000), ("export-time", exportTime, 1...86_400),
    ] {
      guard let value, !range.contains(value) else { continue }
      refuse(key, "must be between \(range.lowerBound) and \(range.upperBound), not \(value)")
    }
    if let listen, ListenAddress(listen) == nil {
      refuse("listen", "must be an address such as 127.0.0.1 or ::1, not “\(listen)”")
    }
    if let unix, !unix.hasPrefix("/") || unix.utf8.count > 90 {
      refuse("unix", "must be a path that begins with / and has at most 90 bytes")
    }
    if unix != nil, listen != nil { refuse("unix", "excludes listen") }
    if unix != nil, port != nil { refuse("unix", "excludes port") }
    for (index, url) in (publicURLs ?? []).enumerated() where PublicURL(url) == nil {
      refuse(
        "public-url[\(index)]",
        "must be an address as browsers write it, such as https://rows.example.org, not “\(url)”")
    }
    for (index, history) in (histories ?? []).enumerated() where HistoryRequest(argument: history) == nil {
      let (least, most) = (Schema.historyLengths.lowerBound, Schema.historyLengths.upperBound)
      refuse(
        "history[\(index)]",
        "must be a table and a column such as processes.cpu, or with \(least) to \(most) values such as processes.cpu=30, not “\(history)”"
      )
    }
    if let logLevel, Logger.Level(rawValue: logLevel) == nil {
      refuse("log-level", "must be trace, debug, info, notice, warning, error or critical, not “\(logLevel)”")
    }
    if let logFormat, LogOutput.Format(rawValue: logFormat) == nil {
      refuse("log-format", "must be text or json, not “\(logFormat)”")
    }
    if tlsCertificate != nil, tlsKey == nil { refuse("tls-certificate", "needs tls-key, too") }
    if tlsKey != nil, tlsCertificate == nil { refuse("tls-key", "needs tls-certificate, too") }
    if noToken == true, tokenFile != nil { refuse("no-token", "excludes token-file") }
    if noToken == true, publicURLs?.isEmpty == false {
      refuse("no-token", "excludes public-url: every client of that URL would be an operator")
    }
    if let listen, let address = ListenAddress(listen), !address.isLocal, unix == nil {
      if noToken == true { refuse("no-token", "excludes listen \(listen): every client there would be an operator") }
      if tlsCertificate == nil {
        refuse(
          "listen",
          "\(listen) is not a loopback address: it needs tls-certificate and tls-key, which encrypt the traffic")
      }
    }
    problems += sourceProblems + clusterProblems
    return problems
  }

  private var clusterProblems: [Problem] {
    var problems: [Problem] = []
    func refuse(_ key: String, _ text: String) { problems.append(Problem(key: key, text: text)) }
    for (key, url) in [("publish", publish), ("from", from)] {
      guard let url, !ClusterOptions.isURL(url) else { continue }
      refuse(key, "must be the URL of a NATS server, such as nats://127.0.0.1:4222, not “\(url)”")
    }
    for (key, value, range) in [
      ("publish-retention", publishRetention, 1...1_000_000), ("publish-snapshots", publishSnapshots, 1...86_400),
    ] {
      guard let value else { continue }
      if !range.contains(value) {
        refuse(key, "must be between \(range.lowerBound) and \(range.upperBound), not \(value)")
      }
      if publish == nil { refuse(key, "needs publish") }
    }
    if let publishKeys {
      if publish == nil { refuse("publish-keys", "needs publish") }
      do throws(PublishedKeys.Fault) {
        _ = try PublishedKeys(arguments: publishKeys)
      } catch {
        refuse("publish-keys[\(error.index)]", error.text)
      }
    }
    for (key, value) in [("nats-credentials", natsCredentials), ("nats-ca", natsAuthorities)]
    where value != nil && publish == nil && from == nil {
      refuse(key, "needs publish or from")
    }
    if let natsReplicas {
      if ![1, 3].contains(natsReplicas) { refuse("nats-replicas", "must be 1 or 3, not \(natsReplicas)") }
      if publish == nil, from == nil { refuse("nats-replicas", "needs publish or from") }
    }
    if from != nil, publish != nil { refuse("from", "excludes publish: a node has tables of its own or of others") }
    if from != nil, sources?.isEmpty == false { refuse("from", "excludes sources: the tables come from other nodes") }
    if from != nil, status == true { refuse("from", "excludes status: this node has no sources") }
    return problems
  }

  /// Returns the reason why this user must not serve with these settings, or `nil`.
  ///
  /// This is not one of ``problems``, because another user may check a configuration.
  func refusal(ofUser user: uid_t) -> String? {
    let isBeyond = !address.isLocal || !(publicURLs ?? []).isEmpty
    guard user == 0, isBeyond, allowRoot != true else { return nil }
    return
      "root does not serve other machines, because its sources would have root's rights: "
      + "run it as another user, or give --allow-root"
  }

  private var sourceProblems: [Problem] {
    var problems: [Problem] = []
    var names: Set<String> = []
    for (index, source) in (sources ?? []).enumerated() {
      let key = "sources[\(index)].\(source.kind)"
      if source.command == nil, source.plugin.isEmpty, source.text == nil {
        problems.append(Problem(key: key, text: "must be the name or the path of a plugin"))
      } else if [source.command != nil, !source.plugin.isEmpty, source.text != nil].count(where: \.self) > 1 {
        problems.append(Problem(key: key, text: "excludes the other kinds of sources"))
      } else if !names.insert(source.name).inserted {
        problems.append(Problem(key: key, text: "two sources are called \(source.name): rename one"))
      }
    }
    return problems
  }

  /// The problems with the files that the settings name, in their current state.
  var fileProblems: [Problem] {
    var problems: [Problem] = []
    if let tlsCertificate, let tlsKey, !Certificate(chain: tlsCertificate, key: tlsKey).isUsable {
      problems.append(
        Problem(key: "tls-certificate", text: "\(ServerError.badCertificate(tlsCertificate))"))
    }
    if let web {
      do throws(PageFiles.Failure) {
        _ = try PageFiles(folder: web)
      } catch {
        problems.append(Problem(key: "web", text: "\(error)"))
      }
    }
    if let tokenFile {
      do throws(TokenFile.Failure) {
        _ = try TokenFile.read(tokenFile)
      } catch .missing {
        // The file is created at the start.
      } catch {
        problems.append(Problem(key: "token-file", text: "\(error)"))
      }
    }
    for (index, source) in (sources ?? []).enumerated() {
      if let problem = source.text?.problem {
        problems.append(Problem(key: "sources[\(index)].\(source.kind)", text: problem))
      }
      guard source.child == nil, source.text == nil else { continue }
      let path = Installation.pluginPath(source.plugin)
      if access(path, R_OK) != 0 {
        problems.append(Problem(key: "sources[\(index)].plugin", text: "missing plugin: \(path)"))
      }
    }
    return problems
  }
}
