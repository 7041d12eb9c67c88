import CListPlugin
import Synchronization

/// The host's interface to a source.
///
/// It may be used on any thread during the source's `run`.
public struct ListHost: Sendable {
  // The C interface keeps this valid until the instance is destroyed.
  nonisolated(unsafe) let host: UnsafePointer<list_host>
  let stopHandlers: StopHandlers

  /// Sends rows. Blocks while the engine's input is full.
  ///
  /// - Parameter reload: The batch's position in a reload of the whole list; only for upserts.
  public func push(_ batch: borrowing Batch, reload: Reload = []) throws(HostError) {
    if let mistake = batch.mistake { throw .refused(mistake) }
    var description = list_batch(
      size: UInt32(MemoryLayout<list_batch>.size), verb: batch.verb.rawValue, flags: reload.rawValue,
      column_count: UInt32(batch.columns), row_count: UInt64(batch.rowCount),
      keys: UnsafePointer(batch.keys.assumingMemoryBound(to: list_cell.self)),
      cells: UnsafePointer(batch.cells.assumingMemoryBound(to: list_cell.self)))
    try check(host.pointee.push(host.pointee.context, &description), "the host refuses the rows; its log says why")
  }

  /// Sends the whole list; the engine computes the changes.
  public func reload(_ batch: borrowing Batch) throws(HostError) { try push(batch, reload: [.begin, .end]) }

  /// Waits for this duration, and throws an error if the source is being stopped.
  public func wait(_ duration: Duration) throws(HostError) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds =
      duration <= .zero
      ? 0 : UInt64(clamping: min(seconds, 9_000_000_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    try check(host.pointee.wait(host.pointee.context, nanoseconds), "")
  }

  /// Whether the source is being stopped.
  public var isStopping: Bool { host.pointee.wait(host.pointee.context, 0) != 0 }

  /// Registers a handler that is called once, on any thread, when the source is stopped.
  ///
  /// Sources that wait for something other than the host, such as a socket, need one. The handler
  /// must return at once. It is called immediately if the source is already being stopped.
  public func onStop(_ handler: @escaping @Sendable () -> Void) { stopHandlers.add(handler) }

  /// Reports the source's state and a message for users.
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

  /// Returns an extension's functions, or nil if the host does not support it.
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
