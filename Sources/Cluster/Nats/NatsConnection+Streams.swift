import CNats
import Glibc
import ListEngine

/// Streams and buckets of a NATS cluster.
extension NatsConnection {
  /// The number of times that a write without an answer is sent.
  private static let attempts = 5
  private static let pauseAfterFailure: UInt32 = 50_000

  /// Makes a stream, or changes its size and its replicas.
  func makeStream(_ name: String, subjects: String, bytes: Int64) throws(ClusterError) {
    let strings = CStrings()
    var config = jsStreamConfig()
    jsStreamConfig_Init(&config)
    config.Name = strings.copy(name)
    config.Subjects = strings.list([subjects])
    config.SubjectsLen = 1
    config.MaxBytes = bytes
    config.Discard = js_DiscardOld
    config.AllowDirect = true
    config.Replicas = Int64(options.replicas)
    var isThere = false
    try ask("the stream \(name)") { link, code in
      let status = js_AddStream(nil, link.context, &config, nil, &code)
      isThere = code == JSStreamNameExistErr
      return isThere ? NATS_OK : status
    }
    try reconcile(name) { existing in
      guard existing.pointee.MaxBytes != bytes else { return false }
      existing.pointee.MaxBytes = bytes
      return true
    }
  }

  /// Gives an existing stream the replicas of the options, and other changes.
  ///
  /// Replicas are never removed. A single server accepts more than one and does not keep them, so
  /// it is refused.
  private func reconcile(
    _ name: String, _ change: (UnsafeMutablePointer<jsStreamConfig>) -> Bool
  ) throws(ClusterError) {
    let what = "the stream \(name)"
    let info = try info(of: name)
    defer { jsStreamInfo_Destroy(info) }
    guard let config = info.pointee.Config else { throw .failed(what) }
    if options.replicas > 1, info.pointee.Cluster?.pointee.Name == nil {
      throw .noReplicas(what, options.replicas, "the server is not part of a cluster", mayPass: false)
    }
    var isChanged = change(config)
    if config.pointee.Replicas < Int64(options.replicas) {
      config.pointee.Replicas = Int64(options.replicas)
      isChanged = true
    }
    guard isChanged else { return }
    try ask(what) { link, code in js_UpdateStream(nil, link.context, config, nil, &code) }
  }

  private func info(of stream: String) throws(ClusterError) -> UnsafeMutablePointer<jsStreamInfo> {
    var info: UnsafeMutablePointer<jsStreamInfo>?
    try ask("the stream \(stream)") { link, code in js_GetStreamInfo(&info, link.context, stream, nil, &code) }
    guard let info else { throw .failed("the stream \(stream)") }
    return info
  }

  /// Returns the numbers of the first and the last message of a stream, and its bytes.
  func range(of stream: String) throws(ClusterError) -> (first: UInt64, last: UInt64, bytes: UInt64) {
    let info = try info(of: stream)
    defer { jsStreamInfo_Destroy(info) }
    return (info.pointee.State.FirstSeq, info.pointee.State.LastSeq, info.pointee.State.Bytes)
  }

  /// Returns the subjects of the messages in a stream.
  func subjects(of stream: String, matching filter: String) throws(ClusterError) -> [String] {
    let strings = CStrings()
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Stream.Info.SubjectsFilter = strings.copy(filter)
    options.Wait = 1_000
    var info: UnsafeMutablePointer<jsStreamInfo>?
    try ask("the subjects of \(stream)") { link, code in
      js_GetStreamInfo(&info, link.context, stream, &options, &code)
    }
    defer { jsStreamInfo_Destroy(info) }
    guard let found = info?.pointee.State.Subjects?.pointee, let list = found.List else { return [] }
    return (0..<Int(found.Count)).compactMap { list[$0].Subject.map { String(cString: $0) } }
  }

  // MARK: Messages

  /// Stores a message in a stream and returns its number.
  ///
  /// A message without an answer is sent again. With the parameter `last` it is stored once.
  ///
  /// - Parameters:
  ///   - last: The number that the last message of the stream must have; 0 for any.
  ///   - isAllowed: Whether the message may still be sent.
  /// - Throws: ``ClusterError/superseded`` if it has another one.
  func store(
    _ bytes: [UInt8], to subject: String, of stream: String, after last: UInt64 = 0, while isAllowed: () -> Bool
  ) throws(ClusterError) -> UInt64 {
    var isOpen = false
    for attempt in 1... {
      do throws(ClusterError) {
        return try storeOnce(bytes, to: subject, after: last)
      } catch {
        switch error {
        case .unanswered, .noJetStream:
          isOpen = true
          guard attempt < Self.attempts, isAllowed() else { throw error }
        case .superseded:
          // A former attempt may have been stored.
          guard isOpen, try message(last + 1, of: stream) == bytes else { throw error }
          return last + 1
        default: throw error
        }
      }
      usleep(Self.pauseAfterFailure)
    }
    preconditionFailure("the loop ends with a return or an error")
  }

  private func storeOnce(_ bytes: [UInt8], to subject: String, after last: UInt64) throws(ClusterError) -> UInt64 {
    var options = jsPubOptions()
    jsPubOptions_Init(&options)
    options.MaxWait = 1_000
    options.ExpectLastSeq = last
    var acknowledgement: UnsafeMutablePointer<jsPubAck>?
    try ask("a message to \(subject)") { link, code in
      js_Publish(&acknowledgement, link.context, subject, bytes, Int32(bytes.count), &options, &code)
    }
    guard let acknowledgement else { throw .failed("a message to \(subject)") }
    defer { jsPubAck_Destroy(acknowledgement) }
    return acknowledgement.pointee.Sequence
  }

  /// Returns the bytes of a stored message; `nil` if the stream does not have it.
  private func message(_ number: UInt64, of stream: String) throws(ClusterError) -> [UInt8]? {
    var message: OpaquePointer?
    try ask("a message of \(stream)") { link, code in
      let status = js_GetMsg(&message, link.context, stream, number, nil, &code)
      return status == NATS_NOT_FOUND || code == JSNoMessageFoundErr ? NATS_OK : status
    }
    return message.map { NatsMessage(taking: $0, isStored: false).bytes }
  }

  /// Reads the messages of a stream in order, from a number on.
  func read(_ stream: String, subject: String, from sequence: UInt64) throws(ClusterError) -> NatsSubscription {
    let strings = CStrings()
    var options = jsSubOptions()
    jsSubOptions_Init(&options)
    options.Stream = strings.copy(stream)
    options.Ordered = true
    options.Config.DeliverPolicy = js_DeliverByStartSequence
    options.Config.OptStartSeq = max(1, sequence)
    var subscription: OpaquePointer?
    var used: NatsLink?
    try ask("reading the stream \(stream)") { link, code in
      used = link
      return js_SubscribeSync(&subscription, link.context, subject, nil, &options, &code)
    }
    guard let subscription, let used else { throw .failed("reading the stream \(stream)") }
    return NatsSubscription(subscription, of: used, isStored: true)
  }

  /// Deletes the messages of a stream on some subjects, up to the one before a number.
  func purge(_ stream: String, subject: String, before sequence: UInt64) throws(ClusterError) {
    // Nothing comes before the first message. The server would take 1 for no limit, and delete all.
    guard sequence > 1 else { return }
    let strings = CStrings()
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Stream.Purge.Subject = strings.copy(subject)
    options.Stream.Purge.Sequence = sequence
    options.Wait = 1_000
    try ask("old messages of \(subject)") { link, code in js_PurgeStream(link.context, stream, &options, &code) }
  }

  // MARK: Buckets

  /// Opens a bucket whose entries do not expire, and makes it if it is missing.
  func bucket(_ name: String) throws(ClusterError) -> NatsBucket {
    let strings = CStrings()
    var config = kvConfig()
    kvConfig_Init(&config)
    config.Bucket = strings.copy(name)
    config.History = 1
    config.Replicas = Int32(options.replicas)
    let bucket = NatsBucket(name, of: self)
    do throws(ClusterError) {
      try bucket.open()
    } catch {
      guard !error.isUnanswered else { throw error }
      var store: OpaquePointer?
      try ask("the bucket \(name)") { link, _ in js_CreateKeyValue(&store, link.context, &config) }
      if let store { kvStore_Destroy(store) }
    }
    try reconcile("KV_\(name)") { existing in
      guard existing.pointee.MaxAge != 0 else { return false }
      existing.pointee.MaxAge = 0
      return true
    }
    return bucket
  }
}
