import ListEngine

@testable import Wire

extension ClientMessage {
  /// The error in the message's query, if there is one.
  var queryFault: QueryFault? {
    switch self {
    case .query(_, let query, _): query.fault
    case .open(let open): open.query.fault
    default: nil
    }
  }
}
