import ListPlugin
import PluginHost
import Synchronization

/// A plugin in this very program, whose `run` a test writes.
struct Scripted: DataSource {
  typealias Script = @Sendable (ListHost) throws -> Void

  private static let scripts = Mutex<[String: (schema: ListPlugin.Schema, run: Script)]>([:])
  private static let made = Mutex(0)

  let schema: ListPlugin.Schema
  private let script: Script

  init(_ configuration: Configuration) throws {
    let number = configuration.text("script", default: "")
    guard let script = Self.scripts.withLock({ $0[number] }) else {
      throw ConfigurationError("script", "'\(number)' is not there")
    }
    schema = script.schema
    self.script = script.run
    _ = try configuration.integer("size", default: 1, in: 1...10)
  }

  func run(_ host: ListHost) throws { try script(host) }

  static let standard = ListPlugin.Schema(
    "things", title: "Things", key: .integer, columns: [Column("name", .text), Column("value", .number)])

  /// A source that runs this, and tells `recorder`.
  static func source(
    _ recorder: Recorder, schema: ListPlugin.Schema = standard, table: String? = nil,
    configuration: [String: String] = [:],
    run: @escaping Script
  ) throws -> PluginSource {
    let number = made.withLock { count in
      count += 1
      return "\(count)"
    }
    scripts.withLock { $0[number] = (schema, run) }
    return PluginSource(
      library: try PluginLibrary(plugin: export(Scripted.self)), name: "test", table: table,
      configuration: configuration.merging(["script": number]) { $1 }, log: { recorder.note($0, $1) },
      events: { recorder.hear($0) })
  }
}
