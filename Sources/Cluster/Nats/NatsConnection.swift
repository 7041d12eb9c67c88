import CNats
import Foundation
import Glibc
import ListEngine
import Logging
import Threads

/// A connection to the servers of a NATS cluster that connects again by itself. [any thread]
///
/// Each call waits for the servers for about a second. A server that has lost the others of its
/// cluster answers no call of JetStream, so after ``unanswered`` the connection moves to another
/// server, with all subscriptions. It does so, too, when the time of day was set back, which ends
/// the waits of the library. A thread of its own connects, so that no caller waits for that.
final class NatsConnection: @unchecked Sendable {
  /// The closure that receives the messages of a subscription, on a thread of the library.
  typealias Receiver = @Sendable (NatsMessage) -> Void

  private final class Box: @unchecked Sendable {
    let receiver: Receiver
    init(_ receiver: @escaping Receiver) { self.receiver = receiver }
  }

  /// A subscription with a receiver.
  struct Receiving: Hashable, Sendable { fileprivate var number: UInt64 }

  /// A subscription on the present link.
  private struct Registration {
    var subject: String
    var box: Box
    var subscription: OpaquePointer
  }

  /// The reason to connect to another server.
  private enum Cause: String {
    case silence = "JetStream does not answer"
    case clock = "the clock was set back"
  }

  private enum Phase {
    /// Calls go through the link.
    case steady
    /// The link is to be replaced. Calls still go through it.
    case moving(Cause)
    /// The connection has ended.
    case closed
  }

  private struct State {
    var link: NatsLink
    /// The time of the last answer of JetStream, or since which one is expected.
    var answered: Instant
    var phase = Phase.steady
    var last: UInt64 = 0
    var registrations: [UInt64: Registration] = [:]
    /// All receivers. The library may call one shortly after its subscription has ended.
    var boxes: [Box] = []
  }

  /// The time without an answer of JetStream after which the connection moves to another server.
  static let unanswered = Duration.seconds(5)
  /// The time for which ``patiently(_:)`` waits for an answer.
  static let patience = Duration.seconds(60)
  private static let pause: UInt32 = 200_000
  /// The time between two looks at the clock.
  private static let look = Duration.milliseconds(200)

  let options: ClusterOptions
  private let name: String
  private let logger = Logger(label: "cluster")
  private let monitor = Monitor()
  /// Protected by `monitor`.
  private var state: State

  /// Connects to a server, and waits until JetStream has a leader.
  init(_ options: ClusterOptions, name: String) throws(ClusterError) {
    self.options = options
    self.name = name
    let servers = options.servers.shuffled()
    let link = try Self.repeated { () throws(ClusterError) in try NatsLink(options, servers: servers, name: name) }
    state = State(link: link, answered: BootTime.now)
    let thread = Thread { [weak self] in
      var clock = ClockWatch(wall: BootTime.wall, at: BootTime.now)
      // The thread ends with the connection.
      while self?.keep(&clock) == true {}
    }
    thread.name = "\(name) link"
    thread.start()
    do throws(ClusterError) {
      try patiently { () throws(ClusterError) in
        var account: UnsafeMutablePointer<jsAccountInfo>?
        try ask("the account") { link, code in js_GetAccountInfo(&account, link.context, nil, &code) }
        jsAccountInfo_Destroy(account)
      }
    } catch {
      close()
      throw error
    }
  }

  /// Repeats an attempt to connect up to five times while its failure may pass.
  private static func repeated(_ attempt: () throws(ClusterError) -> NatsLink) throws(ClusterError) -> NatsLink {
    for _ in 1..<5 {
      do throws(ClusterError) {
        return try attempt()
      } catch {
        guard case .unreachable(_, _, mayPass: true) = error else { throw error }
      }
      usleep(300_000)
    }
    return try attempt()
  }

  /// Repeats calls while they are not answered, for at most ``patience``.
  ///
  /// Servers that have just started answer once they have chosen a leader.
  func patiently<Result>(_ body: () throws(ClusterError) -> Result) throws(ClusterError) -> Result {
    let end = BootTime.now.advanced(by: Self.patience)
    var isNoted = false
    while true {
      do throws(ClusterError) {
        return try body()
      } catch {
        // A server that is alone does not turn it on later.
        if case .noJetStream = error, options.servers.count == 1 { throw error }
        var mayPass = error.isUnanswered
        // The servers may not know each other yet.
        if case .noReplicas(_, _, _, mayPass: true) = error { mayPass = true }
        guard mayPass, BootTime.now < end else { throw error }
        if !isNoted {
          logger.notice(
            "JetStream is not ready: waiting up to \(Self.patience.nanoseconds / 1_000_000_000) s for a leader",
            metadata: ["url": "\(options.publicURL)", "reason": "\(error)"])
        }
        isNoted = true
      }
      usleep(Self.pause)
    }
  }

  private var link: NatsLink { monitor.withLock { state.link } }

  /// Whether the connection is up.
  var isConnected: Bool { link.isConnected }

  /// Ends the connection.
  func close() {
    let link = monitor.withLock {
      state.phase = .closed
      monitor.wakeAll()
      return state.link
    }
    link.close()
  }

  /// Returns the library's text for a status.
  static func text(_ status: natsStatus) -> String {
    natsStatus_GetText(status).map { String(cString: $0) } ?? "unknown failure"
  }

  private static func check(_ status: natsStatus, _ what: String) throws(ClusterError) {
    guard status == NATS_OK else { throw .failed("\(what): \(text(status))") }
  }

  // MARK: Calls of JetStream

  /// Statuses of a call that may have been done or not.
  private static let open = [
    NATS_TIMEOUT, NATS_NO_RESPONDERS, NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED, NATS_IO_ERROR,
    NATS_STALE_CONNECTION, NATS_NO_SERVER, NATS_INSUFFICIENT_BUFFER,
  ]

  /// Parts of the server's texts if a stream cannot have its replicas.
  private static let shortages = ["no suitable peers", "insufficient resources"]

  /// Makes a call of JetStream.
  ///
  /// - Throws: ``ClusterError/unanswered(_:)`` if it may have been done or not.
  func ask(_ what: String, _ call: (NatsLink, inout jsErrCode) -> natsStatus) throws(ClusterError) {
    let link = link
    var code = jsErrCode(rawValue: 0)
    let status = call(link, &code)
    if status == NATS_OK { return noteAnswer(on: link) }
    let text = Self.lastText(status)
    switch code {
    case JSNotEnabledErr, JSNotEnabledForAccountErr:
      moveIfSilent(link)
      throw .noJetStream(options.publicURL)
    case JSStreamWrongLastSequenceErr:
      noteAnswer(on: link)
      throw .superseded
    case _ where isOpen(status, code, text):
      moveIfSilent(link)
      throw .unanswered("\(what): \(text)")
    default: break
    }
    noteAnswer(on: link)
    if code == JSStreamReplicasNotSupportedErr || text.contains("replicas > 1") {
      throw .noReplicas(what, options.replicas, "the server is not part of a cluster", mayPass: false)
    }
    if Self.shortages.contains(where: { text.contains($0) }) {
      throw .noReplicas(what, options.replicas, text, mayPass: true)
    }
    throw .failed("\(what): \(text)")
  }

  /// Whether a call with this failure may have been done or not.
  ///
  /// Calls for buckets have no code.
  private func isOpen(_ status: natsStatus, _ code: jsErrCode, _ text: String) -> Bool {
    if [JSClusterNotAvailErr, JSClusterNotLeaderErr].contains(code) { return true }
    return code.rawValue == 0 && (Self.open.contains(status) || text.contains("temporarily unavailable"))
  }

  /// Returns the text of the server for the last failure of this thread.
  private static func lastText(_ status: natsStatus) -> String {
    var last = NATS_OK
    guard let found = nats_GetLastError(&last), last == status else { return text(status) }
    // The library puts the place in its source before the text, such as "(jsm.c:1033): ".
    let detail = String(cString: found)
    if detail.hasPrefix("("), let place = detail.range(of: "): ") { return String(detail[place.upperBound...]) }
    return detail.isEmpty ? text(status) : detail
  }

  private func noteAnswer(on link: NatsLink) {
    monitor.withLock { if state.link === link { state.answered = BootTime.now } }
  }

  // MARK: Moving to another server

  /// Has the connection move to another server if JetStream has not answered for too long through
  /// this link. Does not wait for that.
  private func moveIfSilent(_ link: NatsLink) {
    let isConnected = link.isConnected
    monitor.withLock {
      guard state.link === link, case .steady = state.phase else { return }
      // The library looks for another server itself.
      guard isConnected else { return state.answered = BootTime.now }
      guard state.answered.duration(to: BootTime.now) >= Self.unanswered else { return }
      state.phase = .moving(.silence)
      monitor.wakeAll()
    }
  }

  /// Moves to another server if that is due; waits a moment for it. [the thread of the link]
  ///
  /// - Returns: `false` when the connection has ended.
  private func keep(_ clock: inout ClockWatch) -> Bool {
    let phase = monitor.withLock {
      _ = monitor.wait(nanoseconds: UInt64(Self.look.nanoseconds)) {
        if case .steady = state.phase { false } else { true }
      }
      if clock.wasSetBack(wall: BootTime.wall, at: BootTime.now), case .steady = state.phase {
        state.phase = .moving(.clock)
      }
      return state.phase
    }
    switch phase {
    case .steady: return true
    case .moving(let cause):
      if !move(because: cause) { usleep(Self.pause) }
      return true
    case .closed: return false
    }
  }

  /// Connects to another server, or to the same one if the options name one only. [the thread of
  /// the link]
  ///
  /// - Returns: Whether the connection has moved.
  private func move(because cause: Cause) -> Bool {
    let old = link
    let former = old.server
    let servers = options.servers.shuffled()
    let others = servers.filter { !former.hasSuffix(ClusterOptions.address(of: $0)) }
    let replacement = try? NatsLink(options, servers: others + servers.filter { !others.contains($0) }, name: name)
    let isReplaced = monitor.withLock {
      guard case .moving = state.phase else { return false }
      state.answered = BootTime.now
      guard let replacement else {
        // The present link may answer again. After a change of the clock it may not.
        if cause == .silence { state.phase = .steady }
        return false
      }
      (state.phase, state.link) = (.steady, replacement)
      for (number, registration) in state.registrations {
        guard let subscription = try? Self.subscribe(registration.subject, registration.box, replacement) else {
          continue
        }
        // The one of the former link ends with that link.
        natsSubscription_Destroy(registration.subscription)
        state.registrations[number]?.subscription = subscription
      }
      return true
    }
    guard isReplaced else { return false }
    logger.notice(
      "the connection to NATS is made again: \(cause.rawValue)",
      metadata: ["former": "\(former)", "server": "\(replacement?.server ?? "")"])
    // Its readers find out, and begin again.
    old.close()
    return true
  }

  // MARK: Messages without a stream

  /// Calls a receiver for each message on a subject.
  func receive(_ subject: String, _ receiver: @escaping Receiver) throws(ClusterError) -> Receiving {
    let box = Box(receiver)
    return try monitor.withLock { () throws(ClusterError) -> Receiving in
      let subscription = try Self.subscribe(subject, box, state.link)
      state.last += 1
      state.boxes.append(box)
      state.registrations[state.last] = Registration(subject: subject, box: box, subscription: subscription)
      return Receiving(number: state.last)
    }
  }

  private static func subscribe(_ subject: String, _ box: Box, _ link: NatsLink) throws(ClusterError) -> OpaquePointer {
    var subscription: OpaquePointer?
    let status = natsConnection_Subscribe(
      &subscription, link.connection, subject,
      { _, _, message, closure in
        guard let message, let closure else { return }
        let copy = NatsMessage(taking: message, isStored: false)
        Unmanaged<Box>.fromOpaque(closure).takeUnretainedValue().receiver(copy)
      }, Unmanaged.passUnretained(box).toOpaque())
    try check(status, "a subscription to \(subject)")
    guard let subscription else { throw .failed("a subscription to \(subject)") }
    return subscription
  }

  /// Ends a subscription.
  func end(_ receiving: Receiving) {
    guard let registration = monitor.withLock({ state.registrations.removeValue(forKey: receiving.number) }) else {
      return
    }
    natsSubscription_Unsubscribe(registration.subscription)
    natsSubscription_Destroy(registration.subscription)
  }

  /// Sends a message that is not stored, with an optional subject for its answer.
  func send(_ bytes: [UInt8], to subject: String, reply: String? = nil) throws(ClusterError) {
    let connection = link.connection
    let status =
      if let reply {
        natsConnection_PublishRequest(connection, subject, reply, bytes, Int32(bytes.count))
      } else {
        natsConnection_Publish(connection, subject, bytes, Int32(bytes.count))
      }
    try Self.check(status, "a message to \(subject)")
  }
}
