import ListEngine

/// The expected rows of a source in order of insertion, each with the number of its last change.
struct ChaosTruth {
  struct Row: Equatable {
    var key: Int
    var version: Int
  }

  /// The query of a client.
  enum Look: Int, CaseIterable {
    /// Rows in order of insertion.
    case plain
    /// Rows by their last change, latest first.
    case latest
    /// Keys that are multiples of three, in descending order.
    case some

    /// The query in JSON.
    var query: String {
      switch self {
      case .plain: "{}"
      case .latest: #"{"sort":[{"column":"version","descending":true}]}"#
      case .some:
        #"{"filter":{"column":"third","op":"=","value":true},"sort":[{"column":"key","descending":true}]}"#
      }
    }
  }

  static let schema = Schema(
    name: "truth", key: .integer,
    columns: [Column("key", .integer), Column("version", .integer), Column("third", .boolean)])

  private(set) var rows: [Row] = []
  private var lastKey = 0
  private(set) var lastVersion = 0

  init(rows count: Int) {
    for _ in 0..<count { insert() }
  }

  private mutating func insert() {
    lastKey += 1
    lastVersion += 1
    rows.append(Row(key: lastKey, version: lastVersion))
  }

  /// A changeset with all rows.
  var everything: Changeset {
    var changes = Changeset()
    for row in rows { Self.report(row, to: &changes) }
    return changes
  }

  /// Changes, deletes and inserts some rows, and returns the changeset.
  mutating func change(_ dice: inout SplitMix) -> Changeset {
    var changes = Changeset()
    // Delete first, so that the row with the last change always exists.
    if rows.count > 40, Bool.random(using: &dice) {
      changes.delete(.integer(Int64(rows.remove(at: Int.random(in: rows.indices, using: &dice)).key)))
    }
    for _ in 0..<Int.random(in: 1...5, using: &dice) {
      let index = Int.random(in: rows.indices, using: &dice)
      lastVersion += 1
      rows[index].version = lastVersion
      Self.report(rows[index], to: &changes)
    }
    if rows.count < 80, Bool.random(using: &dice) {
      insert()
      Self.report(rows[rows.count - 1], to: &changes)
    }
    return changes
  }

  private static func report(_ row: Row, to changes: inout Changeset) {
    changes.upsert(
      .integer(Int64(row.key)),
      [.integer(Int64(row.key)), .integer(Int64(row.version)), .boolean(row.key.isMultiple(of: 3))])
  }

  /// Returns the rows that a client with this query must show.
  func shown(_ look: Look) -> [Row] {
    switch look {
    case .plain: rows
    case .latest: rows.sorted { $0.version > $1.version }
    case .some: rows.filter { $0.key.isMultiple(of: 3) }.sorted { $0.key > $1.key }
    }
  }
}
