/// The position of a deferred cell.
struct CellPlace: Hashable, Sendable {
  var key: Key
  var column: UInt32
}
