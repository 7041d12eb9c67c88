import CNats
import ListEngine

/// One connection of the library, with its context for JetStream.
///
/// The library connects it again by itself after it was lost. ``NatsConnection`` replaces it by
/// another one when JetStream does not answer through it.
final class NatsLink: @unchecked Sendable {
  /// The greatest time for which a call waits, in milliseconds.
  private static let patience: Int64 = 1_000
  private static let connecting: Int64 = 3_000
  /// A write that takes longer ends the connection. All calls wait for it meanwhile.
  private static let writing: Int64 = 2_000

  let connection: OpaquePointer
  let context: OpaquePointer

  /// Connects to the first server that answers.
  ///
  /// - Parameter servers: The URLs, in the order in which they are tried.
  init(_ options: ClusterOptions, servers: [String], name: String) throws(ClusterError) {
    let settings = try Self.settings(options, servers, name)
    defer { natsOptions_Destroy(settings) }
    var connection: OpaquePointer?
    let status = natsConnection_Connect(&connection, settings)
    guard status == NATS_OK, let connection else {
      throw .unreachable(options.publicURL, NatsConnection.text(status), mayPass: Self.passing.contains(status))
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
  }

  deinit {
    jsCtx_Destroy(context)
    natsConnection_Destroy(connection)
  }

  /// Failures to connect as with a server that has just started, or on a busy machine.
  private static let passing = [NATS_TIMEOUT, NATS_PROTOCOL_ERROR, NATS_IO_ERROR, NATS_CONNECTION_CLOSED]

  private static func settings(
    _ options: ClusterOptions, _ servers: [String], _ name: String
  ) throws(ClusterError) -> OpaquePointer {
    var created: OpaquePointer?
    guard natsOptions_Create(&created) == NATS_OK, let settings = created else {
      throw .failed("the NATS library does not start")
    }
    let strings = CStrings()
    natsOptions_SetServers(settings, strings.list(servers), Int32(servers.count))
    // The caller has chosen the order.
    natsOptions_SetNoRandomize(settings, true)
    natsOptions_SetName(settings, name)
    natsOptions_SetTimeout(settings, connecting)
    natsOptions_SetWriteDeadline(settings, writing)
    natsOptions_SetMaxReconnect(settings, -1)
    natsOptions_SetReconnectWait(settings, 250)
    natsOptions_SetReconnectJitter(settings, 100, 100)
    natsOptions_SetPingInterval(settings, 1_000)
    natsOptions_SetMaxPingsOut(settings, 2)
    // A request is not kept for a later connection: its sender has reported it as failed by then.
    natsOptions_SetReconnectBufSize(settings, 1)
    // The library prints errors of subscriptions otherwise; the readers find out by themselves.
    natsOptions_SetErrorHandler(settings, { _, _, _, _ in }, nil)
    do throws(ClusterError) {
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
    } catch {
      natsOptions_Destroy(settings)
      throw error
    }
    return settings
  }

  /// Whether the connection is up.
  var isConnected: Bool { natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED }

  /// Whether the connection has ended and does not come back.
  var isClosed: Bool { natsConnection_IsClosed(connection) }

  /// The URL of the server, without a user; empty while there is none.
  var server: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard natsConnection_GetConnectedUrl(connection, &buffer, buffer.count) == NATS_OK else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Ends the connection and what waits on it.
  func close() { natsConnection_Close(connection) }
}
