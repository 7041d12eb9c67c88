import ListEngine

extension ClientMessage {
  /// Decodes the facets of a message.
  ///
  /// A malformed facet does not throw, so that the server can refuse it without the others.
  static func facets(_ message: JSONMembers, _ limits: Limits) throws(ClientError) -> [RequestedFacet] {
    var facets: [RequestedFacet] = []
    for (index, value) in try message.list("facets", limit: limits.facetsPerSession).enumerated() {
      do throws(ClientError) {
        let members = try JSONMembers(value, path: "facets[\(index)]")
        facets.append(
          .facet(
            FacetRequest(
              try members.requiredText("column", limit: greatestName),
              zone: try members.zone("zone"))))
      } catch {
        facets.append(.malformed(error))
      }
    }
    return facets
  }
}
