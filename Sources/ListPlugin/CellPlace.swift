/// Where a deferred cell stands, as the host names it.
struct CellPlace: Hashable, Sendable {
  var key: Key
  var column: UInt32
}
