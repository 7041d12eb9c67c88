/// What a page holds, by docs/protocol.md alone: from messages as they come, with every count, index and digest looked at.
struct WireReplica {
  struct Misfit: Error { var what: String }

  private(set) var epoch = ""
  private(set) var sequence = 0
  private var start = 0
  private var total = 0
  private var rows: [(id: Int, revision: Int, cells: [Any])] = []

  /// A column of what is held, as text.
  func texts(_ column: Int) -> [String] { rows.map { "\($0.cells[column])" } }

  mutating func apply(_ message: [String: Any]) throws {
    guard let epoch = message["epoch"] as? String, let sequence = message["seq"] as? Int else {
      throw Misfit(what: "no seq")
    }
    if message["type"] as? String == "window" {
      rows = try (message["items"] as? [[Any]] ?? []).map(row)
    } else {
      guard epoch == self.epoch, message["base"] as? Int == self.sequence else {
        throw Misfit(what: "from \(message["base"] ?? "nothing"), not \(self.sequence)")
      }
      try patch(message)
    }
    (self.epoch, self.sequence) = (epoch, sequence)
    (start, total) = (message["start"] as? Int ?? -1, message["total"] as? Int ?? -1)
    guard digest == (message["digest"] as? Int).map(UInt32.init) else {
      throw Misfit(what: "another digest")
    }
  }

  private func row(_ item: [Any]) throws -> (id: Int, revision: Int, cells: [Any]) {
    guard item.count == 3, let id = item[0] as? Int, let revision = item[1] as? Int, let cells = item[2] as? [Any]
    else {
      throw Misfit(what: "no row: \(item)")
    }
    return (id, revision, cells)
  }

  private mutating func patch(_ message: [String: Any]) throws {
    guard message["before"] as? Int == rows.count, let after = message["after"] as? Int else {
      throw Misfit(what: "before")
    }
    for update in message["updated"] as? [[Any]] ?? [] {
      guard let index = update[0] as? Int, rows.indices.contains(index), let revision = update[1] as? Int else {
        throw Misfit(what: "an update")
      }
      rows[index].revision = revision
      for place in stride(from: 2, to: update.count - 1, by: 2) {
        guard let column = update[place] as? Int else { throw Misfit(what: "a column") }
        rows[index].cells[column] = update[place + 1]
      }
    }
    var result: [(id: Int, revision: Int, cells: [Any])?] = Array(repeating: nil, count: after)
    var leaving: Set<Int> = []
    for removal in message["removed"] as? [[Any]] ?? [] { leaving.insert(removal[0] as? Int ?? -1) }
    for insertion in message["inserted"] as? [[Any]] ?? [] {
      guard let index = insertion[0] as? Int, result.indices.contains(index), let item = insertion[2] as? [Any] else {
        throw Misfit(what: "an insertion")
      }
      result[index] = try row(item)
    }
    for move in message["moved"] as? [[Int]] ?? [] {
      guard rows.indices.contains(move[0]), result.indices.contains(move[1]) else { throw Misfit(what: "a move") }
      result[move[1]] = rows[move[0]]
      leaving.insert(move[0])
    }
    var staying = rows.indices.filter { !leaving.contains($0) }[...]
    for index in result.indices where result[index] == nil {
      guard let next = staying.popFirst() else { throw Misfit(what: "too few rows") }
      result[index] = rows[next]
    }
    guard staying.isEmpty else { throw Misfit(what: "too many rows") }
    rows = result.compactMap { $0 }
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
