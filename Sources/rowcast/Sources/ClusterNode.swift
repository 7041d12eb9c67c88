import Cluster
import Locales
import Server

/// The part of a server that publishes its tables to other nodes, or serves theirs.
final class ClusterNode: Sendable {
  /// The publisher of this server's tables, if they are published.
  let publisher: Publisher?
  /// The relay of the tables of other nodes, if this server has such tables.
  let relay: Relay?

  /// Connects to the NATS server that the settings name, if any.
  init(_ settings: Settings) throws(EnvironmentFailure) {
    do throws(ClusterError) {
      publisher = try settings.publish.map { url throws(ClusterError) in
        var options = Self.options(url, settings)
        options.retention = settings.publishRetention.map { Int64($0) << 20 } ?? options.retention
        options.snapshotInterval = settings.publishSnapshots.map { .seconds($0) } ?? options.snapshotInterval
        // The settings were checked.
        options.keys = (try? PublishedKeys(arguments: settings.publishKeys ?? [])) ?? options.keys
        return try Publisher(options, collators: { LocaleCollator.find($0, isNumeric: $1) })
      }
      relay = try settings.from.map { url throws(ClusterError) in try Relay(Self.options(url, settings)) }
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
  }

  private static func options(_ url: String, _ settings: Settings) -> ClusterOptions {
    var options = ClusterOptions(url: url)
    options.credentials = settings.natsCredentials
    options.authorities = settings.natsAuthorities
    options.replicas = settings.natsReplicas ?? options.replicas
    return options
  }

  /// Connects the server to this part.
  func serve(_ configuration: inout ServerConfiguration) {
    guard publisher != nil || relay != nil else { return }
    if let relay { (configuration.epoch, configuration.sharesRowIDs) = (relay.epoch, true) }
    configuration.obstacle = { [relay] in relay?.obstacle }
    configuration.otherMetrics = { [self] in metrics }
  }

  /// Starts to publish, or to serve the tables of other nodes.
  ///
  /// - Precondition: The sources that are published were added.
  func start(_ control: ServerControl, _ ending: Ending) throws {
    publisher?.start()
    relay?.start { name in
      let inlet = control.addSource(name)
      return RelayTarget(report: { inlet.report($0) }, listen: { inlet.listen($0) })
    }
    if publisher != nil || relay != nil { try ending.start(ClusterFeed(self)) }
  }

  private var metrics: [OtherMetric] {
    let figures = (publisher?.figures ?? []) + (relay?.figures ?? [])
    func labels(_ figures: ClusterFigures) -> [OtherMetric.Label] {
      [("table", figures.table)] + (figures.keys.map { [("keys", $0)] } ?? [])
    }
    func metric(
      _ name: String, isCounter: Bool = false, _ help: String, _ value: (ClusterFigures) -> Double?
    ) -> OtherMetric {
      OtherMetric(
        "rowcast_cluster_\(name)", isCounter: isCounter, help: help,
        samples: figures.compactMap { figures in value(figures).map { (labels(figures), $0) } })
    }
    return [
      metric("lease", "1 if this node publishes the table now, 0 if another one may.") {
        $0.isPublished ? ($0.fence == nil ? 0 : 1) : nil
      },
      metric("fence", "The fencing number of the table's publisher.") { $0.fence.map { Double($0) } },
      metric("messages_total", isCounter: true, "Messages of the table's stream written or read.") {
        Double($0.messages)
      },
      metric("lag_messages", "Messages of the table's stream that this node has not read yet.") {
        $0.isPublished ? nil : Double($0.lagMessages)
      },
      metric("lag_seconds", "Age of the oldest event in the last message when it was written or read.") {
        $0.lagSeconds
      },
      metric("snapshots_total", isCounter: true, "Snapshots of the table written or read.") { Double($0.snapshots) },
      metric("filtered_rows_total", isCounter: true, "Changes of rows left out, because their keys are not published.")
      {
        $0.filtered.map { Double($0) }
      },
      metric("overlaps", "Other live publishers of the table with some of the same keys.") {
        $0.overlaps.map { Double($0) }
      },
      metric("snapshot_age_seconds", "Age of the last snapshot written or read.") { $0.snapshotAge },
    ]
  }
}

/// The end of a ``ClusterNode`` together with the sources.
private struct ClusterFeed: Feed {
  private let node: ClusterNode

  init(_ node: ClusterNode) { self.node = node }

  func start() {}

  func stop() {
    node.publisher?.stop()
    node.relay?.stop()
  }
}
