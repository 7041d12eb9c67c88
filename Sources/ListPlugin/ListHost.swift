import CListPlugin
import Synchronization

/// The host, as a source sees it: where rows go, and who says when to stop.
///
/// It may be used on any thread while the source's `run` runs.
public struct ListHost: Sendable {
  // Valid until the instance is destroyed: the contract says so.
  nonisolated(unsafe) let host: UnsafePointer<list_host>
  let stopHandlers: StopHandlers

  /// Hands rows over. Blocks while the engine has more to do than it can hold.
  ///
  /// - Parameter reload: Where the batch stands in a list that is told anew; only with upserts.
  public func push(_ batch: borrowing Batch, reload: Reload = []) throws(HostError) {
    if let mistake = batch.mistake { throw .refused(mistake) }
    var description = list_batch(
      size: UInt32(MemoryLayout<list_batch>.size), verb: batch.verb.rawValue, flags: reload.rawValue,
      column_count: UInt32(batch.columns), row_count: UInt64(batch.rowCount),
      keys: UnsafePointer(batch.keys.assumingMemoryBound(to: list_cell.self)),
      cells: UnsafePointer(batch.cells.assumingMemoryBound(to: list_cell.self)))
    try check(host.pointee.push(host.pointee.context, &description), "the host refuses the rows; its log says why")
  }

  /// Tells the whole list anew; the engine finds out what has changed.
  public func reload(_ batch: borrowing Batch) throws(HostError) { try push(batch, reload: [.begin, .end]) }

  /// Waits, and throws when the source is to stop.
  public func wait(_ duration: Duration) throws(HostError) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds =
      duration <= .zero
      ? 0 : UInt64(clamping: min(seconds, 9_000_000_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    try check(host.pointee.wait(host.pointee.context, nanoseconds), "")
  }

  /// Whether the source is to stop.
  public var isStopping: Bool { host.pointee.wait(host.pointee.context, 0) != 0 }

  /// Has `handler` called, once and on any thread, when the source is to stop: for a source that waits for something else than the
  /// host, such as a socket. It must return at once. Called here and now when the source is to stop already.
  public func onStop(_ handler: @escaping @Sendable () -> Void) { stopHandlers.add(handler) }

  /// Says how the source is, and why, for people.
  public func setState(_ state: SourceState, _ message: String = "") {
    host.pointee.set_state(host.pointee.context, state.rawValue, message)
  }

  /// Writes a line to the host's log.
  public func log(_ level: LogLevel, _ message: String) {
    host.pointee.log(host.pointee.context, level.rawValue, message)
  }

  func declare(_ schema: Schema) throws(HostError) {
    let result = schema.withCSchema { host.pointee.declare(host.pointee.context, $0) }
    try check(result, "the host refuses the schema; its log says why")
  }

  func fail(_ key: String?, _ message: String) {
    if let key {
      host.pointee.fail(host.pointee.context, key, message)
    } else {
      host.pointee.fail(host.pointee.context, nil, message)
    }
  }

  /// A named power of the host; nil when it does not have it.
  func `extension`<Table>(_ name: String, _: Table.Type) -> UnsafePointer<Table>? {
    host.pointee.get_extension?(host.pointee.context, name)?.assumingMemoryBound(to: Table.self)
  }

  func check(_ result: Int32, _ reason: String) throws(HostError) {
    switch UInt32(bitPattern: result) {
    case LIST_OK.rawValue: return
    case LIST_STOPPING.rawValue: throw .stopping
    default: throw .refused(reason)
    }
  }
}
