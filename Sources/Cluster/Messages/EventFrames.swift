import Foundation
import ListEngine

/// Events of a source as bytes: for each its kind (1 byte), its length (4, little-endian), and its
/// content.
///
/// Changes are in the binary form of ``Changeset/encoded``, as in a recording. Schemas, states and
/// deferred cells are JSON. Other events are not published.
enum EventFrames {
  private enum Kind: UInt8 {
    case schema = 1
    case columnsAdded, changes, state, loaded, forget, sourceChanged
  }

  /// A deferred cell with its value, or without one if the value is invalid now.
  private struct Loaded: Codable {
    var key: RowKey
    var column: Int
    var value: Cell?
  }

  private struct State: Codable {
    var state: SourceState
    var message: String
  }

  /// Returns the event as a frame; `nil` if it is not published.
  static func frame(_ event: SourceEvent) -> [UInt8]? {
    switch event {
    case .schema(let schema): framed(.schema, json(schema))
    case .columnsAdded(let schema): framed(.columnsAdded, json(schema))
    case .changes(let changes): framed(.changes, changes.encoded)
    case .state(let state, let message, _): framed(.state, json(State(state: state, message: message)))
    case .loaded(let key, let column, let value): framed(.loaded, json(Loaded(key: key, column: column, value: value)))
    case .forget(let key, let column): framed(.forget, json(Loaded(key: key, column: column)))
    case .sourceChanged: framed(.sourceChanged, [])
    default: nil
    }
  }

  /// Decodes frames; `nil` if the bytes are invalid.
  static func events(_ bytes: [UInt8]) -> [SourceEvent]? {
    var events: [SourceEvent] = []
    var place = 0
    while place < bytes.count {
      guard bytes.count - place >= 5, let kind = Kind(rawValue: bytes[place]) else { return nil }
      let length = bytes.withUnsafeBytes {
        Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: place + 1, as: UInt32.self)))
      }
      place += 5
      guard length <= bytes.count - place else { return nil }
      guard let event = event(kind, Array(bytes[place..<place + length])) else { return nil }
      events.append(event)
      place += length
    }
    return events
  }

  private static func event(_ kind: Kind, _ bytes: [UInt8]) -> SourceEvent? {
    switch kind {
    case .schema: decoded(bytes).map { .schema($0) }
    case .columnsAdded: decoded(bytes).map { .columnsAdded($0) }
    case .changes: (try? Changeset(decoding: bytes)).map { .changes($0) }
    case .state: (decoded(bytes) as State?).map { .state($0.state, message: $0.message) }
    case .loaded: (decoded(bytes) as Loaded?).map { .loaded($0.key, column: $0.column, $0.value ?? .null) }
    case .forget: (decoded(bytes) as Loaded?).map { .forget($0.key, column: $0.column) }
    case .sourceChanged: .sourceChanged
    }
  }

  private static func framed(_ kind: Kind, _ content: [UInt8]) -> [UInt8] {
    // A changeset is bounded by `SourceEvent.partBytes` and one row beyond it.
    let length = UInt32(content.count)
    return [kind.rawValue] + withUnsafeBytes(of: length.littleEndian) { Array($0) } + content
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(value) else { preconditionFailure("encoding \(value) as JSON failed") }
    return Array(data)
  }

  private static func decoded<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(bytes))
  }
}
