import ListEngine

extension SectionOrderRequest {
  /// Decodes the order of the sections of a column: docs/protocol.md describes it.
  init(decoding members: JSONMembers) throws(ClientError) {
    let place = members.fullName("by")
    let key: Key
    switch members["by"] {
    case .text("value"): key = .value
    case .text("count"): key = .count
    case .text: throw .outOfRange("\(place) must be “value”, “count” or an aggregate")
    case .object(let aggregate):
      key = .aggregate(try PresentationDecoding.aggregate(JSONMembers(.object(aggregate), path: place)))
    case nil: throw .unreadableMessage("\(place) is missing")
    case let other?: throw .unreadableMessage("\(place) must be “value”, “count” or an aggregate, not \(other.kind)")
    }
    self.init(
      try members.requiredText("column", limit: ClientMessage.greatestName), by: key,
      descending: try members.boolean("descending") ?? false)
  }
}
