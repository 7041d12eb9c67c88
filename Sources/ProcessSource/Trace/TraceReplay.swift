import ListEngine
import SourceRuntime

/// Converts the plugin's lines in a trace to events.
///
/// During a hot swap the trace has two instances. As in the original run, events of the old
/// instance are delivered until the first complete list of the new one.
final class TraceReplay {
  /// One instance and the state of decoding its lines.
  private final class Decoding {
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
  private var decodings: [Int: Decoding] = [:]
  /// The instance whose events are delivered.
  private var current = 1

  init(name: String, events: @escaping @Sendable (SourceEvent) -> Bool) {
    self.name = name
    self.events = events
  }

  /// Whether rows wait for schema inference.
  var isSampling: Bool { decodings.values.contains { $0.decoder.isSampling } }

  /// Handles the start of a process of an instance.
  func begin(_ instance: Int) {
    guard decodings[instance] == nil, decodings.count < Self.instances else { return }
    decodings[instance] = Decoding(ChildDecoder(name: name, known: schema))
    // Without a current instance, the handover is skipped.
    if decodings[current] == nil { current = instance }
  }

  /// Handles the end of a process; returns false when an event was refused.
  func end(_ instance: Int) -> Bool {
    guard let decoding = decodings[instance] else { return true }
    decoding.decoder.settle()
    guard forward(decoding, instance) else { return false }
    guard instance == current else {
      // The instance has never taken over or was replaced.
      decodings[instance] = nil
      return true
    }
    decoding.decoder = ChildDecoder(name: name, known: schema, isReloading: decoding.decoder.isInsideReload)
    decoding.number = 0
    decoding.isLive = false
    return events(.state(.stale, message: "the plugin ended here"))
  }

  /// Decodes a line of an instance; returns false when an event was refused.
  func take(_ line: [UInt8], of instance: Int) -> Bool {
    begin(instance)
    guard let decoding = decodings[instance] else { return true }
    decoding.number += 1
    var padded = line
    padded.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    padded.withUnsafeBytes {
      decoding.decoder.read(UnsafeRawBufferPointer(rebasing: $0[..<line.count]), number: decoding.number)
    }
    decoding.decoder.flush()
    return forward(decoding, instance)
  }

  /// Runs pending schema inference; returns false when an event was refused.
  func settle() -> Bool {
    for (instance, decoding) in decodings.sorted(by: { $0.key < $1.key }) {
      decoding.decoder.settle()
      guard forward(decoding, instance) else { return false }
    }
    return true
  }

  private func forward(_ decoding: Decoding, _ instance: Int) -> Bool {
    for event in decoding.decoder.takeEvents() {
      switch event {
      // These answer requests of the original server, which are not repeated.
      case .source(.page), .source(.sections), .source(.pageFailed), .source(.sourceChanged), .source(.image): break
      case .source(let event):
        if case .state(let state, _, _) = event { decoding.isLive = state == .live }
        guard report(event, decoding, instance) else { return false }
      case .listed:
        guard !decoding.isLive else { continue }
        decoding.isLive = true
        guard report(.state(.live, message: ""), decoding, instance), takeOver(decoding, instance) else { return false }
      case .refused(let reason):
        guard report(.state(.failed, message: reason), decoding, instance) else { return false }
      case .hello, .badLine, .badRow: break
      }
    }
    return decoding.held.count < Self.heldEvents || takeOver(decoding, instance)
  }

  private func report(_ event: SourceEvent, _ decoding: Decoding, _ instance: Int) -> Bool {
    if instance < current { return true }  // a newer instance has taken over
    guard instance == current else {
      decoding.held.append(event)
      return true
    }
    switch event {
    case .schema(let schema), .columnsAdded(let schema): self.schema = schema
    default: break
    }
    return events(event)
  }

  /// Makes an instance the current one and delivers its held events.
  private func takeOver(_ decoding: Decoding, _ instance: Int) -> Bool {
    guard instance > current else { return true }
    current = instance
    let held = decoding.held
    decoding.held = []
    for event in held { guard report(event, decoding, instance) else { return false } }
    return true
  }
}
