/// What a section keeps of one column, so that a cell that changes costs no look at the others.
struct Tally {
  /// What is asked of a column, and so must be kept.
  struct Needs {
    let type: ColumnType
    var sum = false
    var values = false
    var least = false
    var greatest = false

    init(_ type: ColumnType) { self.type = type }

    mutating func add(_ function: Aggregate.Function) {
      switch function {
      case .sum, .mean: sum = true
      case .min: (values, least) = (true, true)
      case .max: (values, greatest) = (true, true)
      case .distinct: values = true
      }
    }
  }

  private let needs: Needs
  /// How many cells are not empty.
  private var count = 0
  private var sum = ExactSum()
  private var values: ValueCounts

  init(_ needs: Needs) {
    self.needs = needs
    values = ValueCounts(findsLeast: needs.least, findsGreatest: needs.greatest)
  }

  /// Cells come, as their column's sort keys; or as the numbers of their texts.
  mutating func add(_ words: [UInt64]) {
    count += words.count
    if needs.sum { for word in words { add(word, isTakenAway: false) } }
    if needs.values { for word in words { values.add(word) } }
  }

  /// A cell goes that came as this word.
  mutating func remove(_ word: UInt64) {
    count -= 1
    if needs.sum { add(word, isTakenAway: true) }
    if needs.values { values.remove(word) }
    // Digits that were needed once are not kept for ever.
    if count == 0 { sum = ExactSum() }
  }

  private mutating func add(_ word: UInt64, isTakenAway: Bool) {
    if needs.type == .integer {
      sum.add(Self.integer(word), isTakenAway: isTakenAway)
    } else {
      sum.add(Self.number(word), isTakenAway: isTakenAway)
    }
  }

  /// What is asked for.
  ///
  /// - Complexity: O(log values), amortized.
  mutating func value(_ function: Aggregate.Function) -> Cell {
    switch function {
    case .distinct: .integer(Int64(values.distinct))
    case .min: cell(values.least())
    case .max: cell(values.greatest())
    case .sum:
      if count == 0 {
        .null
      } else if needs.type == .integer {
        sum.integer.map { .integer($0) } ?? .number(sum.roundedInteger)
      } else {
        finite(sum.number)
      }
    case .mean: count == 0 ? .null : finite((needs.type == .integer ? sum.roundedInteger : sum.number) / Double(count))
    }
  }

  private func finite(_ number: Double) -> Cell { number.isFinite ? .number(number == 0 ? 0 : number) : .null }

  private func cell(_ word: UInt64?) -> Cell {
    guard let word else { return .null }
    switch needs.type {
    case .integer: return .integer(Self.integer(word))
    case .timestamp: return .timestamp(Self.integer(word))
    default: return .number(Self.number(word))
    }
  }

  // Sort keys back to what they are of; see ``ColumnStore/sortKey(_:descending:)``.
  private static func integer(_ word: UInt64) -> Int64 { Int64(bitPattern: word ^ 1 << 63) }
  private static func number(_ word: UInt64) -> Double {
    Double(bitPattern: word & 1 << 63 == 0 ? ~word : word ^ 1 << 63)
  }
}
