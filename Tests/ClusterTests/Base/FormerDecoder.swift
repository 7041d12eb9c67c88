import Foundation

/// The decoder of entries in former versions.
enum FormerDecoder {
  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
