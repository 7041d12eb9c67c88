import Foundation
import ListEngine
import Server

final class DemoFeed: Feed, @unchecked Sendable {
  let inlet: SourceInlet
  init(_ inlet: SourceInlet) { self.inlet = inlet }
  func start() {
    let inlet = inlet
    Thread.detachNewThread {
      inlet.tell(
        .schema(
          Schema(
            name: "demo", key: .integer, columns: [Column("n", .integer), Column("v", .number), Column("t", .text)])))
      var changes = Changeset()
      for n in 0..<1000 { changes.upsert(.integer(Int64(n)), [.integer(Int64(n)), .number(0.5), .text("row \(n)")]) }
      inlet.tell(.changes(changes))
      inlet.tell(.state(.live, message: ""))
      var n = 0
      while true {
        var changes = Changeset()
        for _ in 0..<100 { n += 7; changes.update(.integer(Int64(n % 1000)), [nil, .number(Double(n)), nil]) }
        guard inlet.tell(.changes(changes)) else { return }
        usleep(20_000)
      }
    }
  }
  func stop() {}
}
