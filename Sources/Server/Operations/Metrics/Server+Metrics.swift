import ListEngine

extension Server {
  /// Returns all metrics in Prometheus' text format.
  func metricsText() -> String {
    var text = MetricsText()
    writeClients(to: &text)
    writeEngine(to: &text)
    writeSources(to: &text)
    writePrefetch(to: &text)
    for metric in configuration.otherMetrics() {
      text.begin(metric.name, metric.isCounter ? .counter : .gauge, metric.help)
      for sample in metric.samples { text.sample(metric.name, sample.labels, sample.value) }
    }
    return text.text
  }

  private func writeClients(to text: inout MetricsText) {
    text.single("rowcast_sessions", .gauge, "Connected clients.", clients.count)
    text.single(
      "rowcast_sessions_begun_total", .counter, "Clients that have connected since the start.",
      operations.metrics.sessions)
    text.single(
      "rowcast_turned_away_total", .counter, "Connections closed because there were too many at once.",
      operations.metrics.rejectedConnections)
    text.single("rowcast_messages_sent_total", .counter, "Messages sent to clients.", operations.metrics.messagesSent)
    text.single(
      "rowcast_loop_rounds_total", .counter, "Iterations of the event loop.",
      loop.periodicTimer)
    text.single(
      "rowcast_messages_received_total", .counter, "Messages received from clients.",
      operations.metrics.messagesReceived)
    text.single(
      "rowcast_sent_bytes_total", .counter, "Bytes of messages sent to clients.", operations.metrics.bytesSent)
    text.single("rowcast_patches_total", .counter, "Windows and patches sent.", operations.metrics.patches)
    text.single("rowcast_downloads_total", .counter, "Exports of tables.", operations.metrics.exports)
    text.single(
      "rowcast_downloads_given_up_total", .counter, "Exports ended because they were read too slowly or for too long.",
      operations.metrics.abandonedExports)
    text.single("rowcast_uploads_total", .counter, "Uploads of rows.", operations.metrics.uploads)
    text.single(
      "rowcast_uploaded_bytes_total", .counter, "Bytes in the bodies of uploads.", operations.metrics.uploadBytes)
    text.begin("rowcast_uploaded_rows_total", .counter, "Rows in uploads, by result.")
    text.sample("rowcast_uploaded_rows_total", [("result", "accepted")], operations.metrics.uploadedRows)
    text.sample("rowcast_uploaded_rows_total", [("result", "rejected")], operations.metrics.rejectedRows)
    text.single(
      "rowcast_message_pauses_total", .counter, "Pauses of reading from clients that sent too many messages.",
      operations.metrics.pauses)
    text.single(
      "rowcast_queries_overtaken_total", .counter, "Queries replaced by a later one of the same client in one turn.",
      operations.metrics.queriesOvertaken)
    text.begin("rowcast_refusals_total", .counter, "Requests and upgrades refused, by status.")
    for (status, count) in operations.metrics.refusals.sorted(by: { $0.key < $1.key }) {
      text.sample("rowcast_refusals_total", [("status", "\(status)")], count)
    }
    text.histogram(
      "rowcast_flush_seconds", "Time from cutting a patch until the system has accepted all of it.",
      operations.metrics.flushes)
    text.histogram(
      "rowcast_source_to_socket_seconds",
      "Time from a source's delivery of a change until it is passed to a client's socket.",
      operations.metrics.delays)
    text.histogram("rowcast_turn_seconds", "Duration of turns of the loop.", operations.metrics.turns)
    text.begin("rowcast_encoded_total", .counter, "Rows and patches encoded, once for all clients.")
    text.sample("rowcast_encoded_total", [("kind", "row")], operations.metrics.encoding.rows)
    text.sample("rowcast_encoded_total", [("kind", "patch")], operations.metrics.encoding.patches)
    text.begin("rowcast_shared_total", .counter, "Rows and patches whose encoding was reused.")
    text.sample("rowcast_shared_total", [("kind", "row")], operations.metrics.encoding.sharedRows)
    text.sample("rowcast_shared_total", [("kind", "patch")], operations.metrics.encoding.sharedPatches)
  }

  private func writeEngine(to text: inout MetricsText) {
    let counters = engine.counters
    let census = engine.census
    text.begin(
      "rowcast_engine_sessions", .gauge, "Sessions of the engine: of connected clients, and those kept for a resume.")
    text.sample("rowcast_engine_sessions", [("state", "open")], census.sessions)
    text.sample("rowcast_engine_sessions", [("state", "parked")], census.parkedSessions)
    text.begin(
      "rowcast_engine_views", .gauge, "Tables kept in the order of a query: those in use, and those kept for a while.")
    text.sample("rowcast_engine_views", [("state", "watched")], census.watchedViews)
    text.sample("rowcast_engine_views", [("state", "resting")], census.restingViews)
    text.single(
      "rowcast_throttle_changes_total", .counter, "Changes that the throttles of sessions recorded.",
      counters.changes)
    text.begin("rowcast_flushes_total", .counter, "Flushes of the throttle, and those requested directly.")
    text.sample("rowcast_flushes_total", [("kind", "throttled")], counters.throttledFlushes)
    text.sample("rowcast_flushes_total", [("kind", "direct")], counters.directFlushes)
    text.begin("rowcast_throttle_coalescing_ratio", .gauge, "Changes per flush of the throttle, since the start.")
    let flushes = max(1, counters.throttledFlushes)
    text.sample("rowcast_throttle_coalescing_ratio", [], Double(counters.changes) / Double(flushes))
    text.begin("rowcast_cuts_total", .counter, "Patches cut, and those shared with another client.")
    text.sample("rowcast_cuts_total", [("kind", "made")], counters.cuts)
    text.sample("rowcast_cuts_total", [("kind", "shared")], counters.sharedCuts)
    text.begin("rowcast_headers_total", .counter, "Slots for section headers created, and reused.")
    text.sample("rowcast_headers_total", [("kind", "made")], counters.headersMade)
    text.sample("rowcast_headers_total", [("kind", "reused")], counters.headersReused)
    text.single("rowcast_resyncs_total", .counter, "Windows sent because a patch did not fit.", engine.resyncs)
  }

  private func writeSources(to text: inout MetricsText) {
    let tables = engine.tables(at: EventLoop.now)
    func each(_ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: (TableDescription) -> UInt64) {
      text.begin(name, kind, help)
      for table in tables { text.sample(name, [("table", table.schema.name)], value(table)) }
    }
    each("rowcast_source_rows", .gauge, "Rows of the table.") { UInt64($0.rows) }
    each("rowcast_source_rejected_total", .counter, "Rows that did not fit the schema.") { UInt64($0.source.rejected) }
    each(
      "rowcast_source_contradictions_total", .counter, "Answers of a windowed source that contradict the request."
    ) { $0.source.contradictions }
    text.begin("rowcast_source_state", .gauge, "1 for the state that the source is in.")
    for table in tables {
      for state in [SourceState.starting, .live, .stale, .backingOff, .disabled, .failed] {
        text.sample(
          "rowcast_source_state", [("table", table.schema.name), ("state", state.rawValue)],
          table.source.state == state ? 1 : 0)
      }
    }
    text.begin("rowcast_source_without_table", .gauge, "1 for the state of a source without a table.")
    for source in sources.tableless.descriptions(at: EventLoop.now) {
      text.sample(
        "rowcast_source_without_table", [("source", source.name), ("state", source.source.state.rawValue)], 1)
    }
    text.begin("rowcast_source_changes_total", .counter, "Changed rows that the source has sent.")
    for source in sources.all {
      text.sample("rowcast_source_changes_total", [("source", source.inlet.name)], source.metrics.changes)
    }
    text.begin("rowcast_source_restarts_total", .counter, "The number of times the source has restarted.")
    for source in sources.all {
      text.sample("rowcast_source_restarts_total", [("source", source.inlet.name)], source.metrics.restarts)
    }
  }

  private func writePrefetch(to text: inout MetricsText) {
    text.begin("rowcast_prefetch_total", .counter, "The loads of deferred cells by outcome.")
    for (number, table) in engine.tables(at: EventLoop.now).enumerated() {
      let counters = engine.prefetch(of: TableID(rawValue: number))
      for (kind, count) in [
        ("load", counters.loads), ("hit", counters.hits), ("late", counters.late), ("cancelled", counters.cancels),
        ("wasted", counters.wasted), ("failed", counters.failures), ("unasked", counters.unrequested),
      ] {
        text.sample("rowcast_prefetch_total", [("table", table.schema.name), ("kind", kind)], count)
      }
    }
  }
}
