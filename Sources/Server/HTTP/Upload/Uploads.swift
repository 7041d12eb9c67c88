import ListEngine

/// The uploads of rows in progress.
///
///     let id = uploads.begin(of: source, chunked: true, for: token, on: socket)
///     let data = try uploads[socket]?.decode(bytes)
///     uploads.remove(socket)
struct Uploads {
  /// One upload.
  struct Upload {
    let id: UInt64
    let source: SourceRecord
    /// The token whose share the upload counts towards.
    let token: AccessToken?
    /// The decoder of a chunked body; `nil` for a body of known length.
    private var chunks: ChunkedBody?
    /// The number of bytes received, with the framing of chunks.
    private(set) var received = 0
    /// The bytes that the source has not processed.
    var unprocessed = 0
    /// Whether the body was received, and the report is awaited.
    var isWhole = false

    init(_ id: UInt64, of source: SourceRecord, isChunked: Bool, token: AccessToken?) {
      self.id = id
      self.source = source
      self.token = token
      chunks = isChunked ? ChunkedBody() : nil
    }

    /// Whether the body is in the transfer coding “chunked” rather than of a stated length.
    var isChunked: Bool { chunks != nil }
    /// Whether the last chunk was received.
    var isAtEnd: Bool { chunks?.isAtEnd ?? false }
    /// Whether reading must pause until the source has processed some bytes.
    var isFull: Bool { unprocessed >= Uploads.window }
    /// Whether a chunked body has reached its limit.
    var isTooLong: Bool { isChunked && received >= Uploads.greatestChunkedSize }

    /// Whether the body had to end before its last chunk.
    var isCutOff: Bool { isTooLong && !isAtEnd }

    /// Returns the data in the next bytes of the body.
    mutating func decode(_ bytes: UnsafeRawBufferPointer) throws(ChunkedBody.Fault) -> [UInt8] {
      received += bytes.count
      guard chunks != nil else { return Array(bytes) }
      var data: [UInt8] = []
      try chunks!.decode(bytes, into: &data)
      return data
    }
  }

  /// The maximum number of uploads at the same time.
  static let greatestCount = 256
  /// The maximum number of uploads with one token at the same time.
  static let greatestCountOfToken = 64
  /// The number of unprocessed bytes above which reading from the client pauses.
  static let window = 512 << 10
  /// The maximum size of a chunked body, with the framing of chunks.
  ///
  /// libwebsockets ends a body without a length after 100 MiB.
  static let greatestChunkedSize = 96 << 20

  private var bySocket: [OpaquePointer: Upload] = [:]
  private var sockets: [UInt64: OpaquePointer] = [:]
  private var last: UInt64 = 0
  private var shares = TokenShares(limit: greatestCountOfToken)
  /// The sockets whose timeout libwebsockets has set since the last call of ``takeActive()``.
  private var active: Set<OpaquePointer> = []

  subscript(socket: OpaquePointer) -> Upload? {
    get { bySocket[socket] }
    set { bySocket[socket] = newValue }
  }

  var count: Int { bySocket.count }

  func socket(of id: UInt64) -> OpaquePointer? { sockets[id] }

  /// Registers an upload; returns `nil` when there are too many.
  mutating func begin(
    of source: SourceRecord, isChunked: Bool, for token: AccessToken?, on socket: OpaquePointer
  ) -> UInt64? {
    guard bySocket.count < Self.greatestCount, shares.take(token) else { return nil }
    last += 1
    bySocket[socket] = Upload(last, of: source, isChunked: isChunked, token: token)
    sockets[last] = socket
    return last
  }

  /// Removes and returns an upload.
  mutating func remove(_ socket: OpaquePointer) -> Upload? {
    active.remove(socket)
    guard let upload = bySocket.removeValue(forKey: socket) else { return nil }
    sockets[upload.id] = nil
    shares.release(upload.token)
    return upload
  }

  mutating func noteActivity(_ socket: OpaquePointer) { active.insert(socket) }

  mutating func takeActive() -> Set<OpaquePointer> {
    defer { active = [] }
    return active
  }
}
