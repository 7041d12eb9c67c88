import Glibc
import ListPlugin
import ProcessReader

/// The processes of this machine, as a list that is sent at every interval.
///
/// Settings:
/// - `interval`: seconds between two reads.
/// - `proc`: the folder to read.
/// - `commands`: the users who see command lines.
/// - `allow_actions`: whether users can end, kill and renice processes; off by default.
struct Processes: PolledSource {
  static let title = "The processes of this machine"

  private static let table = Schema(
    "processes", title: "Processes", key: .integer,
    columns: [
      Column("pid", .integer, title: "PID", width: 8, format: .plain),
      Column("user", .text, title: "User", width: 12),
      Column("name", .text, title: "Name", width: 18),
      Column(
        "state", .text, title: "State", style: .badge, width: 10,
        description: "The state of the scheduler; a zombie has ended and waits for its parent to notice.",
        warning: .values(["stopped", "traced"]), critical: .values(["zombie", "dead"])),
      Column(
        "cpu", .number, title: "CPU", style: .bar, unit: "%", width: 8, format: .plain(decimals: 1),
        description: "The processor time since the last reading; 100 % is one core.", warning: .from(90)),
      Column(
        "memory", .integer, title: "Memory", style: .bytes, width: 10,
        description: "The resident memory, including what is shared with other processes."),
      Column("threads", .integer, title: "Threads", width: 8),
      Column("started", .timestamp, title: "Started", style: .age, width: 10),
      Column(
        "kernel", .boolean, title: "Kernel thread", width: 8, description: "Whether it is a thread of the kernel."),
      Column("command", .text, title: "Command", width: 60, audience: .operators),
    ], label: "name",
    view: TableView(
      description: "The processes of this machine", icon: "⚙", sort: [.descending("cpu"), .descending("memory")],
      filter: .isOne(of: [false], in: "kernel"), hidden: ["kernel"],
      tiles: [
        Tile("All processes"), Tile("Running", where: .isOne(of: ["running"], in: "state")),
        Tile("CPU", Aggregate(.sum, of: "cpu")), Tile("Memory", Aggregate(.sum, of: "memory")),
        Tile("Waiting for a device", where: .isOne(of: ["waiting"], in: "state")),
      ], severity: "state"))

  let schema: Schema
  let interval: Duration
  let actions: [Action]
  private var reader: ProcessReader
  private let clock = SuspendingClock()
  private let start = SuspendingClock().now

  init(_ configuration: Configuration) throws {
    interval = try configuration.duration("interval", default: .seconds(1), in: .milliseconds(50) ... .seconds(3_600))
    let root = configuration.text("proc", default: "/proc")
    var status = stat()
    guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw ConfigurationError("proc", "'\(root)' is not a folder")
    }
    var table = Self.table
    let last = table.columns.count - 1
    switch configuration.text("commands", default: "operators") {
    case "operators": break
    case "all": table.columns[last].audience = .all
    case "none": table.columns.removeLast()
    case let text: throw ConfigurationError("commands", "'\(text)' is not a choice: use operators, all or none")
    }
    schema = table
    let isAllowed = try configuration.boolean("allow_actions", default: false)
    // Process ids from another folder do not identify processes of this kernel.
    guard !isAllowed || root == "/proc" else {
      throw ConfigurationError("allow_actions", "only the processes of /proc can be acted upon")
    }
    actions = isAllowed ? ProcessActions.all : []
    reader = ProcessReader(root: root)
  }

  mutating func list(_ rows: inout Batch) throws {
    for process in try reader.read(at: clock.now - start) {
      let started = process.started.map { Timestamp(nanoseconds: $0) }
      if schema.columns.count == Self.table.columns.count {
        rows.add(
          key: process.key, Int(process.pid), process.user, process.name, process.state, process.cpu, process.memory,
          process.threads, started, process.isKernel, process.command)
      } else {
        rows.add(
          key: process.key, Int(process.pid), process.user, process.name, process.state, process.cpu, process.memory,
          process.threads, started, process.isKernel)
      }
    }
  }
}

/// The entry function that the host looks up.
@c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Processes.self) }
