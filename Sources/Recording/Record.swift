import Foundation
import ListEngine

/// A recorded event of an engine.
///
/// The encoding is the kind (1 byte), the moment in nanoseconds (8 bytes, little-endian) and the
/// content. Changes are encoded by ``Changeset/encoded``, an answer as its two numbers, an interval
/// in nanoseconds, and everything else as JSON.
enum Record {
  /// A source's table was added.
  case table(Schema, Instant)
  /// A source's table was replaced by another one.
  case replacement(TableID, Schema, Instant)
  /// The engine handled an input.
  case input(Input, Instant)
  /// The engine returned these outputs.
  case answer(AnswerDigest, Instant)
  /// The minimum interval between patches was changed.
  case interval(Duration, Instant)

  private enum Kind: UInt8 {
    case table = 1
    case input, changes, answer, interval, replacement
  }

  /// The time of the event.
  var moment: Instant {
    switch self {
    case .table(_, let moment), .replacement(_, _, let moment), .input(_, let moment), .answer(_, let moment),
      .interval(_, let moment):
      moment
    }
  }

  /// The encoded record.
  var encoded: [UInt8] {
    switch self {
    case .table(let schema, let moment): Self.head(.table, moment) + Self.json(schema)
    case .replacement(let table, let schema, let moment):
      Self.head(.replacement, moment) + Self.bytes(UInt64(table.rawValue)) + Self.json(schema)
    case .input(.changes(let table, let changes), let moment):
      Self.head(.changes, moment) + Self.bytes(UInt64(table.rawValue)) + changes.encoded
    case .input(let input, let moment): Self.head(.input, moment) + Self.json(input)
    case .answer(let digest, let moment):
      Self.head(.answer, moment) + Self.bytes(UInt64(digest.count)) + Self.bytes(digest.value)
    case .interval(let interval, let moment):
      Self.head(.interval, moment) + Self.bytes(UInt64(bitPattern: interval.nanoseconds))
    }
  }

  /// Decodes a record; `nil` if the bytes are invalid.
  init?(decoding bytes: [UInt8]) {
    guard let kind = bytes.first.flatMap(Kind.init), let nanoseconds = Self.number(bytes, at: 1) else { return nil }
    let moment = Instant(nanoseconds: Int64(bitPattern: nanoseconds))
    let rest = Data(bytes[9...])
    switch kind {
    case .table:
      guard let schema = try? JSONDecoder().decode(Schema.self, from: rest) else { return nil }
      self = .table(schema, moment)
    case .replacement:
      guard let table = Self.number(bytes, at: 9).flatMap(Int.init(exactly:)),
        let schema = try? JSONDecoder().decode(Schema.self, from: Data(bytes[17...]))
      else { return nil }
      self = .replacement(TableID(rawValue: table), schema, moment)
    case .input:
      guard let input = try? JSONDecoder().decode(Input.self, from: rest) else { return nil }
      self = .input(input, moment)
    case .changes:
      guard let table = Self.number(bytes, at: 9).flatMap(Int.init(exactly:)),
        let changes = try? Changeset(decoding: Array(bytes[17...]))
      else { return nil }
      self = .input(.changes(TableID(rawValue: table), changes), moment)
    case .answer:
      guard let count = Self.number(bytes, at: 9).flatMap(Int.init(exactly:)), let value = Self.number(bytes, at: 17),
        bytes.count == 25
      else { return nil }
      self = .answer(AnswerDigest(count: count, value: value), moment)
    case .interval:
      // An interval is not negative.
      guard let nanoseconds = Self.number(bytes, at: 9).flatMap(Int64.init(exactly:)), bytes.count == 17 else {
        return nil
      }
      self = .interval(.nanoseconds(nanoseconds), moment)
    }
  }

  private static func head(_ kind: Kind, _ moment: Instant) -> [UInt8] {
    [kind.rawValue] + bytes(UInt64(bitPattern: moment.nanoseconds))
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    // Sorted keys make the encoding deterministic.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(value) else { preconditionFailure("encoding \(value) as JSON failed") }
    return Array(data)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

  private static func number(_ bytes: [UInt8], at place: Int) -> UInt64? {
    guard bytes.count >= place + 8 else { return nil }
    return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
  }
}
