/// The exports of one table.
struct TableExports {
  fileprivate var all: [any RowExport] = []
  /// The number of the last export begun.
  fileprivate(set) var last: UInt64

  /// Creates an empty list; export numbers continue after `last`, from a replaced table.
  init(after last: UInt64) { self.last = last }

  /// Whether any export has work to do.
  var isWaiting: Bool { all.contains(where: \.isBuilding) }
  /// Returns whether every export has a backlog below the limit.
  func hasRoom(_ limit: Int) -> Bool { all.allSatisfy { $0.backlog < limit } }
  /// Performs one step of the first unfinished export.
  func advance() { all.first(where: \.isBuilding)?.work() }
  /// The position of the first change that an export has not read, or `nil` if all are up to date.
  var logPosition: Int? { all.compactMap(\.logPosition).min() }
}

extension TableState {
  func beginExport(_ query: Query, _ wall: WallTime) -> UInt64 {
    exports.last += 1
    exports.all.append(backend.beginExport(exports.last, query, wall))
    return exports.last
  }

  func readExport(_ number: UInt64, rows: Int) -> ExportSlice {
    if let export = export(number) { return export.read(rows) }
    // Exports of a replaced table fail: ending them would make a partial file look complete.
    return number <= origin.lastExport ? .failed("the table has other columns now") : .end
  }

  func isExportReady(_ number: UInt64) -> Bool { export(number)?.isReady ?? true }

  /// Returns whether the export has blocks to request.
  func exportNeedsRows(_ number: UInt64) -> Bool { backend.exportNeedsRows(number) }

  /// Returns the number of rows that did not match the schema and were left out.
  func rowsLeftOut(_ number: UInt64) -> Int { export(number)?.leftOut ?? 0 }

  func endExport(_ number: UInt64) {
    exports.all.removeAll { $0.number == number }
    backend.endExport(number)
  }

  private func export(_ number: UInt64) -> (any RowExport)? { exports.all.first { $0.number == number } }
}
