/// An error in a query, with the parts of the query that cause it.
public struct QueryFault: Error, Hashable, Codable, Sendable {
  /// The error.
  public var error: ClientError
  /// The faulty parts as paths into the client's message: `query.sort[0]`, `query.filter.all[1]`,
  /// `query.search`.
  ///
  /// Empty if unknown. A path can lead to a part inside a filter's term.
  public var at: [String]

  /// Creates a fault at these paths.
  public init(_ error: ClientError, at: [String] = []) {
    self.error = error
    self.at = at
  }
}

/// The answer to a refused request.
///
/// The session stays open and can send other requests.
public struct Refusal: Hashable, Sendable {
  /// The number of the refused request.
  ///
  /// If collapsing a section was refused, the number of the query shown.
  public var request: UInt64
  /// The error and its location.
  public var fault: QueryFault
  /// The number of the last good request, whose rows the client keeps receiving.
  ///
  /// `nil` if the session now shows no query.
  public var shown: UInt64?

  /// Creates the refusal of a request.
  public init(request: UInt64, _ fault: QueryFault, shown: UInt64?) {
    self.request = request
    self.fault = fault
    self.shown = shown
  }
}
