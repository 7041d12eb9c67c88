/// What is wrong with a query, and where in it.
public struct QueryFault: Error, Hashable, Codable, Sendable {
  /// What is wrong.
  public var error: ClientError
  /// The parts of the query at fault, as paths into the client's message: `query.sort[0]`, `query.filter.all[1]`, `query.search`. Empty when no
  /// part can be named. A filter's path may lead to a place inside the term that would have to change.
  public var at: [String]

  /// A fault at these places.
  public init(_ error: ClientError, at: [String] = []) {
    self.error = error
    self.at = at
  }
}

/// A request that was refused. Its session stays open, and can ask for something else.
public struct Refusal: Hashable, Sendable {
  /// The number of the refused request; for a section that cannot be collapsed, of the query that is shown.
  public var request: UInt64
  /// What is wrong with it, and where.
  public var fault: QueryFault
  /// The last good request: its rows are what the client goes on getting. `nil` when the session has no table now.
  public var shown: UInt64?

  /// The refusal of a request.
  public init(request: UInt64, _ fault: QueryFault, shown: UInt64?) {
    self.request = request
    self.fault = fault
    self.shown = shown
  }
}
