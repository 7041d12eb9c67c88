import ListEngine

@testable import Wire

extension ClientMessage {
  /// What is wrong with the query in it, if anything.
  var queryFault: QueryFault? {
    switch self {
    case .query(_, let query, _): query.fault
    case .open(let open): open.query.fault
    default: nil
    }
  }
}
