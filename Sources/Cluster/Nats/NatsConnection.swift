import CNats
import Glibc
import ListEngine
import Threads

/// A connection to a NATS server that connects again by itself. [any thread]
///
/// Each call waits for the server for at most ``patience``.
final class NatsConnection: @unchecked Sendable {
  /// The closure that receives the messages of a subscription, on a thread of the library.
  typealias Receiver = @Sendable (NatsMessage) -> Void

  private final class Box {
    let receiver: Receiver
    init(_ receiver: @escaping Receiver) { self.receiver = receiver }
  }

  /// A subscription with a receiver.
  struct Receiving: Hashable, @unchecked Sendable { fileprivate var subscription: OpaquePointer }

  /// The greatest time for which a call waits, in milliseconds.
  private static let patience: Int64 = 1_000
  private static let connecting: Int64 = 3_000

  private let connection: OpaquePointer
  private let context: OpaquePointer
  /// The receivers. The library may call one shortly after its subscription has ended, so they live
  /// as long as the connection.
  private let boxes = Guarded<[Box]>([])

  /// Connects to a server.
  init(_ options: ClusterOptions, name: String) throws(ClusterError) {
    var settings: OpaquePointer?
    guard natsOptions_Create(&settings) == NATS_OK, let settings else {
      throw .failed("the NATS library does not start")
    }
    defer { natsOptions_Destroy(settings) }
    natsOptions_SetURL(settings, options.url)
    natsOptions_SetName(settings, name)
    natsOptions_SetTimeout(settings, Self.connecting)
    natsOptions_SetMaxReconnect(settings, -1)
    natsOptions_SetReconnectWait(settings, 250)
    natsOptions_SetReconnectJitter(settings, 100, 100)
    natsOptions_SetPingInterval(settings, 2_000)
    natsOptions_SetMaxPingsOut(settings, 2)
    // A request is not kept for a later connection: its sender has reported it as failed by then.
    natsOptions_SetReconnectBufSize(settings, 1)
    // The library prints errors of subscriptions otherwise; the readers find out by themselves.
    natsOptions_SetErrorHandler(settings, { _, _, _, _ in }, nil)
    if let file = options.authorities {
      guard natsOptions_LoadCATrustedCertificates(settings, file) == NATS_OK else {
        throw .badOption("\(file) is not readable, or has no certificates in PEM")
      }
      natsOptions_SetSecure(settings, true)
    }
    if let file = options.credentials {
      guard natsOptions_SetUserCredentialsFromFiles(settings, file, nil) == NATS_OK else {
        throw .badOption("\(file) is not readable")
      }
    }
    var connection: OpaquePointer?
    let status = Self.repeated { natsConnection_Connect(&connection, settings) }
    guard status == NATS_OK, let connection else {
      throw .unreachable(options.url, Self.text(status))
    }
    var wait = jsOptions()
    jsOptions_Init(&wait)
    wait.Wait = Self.patience
    var context: OpaquePointer?
    guard natsConnection_JetStream(&context, connection, &wait) == NATS_OK, let context else {
      natsConnection_Destroy(connection)
      throw .failed("the NATS library does not start JetStream")
    }
    self.connection = connection
    self.context = context
    var account: UnsafeMutablePointer<jsAccountInfo>?
    var code = jsErrCode(rawValue: 0)
    guard Self.repeated({ js_GetAccountInfo(&account, context, nil, &code) }) == NATS_OK else {
      throw .noJetStream(options.url)
    }
    jsAccountInfo_Destroy(account)
  }

  deinit {
    jsCtx_Destroy(context)
    natsConnection_Destroy(connection)
  }

  /// Whether the connection is up.
  var isConnected: Bool { natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED }

  /// Ends the connection.
  func close() { natsConnection_Close(connection) }

  /// Repeats an attempt up to five times while it fails as with a server that has just started, or
  /// on a busy machine.
  private static func repeated(_ attempt: () -> natsStatus) -> natsStatus {
    var status = attempt()
    for _ in 1..<5 where [NATS_TIMEOUT, NATS_PROTOCOL_ERROR, NATS_IO_ERROR, NATS_CONNECTION_CLOSED].contains(status) {
      usleep(300_000)
      status = attempt()
    }
    return status
  }

  /// Returns the library's text for a status.
  static func text(_ status: natsStatus) -> String {
    natsStatus_GetText(status).map { String(cString: $0) } ?? "unknown failure"
  }

  private static func check(_ status: natsStatus, _ what: String) throws(ClusterError) {
    guard status == NATS_OK else { throw .failed("\(what): \(text(status))") }
  }

  // MARK: Messages without a stream

  /// Calls a receiver for each message on a subject.
  func receive(_ subject: String, _ receiver: @escaping Receiver) throws(ClusterError) -> Receiving {
    let box = Box(receiver)
    boxes.withLock { $0.append(box) }
    var subscription: OpaquePointer?
    let status = natsConnection_Subscribe(
      &subscription, connection, subject,
      { _, _, message, closure in
        guard let message, let closure else { return }
        let copy = NatsMessage(taking: message, isStored: false)
        Unmanaged<Box>.fromOpaque(closure).takeUnretainedValue().receiver(copy)
      }, Unmanaged.passUnretained(box).toOpaque())
    try Self.check(status, "a subscription to \(subject)")
    guard let subscription else { throw .failed("a subscription to \(subject)") }
    return Receiving(subscription: subscription)
  }

  /// Ends a subscription.
  func end(_ receiving: Receiving) {
    natsSubscription_Unsubscribe(receiving.subscription)
    natsSubscription_Destroy(receiving.subscription)
  }

  /// Sends a message that is not stored, with an optional subject for its answer.
  func send(_ bytes: [UInt8], to subject: String, reply: String? = nil) throws(ClusterError) {
    let status =
      if let reply {
        natsConnection_PublishRequest(connection, subject, reply, bytes, Int32(bytes.count))
      } else {
        natsConnection_Publish(connection, subject, bytes, Int32(bytes.count))
      }
    try Self.check(status, "a message to \(subject)")
  }

  // MARK: Streams

  /// Makes a stream, or changes its size.
  func makeStream(_ name: String, subjects: String, bytes: Int64) throws(ClusterError) {
    let strings = CStrings()
    var config = jsStreamConfig()
    jsStreamConfig_Init(&config)
    config.Name = strings.copy(name)
    config.Subjects = strings.list(subjects)
    config.SubjectsLen = 1
    config.MaxBytes = bytes
    config.Discard = js_DiscardOld
    config.AllowDirect = true
    var code = jsErrCode(rawValue: 0)
    if js_AddStream(nil, context, &config, nil, &code) == NATS_OK { return }
    try Self.check(js_UpdateStream(nil, context, &config, nil, &code), "the stream \(name)")
  }

  /// Returns the numbers of the first and the last message of a stream, and its bytes.
  func range(of stream: String) throws(ClusterError) -> (first: UInt64, last: UInt64, bytes: UInt64) {
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(rawValue: 0)
    try Self.check(js_GetStreamInfo(&info, context, stream, nil, &code), "the stream \(stream)")
    guard let info else { throw .failed("the stream \(stream)") }
    defer { jsStreamInfo_Destroy(info) }
    return (info.pointee.State.FirstSeq, info.pointee.State.LastSeq, info.pointee.State.Bytes)
  }

  /// Stores a message and returns its number in the stream.
  ///
  /// - Parameter last: The number that the last message of the stream must have; 0 for any.
  /// - Throws: ``ClusterError/superseded`` if it has another one.
  func store(_ bytes: [UInt8], to subject: String, after last: UInt64 = 0) throws(ClusterError) -> UInt64 {
    var options = jsPubOptions()
    jsPubOptions_Init(&options)
    options.MaxWait = Self.patience
    options.ExpectLastSeq = last
    var acknowledgement: UnsafeMutablePointer<jsPubAck>?
    var code = jsErrCode(rawValue: 0)
    let status = js_Publish(&acknowledgement, context, subject, bytes, Int32(bytes.count), &options, &code)
    guard status == NATS_OK, let acknowledgement else {
      if code == JSStreamWrongLastSequenceErr { throw .superseded }
      throw .failed("a message to \(subject): \(Self.text(status))")
    }
    defer { jsPubAck_Destroy(acknowledgement) }
    return acknowledgement.pointee.Sequence
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
    var code = jsErrCode(rawValue: 0)
    let status = js_SubscribeSync(&subscription, context, subject, nil, &options, &code)
    try Self.check(status, "reading the stream \(stream)")
    guard let subscription else { throw .failed("reading the stream \(stream)") }
    return NatsSubscription(subscription, of: self, isStored: true)
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
    options.Wait = Self.patience
    var code = jsErrCode(rawValue: 0)
    try Self.check(js_PurgeStream(context, stream, &options, &code), "old messages of \(subject)")
  }

  // MARK: Buckets

  /// Opens a bucket, and makes it if it is missing.
  ///
  /// - Parameter lifetime: The time after which entries expire; `nil` for never.
  func bucket(_ name: String, lifetime: Duration? = nil) throws(ClusterError) -> NatsBucket {
    let strings = CStrings()
    var bucket: OpaquePointer?
    var config = kvConfig()
    kvConfig_Init(&config)
    config.Bucket = strings.copy(name)
    config.History = 1
    config.TTL = lifetime?.nanoseconds ?? 0
    if js_KeyValue(&bucket, context, name) != NATS_OK {
      try Self.check(js_CreateKeyValue(&bucket, context, &config), "the bucket \(name)")
    }
    guard let bucket else { throw .failed("the bucket \(name)") }
    return NatsBucket(bucket, of: self)
  }
}
