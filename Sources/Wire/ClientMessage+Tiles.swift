import ListEngine

extension ClientMessage {
  /// Decodes the tiles of a message.
  ///
  /// A malformed tile does not throw, so that the server can refuse it without the others.
  static func tiles(_ message: JSONMembers, _ limits: Limits) throws(ClientError) -> [TileWish] {
    var tiles: [TileWish] = []
    for (index, value) in try message.list("tiles", limit: limits.tilesPerSession).enumerated() {
      do throws(ClientError) {
        tiles.append(.tile(try PresentationDecoding.tile(JSONMembers(value, path: "tiles[\(index)]"), limits)))
      } catch {
        tiles.append(.malformed(error))
      }
    }
    return tiles
  }
}
