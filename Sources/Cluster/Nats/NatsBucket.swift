import CNats
import ListEngine
import Threads

/// A bucket of the key-value store. [any thread]
final class NatsBucket: @unchecked Sendable {
  /// The library's bucket on one link, which it must not outlive.
  private final class Opened {
    let store: OpaquePointer
    let link: NatsLink

    init(_ store: OpaquePointer, of link: NatsLink) {
      self.store = store
      self.link = link
    }

    deinit { kvStore_Destroy(store) }
  }

  private struct State { var opened: Opened? }

  private let name: String
  private let connection: NatsConnection
  private let state = Guarded(State())

  init(_ name: String, of connection: NatsConnection) {
    self.name = name
    self.connection = connection
  }

  /// Makes a call with the library's bucket, which is opened again on another link.
  private func ask(_ what: String, _ call: (OpaquePointer) -> natsStatus) throws(ClusterError) {
    try connection.ask("\(what) of the bucket \(name)") { link, _ in
      if let opened = state.withLock({ $0.opened }), opened.link === link { return call(opened.store) }
      var store: OpaquePointer?
      let status = js_KeyValue(&store, link.context, name)
      guard status == NATS_OK, let store else { return status == NATS_OK ? NATS_ERR : status }
      let opened = Opened(store, of: link)
      state.withLock { $0.opened = opened }
      return call(opened.store)
    }
  }

  /// Opens the bucket.
  ///
  /// - Throws: ``ClusterError/failed(_:)`` if it does not exist.
  func open() throws(ClusterError) { try ask("the state") { _ in NATS_OK } }

  /// Creates a key and returns its revision; `nil` if it exists.
  func create(_ key: String, _ value: [UInt8]) throws(ClusterError) -> UInt64? {
    try write(key) { revision, store in kvStore_Create(revision, store, key, value, Int32(value.count)) }
  }

  /// Writes a key that has a revision; returns the new one, or `nil` if it has another revision.
  func update(_ key: String, _ value: [UInt8], at revision: UInt64) throws(ClusterError) -> UInt64? {
    try write(key) { new, store in kvStore_Update(new, store, key, value, Int32(value.count), revision) }
  }

  private func write(
    _ key: String, _ call: (UnsafeMutablePointer<UInt64>, OpaquePointer) -> natsStatus
  ) throws(ClusterError) -> UInt64? {
    var revision: UInt64 = 0
    do throws(ClusterError) {
      try ask("the key \(key)") { store in call(&revision, store) }
    } catch {
      guard !error.isUnanswered else { throw error }
      return nil
    }
    return revision
  }

  /// Creates or updates a key; a write without an answer is repeated.
  ///
  /// - Parameters:
  ///   - value: A value that no other writer writes.
  ///   - revision: The revision that the key must have; `nil` if it must not exist.
  /// - Returns: Whether it was written.
  func put(_ key: String, _ value: [UInt8], at revision: UInt64?) throws(ClusterError) -> Bool {
    for attempt in 1... {
      do throws(ClusterError) {
        let new = if let revision { try update(key, value, at: revision) } else { try create(key, value) }
        if new != nil { return true }
        guard attempt > 1 else { return false }
        return try self.value(of: key)?.bytes == value
      } catch {
        guard error.isUnanswered, attempt < 4 else { throw error }
      }
    }
    preconditionFailure("the loop ends with a return or an error")
  }

  /// Returns a key's value and revision; `nil` if it does not exist.
  ///
  /// The value may be older than the last one that was written.
  func value(of key: String) throws(ClusterError) -> (bytes: [UInt8], revision: UInt64)? {
    var entry: OpaquePointer?
    try ask("the key \(key)") { store in
      let status = kvStore_Get(&entry, store, key)
      return status == NATS_NOT_FOUND ? NATS_OK : status
    }
    guard let entry else { return nil }
    defer { kvEntry_Destroy(entry) }
    let length = Int(kvEntry_ValueLen(entry))
    let bytes = kvEntry_Value(entry).map { Array(UnsafeRawBufferPointer(start: $0, count: length)) } ?? []
    return (bytes, kvEntry_Revision(entry))
  }

  /// Returns all keys, also those that were deleted.
  ///
  /// The library's own call makes a consumer each time. A server that was cut off from the others
  /// may keep one for good, and then reports that it is not healthy.
  func keys() throws(ClusterError) -> [String] {
    let prefix = "$KV.\(name)."
    return try connection.subjects(of: "KV_\(name)", matching: "\(prefix)>").map { String($0.dropFirst(prefix.count)) }
  }
}
