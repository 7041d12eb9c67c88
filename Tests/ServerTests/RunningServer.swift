import Dispatch
import Foundation
import ListEngine
import Logging

@testable import Server

/// A server on its own thread and a free port; it ends with the value.
final class RunningServer: @unchecked Sendable {
  private(set) var port = 0
  private(set) var control: ServerControl!
  private let hasStarted = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    var configuration = ServerConfiguration()
    configuration.epoch = "test"
    configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    configure(&configuration)
    let chosen = configuration
    Thread.detachNewThread { [self] in
      // A server is created, run and released on one thread.
      if let server = try? Server(chosen) {
        port = server.port
        control = server.control
        hasStarted.signal()
        server.run()
      } else {
        hasStarted.signal()
      }
      hasEnded.signal()
    }
    hasStarted.wait()
    struct NoServer: Error {}
    if control == nil { throw NoServer() }
  }

  /// Stops the server.
  ///
  /// - Returns: Whether it has ended in time.
  func stop(within seconds: Double = 10) -> Bool {
    control.stop()
    defer { hasEnded.signal() }
    return hasEnded.wait(timeout: .now() + seconds) == .success
  }

  deinit { control?.stop() }

  /// A certificate for localhost.
  static let certificate: Certificate = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/tls").path
    return Certificate(chain: "\(folder)/localhost.crt", key: "\(folder)/localhost.key")
  }()

  // MARK: Tables

  static let schema = Schema(
    name: "numbers", key: .integer, columns: [Column("n", .integer), Column("name", .text)])

  /// Adds a source with `count` rows, and waits until clients can see them.
  func addNumbers(_ count: Int, name: String = "numbers") -> SourceInlet {
    let inlet = control.addSource(name)
    var schema = Self.schema
    schema.name = name
    inlet.report(.schema(schema))
    inlet.report(.changes(Self.rows(0..<count)))
    inlet.report(.state(.live, message: ""))
    return inlet
  }

  static func rows(_ range: Range<Int>, name: String = "row") -> Changeset {
    var changes = Changeset()
    for n in range { changes.upsert(.integer(Int64(n)), [.integer(Int64(n)), .text("\(name) \(n)")]) }
    return changes
  }
}
