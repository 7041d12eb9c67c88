import CNats

/// A bucket of the key-value store. [any thread]
final class NatsBucket: @unchecked Sendable {
  private let bucket: OpaquePointer
  /// The bucket must not outlive its connection.
  private let connection: NatsConnection

  init(_ bucket: OpaquePointer, of connection: NatsConnection) {
    self.bucket = bucket
    self.connection = connection
  }

  deinit { kvStore_Destroy(bucket) }

  /// Creates a key and returns its revision; `nil` if it exists, or the server does not answer.
  func create(_ key: String, _ value: [UInt8]) -> UInt64? {
    var revision: UInt64 = 0
    guard kvStore_Create(&revision, bucket, key, value, Int32(value.count)) == NATS_OK else { return nil }
    return revision
  }

  /// Writes a key that has a revision; returns the new one, or `nil` if it was not written.
  func update(_ key: String, _ value: [UInt8], at revision: UInt64) -> UInt64? {
    var new: UInt64 = 0
    guard kvStore_Update(&new, bucket, key, value, Int32(value.count), revision) == NATS_OK else { return nil }
    return new
  }

  /// Deletes a key.
  func delete(_ key: String) { kvStore_Delete(bucket, key) }

  /// Returns a key's value and revision; `nil` if it does not exist.
  func value(of key: String) throws(ClusterError) -> (bytes: [UInt8], revision: UInt64)? {
    var entry: OpaquePointer?
    let status = kvStore_Get(&entry, bucket, key)
    if status == NATS_NOT_FOUND { return nil }
    guard status == NATS_OK, let entry else {
      throw .failed("the key \(key): \(NatsConnection.text(status))")
    }
    defer { kvEntry_Destroy(entry) }
    let length = Int(kvEntry_ValueLen(entry))
    let bytes = kvEntry_Value(entry).map { Array(UnsafeRawBufferPointer(start: $0, count: length)) } ?? []
    return (bytes, kvEntry_Revision(entry))
  }

  /// Returns all keys.
  func keys() throws(ClusterError) -> [String] {
    var options = kvWatchOptions()
    kvWatchOptions_Init(&options)
    options.Timeout = 1_000
    var list = kvKeysList()
    let status = kvStore_Keys(&list, bucket, &options)
    if status == NATS_NOT_FOUND { return [] }
    guard status == NATS_OK else { throw .failed("the keys of a bucket: \(NatsConnection.text(status))") }
    defer { kvKeysList_Destroy(&list) }
    return (0..<Int(list.Count)).compactMap { list.Keys[$0].map { String(cString: $0) } }
  }
}
