/// The exports of one table.
struct TableExports {
  fileprivate var all: [any RowExport] = []
  /// The last that was begun.
  fileprivate(set) var last: UInt64

  /// None. Those up to this number were of a table whose place was taken.
  init(after last: UInt64) { self.last = last }

  /// Whether one of them goes further turn by turn.
  var isWaiting: Bool { all.contains(where: \.isBuilding) }
  /// Whether none has fallen far behind what its table is told.
  func hasRoom(_ limit: Int) -> Bool { all.allSatisfy { $0.backlog < limit } }
  /// The first change in the log that one of them has not read; `nil` when all have read all.
  var logPosition: Int? { all.compactMap(\.logPosition).min() }
}

extension TableState {
  func beginExport(_ query: Query) -> UInt64 {
    exports.last += 1
    exports.all.append(
      windowed?.exports.begin(exports.last, query) ?? TableExport(exports.last, of: table, query: query))
    return exports.last
  }

  func readExport(_ number: UInt64, rows: Int) -> ExportSlice {
    if let export = export(number) { return export.read(rows) }
    // What looked whole would not be.
    return number <= origin.lastExport ? .failed("the table has other columns now") : .end
  }

  func isExportReady(_ number: UInt64) -> Bool { export(number)?.isReady ?? true }

  /// Whether a turn would have more of it asked for.
  func isExportHungry(_ number: UInt64) -> Bool { windowed?.exports.isHungry(number) ?? false }

  /// How many of its rows did not fit the schema, and were left out.
  func rowsLeftOut(_ number: UInt64) -> Int { (export(number) as? WindowedExport)?.leftOut ?? 0 }

  func endExport(_ number: UInt64) {
    exports.all.removeAll { $0.number == number }
    windowed?.exports.end(number)
  }

  private func export(_ number: UInt64) -> (any RowExport)? { exports.all.first { $0.number == number } }

  /// One step a turn for what is to be taken away, beside the one for what pages look at.
  func advanceExports() { exports.all.first(where: \.isBuilding)?.work() }
}
