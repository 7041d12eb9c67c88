import ArgumentParser
import ListEngine

/// The parts of the page that a case of workload W6 has in addition to its sorted rows.
enum GlanceCase: String, CaseIterable, ExpressibleByArgument {
  /// None.
  case plain
  /// Six tiles of the summary strip, each with its course of the last minute.
  case strip
  /// Histories of two columns of all rows.
  case history
  /// Counts by severity, a rule by percentile, a heat scale, and a bar.
  ///
  /// Rules by threshold or by another column need only the counts: the page applies them to its own
  /// rows.
  case rules
  /// The strip, histories and rules.
  case all
  /// ``all``, and four facets.
  case facets

  var hasHistories: Bool { self == .history || self == .all || self == .facets }

  /// The tiles of the client: those of the strip, then those of rules.
  var tiles: [GlanceTile] {
    switch self {
    case .plain, .history: []
    case .strip: GlanceTile.strip
    case .rules: GlanceTile.rules
    case .all, .facets: GlanceTile.strip + GlanceTile.rules
    }
  }

  /// The columns with facets.
  var facetColumns: [String] { self == .facets ? ["sector", "side", "price", "size"] : [] }
}

/// A tile with its expected value.
struct GlanceTile: Sendable {
  let request: TileRequest
  let isRight: @Sendable (Cell, Mirror) -> Bool

  private init(
    _ function: Aggregate.Function?, _ column: String, _ filter: Filter<String>? = nil,
    isRight: @escaping @Sendable (Cell, Mirror) -> Bool
  ) {
    request = TileRequest(function.map { AggregateRequest($0, of: column) }, filter: filter)
    self.isRight = isRight
  }

  private static func counting(
    _ filter: Filter<String>?, _ isCounted: @escaping @Sendable (Int, Mirror) -> Bool
  ) -> GlanceTile {
    GlanceTile(nil, "", filter) { cell, mirror in
      cell == .integer(Int64(mirror.prices.indices.count { isCounted($0, mirror) }))
    }
  }

  static let strip = [
    GlanceTile.counting(nil) { _, _ in true },
    GlanceTile(.sum, "size") { $0 == .integer(Int64($1.sizes.reduce(0, +))) },
    GlanceTile(.mean, "price") { cell, mirror in
      let mean = mirror.prices.reduce(0, +) / Double(mirror.prices.count)
      guard case .number(let value) = cell else { return false }
      return abs(value - mean) <= 1e-9 * mean
    },
    GlanceTile(.max, "ask") { cell, mirror in
      // The mirror has no asks; the greatest lies at most 0.10 above the greatest price.
      guard case .number(let value) = cell, let price = mirror.prices.max() else { return false }
      return value > price && value <= price + 0.11
    },
    GlanceTile(.distinct, "size") { $0 == .integer(Int64(Set($1.sizes).count)) },
    GlanceTile.counting(
      .all([.compare("sector", .equal, .text("Sector-03")), .compare("size", .greaterOrEqual, .integer(5_000))])
    ) { $1.sector($0) == 3 && $1.sizes[$0] >= 5_000 },
  ]

  static let rules = [
    GlanceTile.counting(.range("price", from: .number(95_000), through: nil)) { $1.prices[$0] >= 95_000 },
    GlanceTile.counting(
      .all([
        .any([
          .range("price", from: .number(80_000), through: nil), .range("size", from: .integer(9_000), through: nil),
        ]), .not(.range("price", from: .number(95_000), through: nil)),
      ])
    ) { ($1.prices[$0] >= 80_000 || $1.sizes[$0] >= 9_000) && $1.prices[$0] < 95_000 },
    GlanceTile(.p95, "price") { $0 == .number($1.prices.sorted()[($1.prices.count * 95 + 99) / 100 - 1]) },
    GlanceTile(.min, "bid") { $0 == $1.bids.min().map { .number($0) } },
    GlanceTile(.max, "bid") { $0 == $1.bids.max().map { .number($0) } },
    GlanceTile(.max, "size") { $0 == $1.sizes.max().map { .integer(Int64($0)) } },
  ]
}
