/// The exports of one table.
struct TableExports {
  fileprivate var all: [TableExport] = []
  fileprivate var last: UInt64 = 0

  /// Whether one of them is not ready.
  var isWaiting: Bool { all.contains { !$0.isReady } }
  /// Whether none has fallen far behind what its table is told.
  func hasRoom(_ limit: Int) -> Bool { all.allSatisfy { $0.backlog < limit } }
  /// The first change in the log that one of them has not read; `nil` when all have read all.
  var logPosition: Int? { all.compactMap(\.logPosition).min() }
}

extension TableState {
  /// - Throws: when the rows are not ours to read.
  func beginExport(_ query: Query) throws(ClientError) -> UInt64 {
    guard windowed == nil else {
      throw .outOfRange("the rows of \(table.schema.name) stay at its source: it cannot be taken away as a whole")
    }
    exports.last += 1
    exports.all.append(TableExport(exports.last, of: table, query: query))
    return exports.last
  }

  func readExport(_ number: UInt64, rows: Int) -> ExportSlice {
    exports.all.first { $0.number == number }?.read(rows) ?? .end
  }

  func isExportReady(_ number: UInt64) -> Bool { exports.all.first { $0.number == number }?.isReady ?? true }

  func endExport(_ number: UInt64) { exports.all.removeAll { $0.number == number } }

  /// One step a turn for what is to be taken away, beside the one for what pages look at.
  func advanceExports() { exports.all.first { !$0.isReady }?.work() }
}
