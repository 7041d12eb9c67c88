import Glibc
import ListPlugin

/// The machine's load averages.
struct Load: PolledSource {
  let schema = Schema(
    "load", title: "Load", key: .text,
    columns: [Column("span", .text, title: "Over"), Column("load", .number, title: "Load", style: .bar)])

  init(_ configuration: Configuration) {}

  func list(_ rows: inout Batch) throws {
    var averages = [0.0, 0, 0]
    guard getloadavg(&averages, 3) == 3 else { throw HostError.refused("the machine does not report its load") }
    for (span, load) in zip(["1 minute", "5 minutes", "15 minutes"], averages) {
      rows.add(key: span, span, load)
    }
  }
}

/// The entry function that the host looks up.
@c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Load.self) }
