import ListEngine

extension ClientMessage {
  /// Decodes the tiles of a message.
  ///
  /// A malformed tile does not throw, so that the server can refuse it without the others.
  static func tiles(_ message: JSONMembers, _ limits: Limits) throws(ClientError) -> [RequestedTile] {
    var tiles: [RequestedTile] = []
    for (index, value) in try message.list("tiles", limit: limits.tilesPerSession).enumerated() {
      do throws(ClientError) {
        let members = try JSONMembers(value, path: "tiles[\(index)]")
        tiles.append(
          .tile(try PresentationDecoding.tile(members, limits), written: try written(members, "where")))
      } catch {
        tiles.append(.malformed(error))
      }
    }
    return tiles
  }
}
