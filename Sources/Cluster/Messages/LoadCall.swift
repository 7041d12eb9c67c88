import Foundation
import ListEngine

/// A request of a relay to load deferred cells at the publisher, and to cancel other loads.
///
/// The values come with the table's stream, because they must keep their order with other changes.
/// An answer is sent only for failures.
struct LoadCall: Codable {
  /// A deferred cell. The column is named, because the publisher may have another schema meanwhile.
  struct Place: Codable, Hashable {
    var key: RowKey
    var column: String
  }

  /// The random name of the relay.
  var node: String
  var wanted: [Place] = []
  var cancelled: [Place] = []
  /// The time after which an answer has no use, in nanoseconds since 1970.
  var expires: Int64
}

/// The answer of a publisher for deferred cells that it does not load.
struct LoadFailure: Codable {
  var cells: [LoadCall.Place]
  var reason: String
}

/// A request of a relay for the bytes of an image, or its cancellation.
struct ImageCall: Codable {
  /// The random name of the relay, and its number for the request. Together they are unique.
  var node: String
  var number: UInt64
  /// The image's key; `nil` cancels the request.
  var key: String?
  /// The time after which an answer has no use, in nanoseconds since 1970.
  var expires: Int64
}

/// The messages of requests as JSON.
enum CallCoding {
  static func bytes(_ call: some Encodable) -> [UInt8] { (try? JSONEncoder().encode(call)).map(Array.init) ?? [] }

  /// Decodes a message; `nil` if the bytes are invalid.
  static func decoded<Call: Decodable>(_ bytes: [UInt8]) -> Call? {
    try? JSONDecoder().decode(Call.self, from: Data(bytes))
  }
}

extension ImageOutcome {
  private enum Kind: UInt8 { case bytes, none, failed, sourceDown }

  /// The answer to an ``ImageCall``: a byte for its kind, and the image or the reason.
  var encoded: [UInt8] {
    switch self {
    case .bytes(let bytes): [Kind.bytes.rawValue] + bytes
    case .none: [Kind.none.rawValue]
    case .failed(let reason): [Kind.failed.rawValue] + Array(reason.utf8)
    case .sourceDown: [Kind.sourceDown.rawValue]
    }
  }

  /// Decodes an answer; `nil` if the bytes are invalid.
  init?(decoding bytes: [UInt8]) {
    guard let kind = bytes.first.flatMap({ Kind(rawValue: $0) }) else { return nil }
    switch kind {
    case .bytes: self = .bytes(Array(bytes.dropFirst()))
    case .none: self = .none
    case .failed: self = .failed(String(decoding: bytes.dropFirst(), as: UTF8.self))
    case .sourceDown: self = .sourceDown
    }
  }
}
