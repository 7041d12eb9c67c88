import LibrarySource
import ListPlugin
import SourceTesting
import Threads

/// A plugin inside the test program, whose `run` is written by the test.
struct Scripted: DataSource {
  typealias Script = @Sendable (ListHost) throws -> Void

  /// The parts that a test supplies.
  private struct Part {
    var schema: ListPlugin.Schema
    var actions: [Action]
    var loader: CellLoader?
    var images: ImageLoader?
    var run: Script
  }

  private static let scripts = Guarded<[String: Part]>([:])
  private static let made = Guarded(0)

  let schema: ListPlugin.Schema
  let actions: [Action]
  let loader: CellLoader?
  let images: ImageLoader?
  private let script: Script

  init(_ configuration: Configuration) throws {
    let number = configuration.text("script", default: "")
    guard let script = Self.scripts.withLock({ $0[number] }) else {
      throw ConfigurationError("script", "'\(number)' is not there")
    }
    schema = script.schema
    actions = script.actions
    loader = script.loader
    images = script.images
    self.script = script.run
    _ = try configuration.integer("size", default: 1, in: 1...10)
  }

  func run(_ host: ListHost) throws { try script(host) }

  static let standard = ListPlugin.Schema(
    "things", title: "Things", key: .integer, columns: [Column("name", .text), Column("value", .number)])

  /// Creates a source that runs the script and reports to `recorder`.
  static func source(
    _ recorder: Recorder, schema: ListPlugin.Schema = standard, table: String? = nil,
    configuration: [String: String] = [:], actions: [Action] = [], loader: CellLoader? = nil,
    images: ImageLoader? = nil,
    run: @escaping Script
  ) throws -> PluginSource {
    let number = made.withLock { count in
      count += 1
      return "\(count)"
    }
    scripts.withLock { $0[number] = Part(schema: schema, actions: actions, loader: loader, images: images, run: run) }
    return PluginSource(
      library: try PluginLibrary(plugin: export(Scripted.self)), name: "test", table: table,
      configuration: configuration.merging(["script": number]) { $1 }, log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
  }
}
