/// The exports of one table.
struct TableExports {
  fileprivate(set) var all: [TableExport] = []
  fileprivate var last: UInt64 = 0
}

extension TableState {
  /// - Throws: when the rows are not ours to read.
  func beginExport(_ query: Query, at now: Instant) throws(ClientError) -> UInt64 {
    let view = watch(query)
    guard let view = view as? ListView else {
      leave(view, at: now)
      throw .outOfRange("the rows of \(table.schema.name) stay at its source: it cannot be taken away as a whole")
    }
    exports.last += 1
    exports.all.append(TableExport(exports.last, of: table, view: view))
    return exports.last
  }

  func readExport(_ number: UInt64, rows: Int) -> ExportSlice {
    exports.all.first { $0.number == number }?.read(rows) ?? .end
  }

  func isExportReady(_ number: UInt64) -> Bool { exports.all.first { $0.number == number }?.view == nil }

  func endExport(_ number: UInt64, at now: Instant) {
    guard let index = exports.all.firstIndex(where: { $0.number == number }) else { return }
    if let view = exports.all.remove(at: index).view { leave(view, at: now) }
  }

  /// Notes the order of what is to be taken away, where there is one.
  func advanceExports(at now: Instant) {
    for export in exports.all {
      if let view = export.noteOrder() { leave(view, at: now) }
    }
  }
}
