import Foundation
import ListEngine

/// A request of a relay to run an action at the publisher.
struct ActionCall: Codable {
  struct Argument: Codable {
    var name: String
    var value: Cell
  }

  /// The random name of the relay, and its number for the request. Together they are unique.
  var node: String
  var number: UInt64
  var action: String
  var key: RowKey?
  var arguments: [Argument]
  /// The time after which the action must not begin, in nanoseconds since 1970.
  var expires: Int64

  /// The request as bytes.
  var encoded: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}

/// The answer of a publisher to an ``ActionCall``.
struct ActionAnswer: Codable {
  /// The kind of failure; `nil` if the action was done.
  var failure: String?
  var text: String

  init(_ outcome: ActionOutcome) {
    switch outcome {
    case .done(let text): self.text = text
    case .failed(let failure, let reason): (self.failure, text) = (failure.rawValue, reason)
    }
  }

  /// The outcome; a failure of an unknown kind counts as ``ActionOutcome/Failure/unanswered``.
  var outcome: ActionOutcome {
    guard let failure else { return .done(text) }
    return .failed(ActionOutcome.Failure(rawValue: failure) ?? .unanswered, text)
  }

  /// The answer as bytes.
  var encoded: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}

extension ActionCall {
  /// Decodes a request; `nil` if the bytes are invalid.
  init?(decoding bytes: [UInt8]) {
    guard let call = try? JSONDecoder().decode(ActionCall.self, from: Data(bytes)) else { return nil }
    self = call
  }
}

extension ActionAnswer {
  /// Decodes an answer; `nil` if the bytes are invalid.
  init?(decoding bytes: [UInt8]) {
    guard let answer = try? JSONDecoder().decode(ActionAnswer.self, from: Data(bytes)) else { return nil }
    self = answer
  }
}
