/// The state of a section's aggregates of one column, updated in place when a cell changes.
struct Tally {
  /// The parts of the state that a column's aggregates need.
  struct Needs {
    let type: ColumnType
    var sum = false
    var values = false
    var least = false
    var greatest = false
    var ranks = false

    init(_ type: ColumnType) { self.type = type }

    mutating func add(_ function: Aggregate.Function) {
      switch function {
      case .sum, .mean: sum = true
      case .min: (values, least) = (true, true)
      case .max: (values, greatest) = (true, true)
      case .distinct: values = true
      case .median, .p1, .p5, .p10, .p90, .p95, .p99: ranks = true
      case .first, .last: break
      }
    }
  }

  private let needs: Needs
  /// The number of cells that are not null.
  private var count = 0
  private var sum = ExactSum()
  private var values: ValueCounts
  private var ranks = ValueRanks()

  init(_ needs: Needs) {
    self.needs = needs
    values = ValueCounts(findsLeast: needs.least, findsGreatest: needs.greatest)
  }

  /// Adds cells, given by their sort keys or by the numbers of their texts.
  mutating func add(_ words: [UInt64]) {
    count += words.count
    if needs.sum { for word in words { add(word, isRemoved: false) } }
    if needs.values { for word in words { values.add(word) } }
    if needs.ranks { ranks.add(words) }
  }

  /// Adds a cell.
  mutating func add(_ word: UInt64) {
    count += 1
    if needs.sum { add(word, isRemoved: false) }
    if needs.values { values.add(word) }
    if needs.ranks { ranks.add(word) }
  }

  /// Removes a cell that was added as this word.
  mutating func remove(_ word: UInt64) {
    count -= 1
    if needs.sum { add(word, isRemoved: true) }
    if needs.values { values.remove(word) }
    if needs.ranks { ranks.remove(word) }
    // Release the digits of former sums.
    if count == 0 { sum = ExactSum() }
  }

  private mutating func add(_ word: UInt64, isRemoved: Bool) {
    if needs.type == .integer {
      sum.add(Self.integer(word), isRemoved: isRemoved)
    } else {
      sum.add(Self.number(word), isRemoved: isRemoved)
    }
  }

  /// Returns the value of an aggregate function.
  ///
  /// - Precondition: The function does not need the order of the rows.
  /// - Complexity: Amortized O(log values).
  mutating func value(_ function: Aggregate.Function) -> Cell {
    switch function {
    case .distinct: .integer(Int64(values.distinct))
    case .min: cell(values.least())
    case .max: cell(values.greatest())
    case .median, .p1, .p5, .p10, .p90, .p95, .p99: cell(function.percent.flatMap(ranks.percentile))
    case .sum:
      if count == 0 {
        .null
      } else if needs.type == .integer {
        sum.integer.map { .integer($0) } ?? .number(sum.roundedInteger)
      } else {
        finite(sum.number)
      }
    case .mean: count == 0 ? .null : finite((needs.type == .integer ? sum.roundedInteger : sum.number) / Double(count))
    case .first, .last: preconditionFailure("the \(function.words) is found by the order of the rows")
    }
  }

  /// Checks the order of the values.
  func checkInvariants() { ranks.checkInvariants() }

  private func finite(_ number: Double) -> Cell { number.isFinite ? .number(number == 0 ? 0 : number) : .null }

  /// Returns the cell of a word, or null.
  func cell(_ word: UInt64?) -> Cell {
    guard let word else { return .null }
    switch needs.type {
    case .integer: return .integer(Self.integer(word))
    case .timestamp: return .timestamp(Self.integer(word))
    default: return .number(Self.number(word))
    }
  }

  // Convert sort keys back to values; see ``ColumnStore/sortKey(_:descending:)``.
  private static func integer(_ word: UInt64) -> Int64 { Int64(bitPattern: word ^ 1 << 63) }
  private static func number(_ word: UInt64) -> Double {
    Double(bitPattern: word & 1 << 63 == 0 ? ~word : word ^ 1 << 63)
  }
}
