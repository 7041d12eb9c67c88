/// A client's window, built from messages by the rules of docs/protocol.md alone.
///
/// It checks every count, index and digest. It supports rows, but no section headers.
struct WireReplica {
  /// A message that does not fit the window.
  struct Misfit: Error, CustomStringConvertible {
    var what: String
    var description: String { what }
  }

  struct Row {
    var id: Int
    var revision: Int
    var cells: [Any]
  }

  private(set) var epoch = ""
  private(set) var sequence = 0
  private(set) var request = 0
  private(set) var start = 0
  private(set) var total = 0
  private(set) var rows: [Row] = []

  /// Returns the integer cells of a column.
  func numbers(_ column: Int) -> [Int] { rows.map { $0.cells[column] as? Int ?? -1 } }

  /// Applies a window or patch.
  ///
  /// - Throws: ``Misfit``
  mutating func apply(_ message: [String: Any]) throws {
    guard let epoch = message["epoch"] as? String, let sequence = message["seq"] as? Int else {
      throw Misfit(what: "a message without epoch and seq")
    }
    if message["type"] as? String == "window" {
      rows = try (message["items"] as? [[Any]] ?? []).map(Self.row)
    } else {
      guard epoch == self.epoch, message["base"] as? Int == self.sequence else {
        throw Misfit(
          what: "a patch of \(epoch) from \(message["base"] ?? "nothing"), not of \(self.epoch) from \(self.sequence)")
      }
      try patch(message)
    }
    (self.epoch, self.sequence, request) = (epoch, sequence, message["request"] as? Int ?? -1)
    (start, total) = (message["start"] as? Int ?? -1, message["total"] as? Int ?? -1)
    guard digest == (message["digest"] as? Int).map({ UInt32(truncatingIfNeeded: $0) }) else {
      throw Misfit(what: "seq \(sequence) leaves another digest")
    }
    guard start >= 0, start + rows.count <= total, Set(rows.map(\.id)).count == rows.count else {
      throw Misfit(what: "\(rows.count) rows from \(start) of \(total), or one of them twice")
    }
  }

  private static func row(_ item: [Any]) throws -> Row {
    guard item.count == 3, let id = item[0] as? Int, let revision = item[1] as? Int, let cells = item[2] as? [Any]
    else { throw Misfit(what: "no row: \(item)") }
    return Row(id: id, revision: revision, cells: cells)
  }

  private mutating func patch(_ message: [String: Any]) throws {
    guard message["before"] as? Int == rows.count, let after = message["after"] as? Int, after >= 0 else {
      throw Misfit(what: "\(message["before"] ?? "nothing") rows before, not \(rows.count)")
    }
    for update in message["updated"] as? [[Any]] ?? [] {
      guard let index = update[0] as? Int, rows.indices.contains(index), let revision = update[1] as? Int else {
        throw Misfit(what: "an update of nothing: \(update)")
      }
      rows[index].revision = revision
      for place in stride(from: 2, to: update.count - 1, by: 2) {
        guard let column = update[place] as? Int, rows[index].cells.indices.contains(column) else {
          throw Misfit(what: "an update of no column: \(update)")
        }
        rows[index].cells[column] = update[place + 1]
      }
    }
    var result: [Row?] = Array(repeating: nil, count: after)
    var leaving: Set<Int> = []
    for removal in message["removed"] as? [[Any]] ?? [] {
      guard let index = removal[0] as? Int, rows.indices.contains(index), leaving.insert(index).inserted else {
        throw Misfit(what: "a removal of nothing: \(removal)")
      }
    }
    for insertion in message["inserted"] as? [[Any]] ?? [] {
      guard let index = insertion[0] as? Int, result.indices.contains(index), result[index] == nil,
        let item = insertion.last as? [Any]
      else { throw Misfit(what: "an insertion nowhere: \(insertion)") }
      result[index] = try Self.row(item)
    }
    for move in message["moved"] as? [[Int]] ?? [] {
      guard rows.indices.contains(move[0]), result.indices.contains(move[1]), result[move[1]] == nil,
        leaving.insert(move[0]).inserted
      else { throw Misfit(what: "a move from or to nowhere: \(move)") }
      result[move[1]] = rows[move[0]]
    }
    var staying = rows.indices.filter { !leaving.contains($0) }[...]
    for index in result.indices where result[index] == nil {
      guard let next = staying.popFirst() else { throw Misfit(what: "too few rows are left") }
      result[index] = rows[next]
    }
    guard staying.isEmpty else { throw Misfit(what: "too many rows are left") }
    rows = result.compactMap(\.self)
  }

  private var digest: UInt32 {
    func mix(_ h: UInt32, _ v: Int) -> UInt32 {
      let h = (h ^ UInt32(truncatingIfNeeded: v)) &* 0x9E37_79B1
      return h ^ (h >> 15)
    }
    var h = mix(mix(0x811C_9DC5, start), total)
    for row in rows { h = mix(mix(mix(mix(h, 1), row.id), row.id >> 32), row.revision) }
    return h
  }
}
