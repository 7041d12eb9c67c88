import ListEngine
import SourceRuntime

/// Converts the plugin's lines in a trace to events.
///
/// During a hot swap the trace has two instances. As in the original run, events of the old
/// instance are delivered until the first complete list of the new one.
final class TraceReplay {
  /// One instance and the state of decoding its lines.
  private final class Telling {
    var decoder: ChildDecoder
    var number = 0
    var isLive = false
    /// The events received before the instance has taken over.
    var held: [SourceEvent] = []

    init(_ decoder: consuming ChildDecoder) { self.decoder = decoder }
  }

  /// The number of held events after which an instance takes over in any case.
  private static let heldEvents = 1 << 16
  /// The maximum number of instances at a time.
  ///
  /// A valid trace has at most two.
  private static let instances = 16

  private let name: String
  private let events: @Sendable (SourceEvent) -> Bool
  private var schema: Schema?
  private var tellings: [Int: Telling] = [:]
  /// The instance whose events are delivered.
  private var current = 1

  init(name: String, events: @escaping @Sendable (SourceEvent) -> Bool) {
    self.name = name
    self.events = events
  }

  /// Whether rows wait for schema inference.
  var isSampling: Bool { tellings.values.contains { $0.decoder.isSampling } }

  /// Handles the start of a process of an instance.
  func begin(_ instance: Int) {
    guard tellings[instance] == nil, tellings.count < Self.instances else { return }
    tellings[instance] = Telling(ChildDecoder(name: name, known: schema))
    // Without a current instance, the handover is skipped.
    if tellings[current] == nil { current = instance }
  }

  /// Handles the end of a process; returns false when an event was refused.
  func end(_ instance: Int) -> Bool {
    guard let telling = tellings[instance] else { return true }
    telling.decoder.settle()
    guard handOn(telling, instance) else { return false }
    guard instance == current else {
      // The instance has never taken over or was replaced.
      tellings[instance] = nil
      return true
    }
    telling.decoder = ChildDecoder(name: name, known: schema, isReloading: telling.decoder.isInsideReload)
    telling.number = 0
    telling.isLive = false
    return events(.state(.stale, message: "the plugin ended here"))
  }

  /// Decodes a line of an instance; returns false when an event was refused.
  func take(_ line: [UInt8], of instance: Int) -> Bool {
    begin(instance)
    guard let telling = tellings[instance] else { return true }
    telling.number += 1
    var padded = line
    padded.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    padded.withUnsafeBytes {
      telling.decoder.read(UnsafeRawBufferPointer(rebasing: $0[..<line.count]), number: telling.number)
    }
    telling.decoder.flush()
    return handOn(telling, instance)
  }

  /// Runs pending schema inference; returns false when an event was refused.
  func settle() -> Bool {
    for (instance, telling) in tellings.sorted(by: { $0.key < $1.key }) {
      telling.decoder.settle()
      guard handOn(telling, instance) else { return false }
    }
    return true
  }

  private func handOn(_ telling: Telling, _ instance: Int) -> Bool {
    for event in telling.decoder.takeEvents() {
      switch event {
      // These answer requests of the original server, which are not repeated.
      case .source(.page), .source(.sections), .source(.pageFailed), .source(.sourceChanged), .source(.image): break
      case .source(let event):
        if case .state(let state, _, _) = event { telling.isLive = state == .live }
        guard tell(event, telling, instance) else { return false }
      case .listed:
        guard !telling.isLive else { continue }
        telling.isLive = true
        guard tell(.state(.live, message: ""), telling, instance), takeOver(telling, instance) else { return false }
      case .refused(let reason):
        guard tell(.state(.failed, message: reason), telling, instance) else { return false }
      case .hello, .badLine, .badRow: break
      }
    }
    return telling.held.count < Self.heldEvents || takeOver(telling, instance)
  }

  private func tell(_ event: SourceEvent, _ telling: Telling, _ instance: Int) -> Bool {
    if instance < current { return true }  // a newer instance has taken over
    guard instance == current else {
      telling.held.append(event)
      return true
    }
    switch event {
    case .schema(let schema), .columnsAdded(let schema): self.schema = schema
    default: break
    }
    return events(event)
  }

  /// Makes an instance the current one and delivers its held events.
  private func takeOver(_ telling: Telling, _ instance: Int) -> Bool {
    guard instance > current else { return true }
    current = instance
    let held = telling.held
    telling.held = []
    for event in held { guard tell(event, telling, instance) else { return false } }
    return true
  }
}
