/// A facet as a client sends it.
public enum RequestedFacet: Hashable, Codable, Sendable {
  /// A facet whose column may not exist.
  case facet(FacetRequest)
  /// A malformed facet, which the engine refuses with this error.
  case malformed(ClientError)
}

/// A value of a facet with the number of its rows.
public struct FacetValue: Hashable, Sendable {
  /// The value, which is not null.
  public var value: Cell
  /// The number of rows.
  public var rows: Int

  /// Creates a value.
  public init(_ value: Cell, rows: Int) {
    self.value = value
    self.rows = rows
  }
}

/// The rows of a facet by value, or by range.
public struct FacetCounts: Hashable, Sendable {
  /// The rows that are not empty in the column.
  public enum Parts: Hashable, Sendable {
    /// The most frequent values, in descending order of their rows, then in order of their bytes.
    ///
    /// `others` is the number of further values, and `otherRows` that of their rows.
    case values([FacetValue], others: Int, otherRows: Int)
    /// The rows below the first edge, from each edge up to the next one, and from the last one on.
    ///
    /// The edges ascend. There is one count more than edges.
    case ranges(edges: [Cell], rows: [Int])
  }

  /// The rows by value or range.
  public var parts: Parts
  /// The number of rows that are empty in the column.
  public var emptyRows: Int

  /// Creates counts.
  public init(_ parts: Parts, emptyRows: Int) {
    self.parts = parts
    self.emptyRows = emptyRows
  }
}

/// The state of one facet of a client.
public enum FacetOutcome: Hashable, Sendable {
  /// The current counts.
  case counts(FacetCounts)
  /// The rows are still being counted for the first time.
  case pending
  /// The column has more different values than this number, so that they are not counted.
  case moreValues(than: Int)
  /// The facet is not possible, for this reason.
  case refused(ClientError)
}

/// The facets of a client that have changed since its last report.
public struct FacetReports: Hashable, Sendable {
  /// A facet by its place in the client's request.
  public struct Entry: Hashable, Sendable {
    /// The place, counted from 0.
    public var place: Int
    /// The state of the facet.
    public var outcome: FacetOutcome

    /// Creates an entry of a report.
    public init(_ place: Int, _ outcome: FacetOutcome) {
      self.place = place
      self.outcome = outcome
    }
  }

  /// The client's number for the request.
  public var id: UInt64
  /// The changed facets, in the order of the request.
  public var facets: [Entry]

  /// Creates a report.
  public init(id: UInt64, facets: [Entry]) {
    self.id = id
    self.facets = facets
  }

  /// Adds the facets of an earlier report of the same request that this one lacks, because the
  /// client has not received them.
  ///
  /// - Complexity: O(facets²), of which a client has a few.
  public mutating func include(_ earlier: FacetReports) {
    guard earlier.id == id else { return }
    facets += earlier.facets.filter { old in !facets.contains { $0.place == old.place } }
    facets.sort { $0.place < $1.place }
  }
}
