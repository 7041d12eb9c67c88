extension ClientMessage {
  /// Returns the sequence number of an acknowledgement in its canonical form, or `nil`.
  ///
  /// The canonical form is `{"type":"ack","seq":7}`. The JSON reader parses all other messages,
  /// with the same outcome. The fast path exists because clients acknowledge every patch, so most
  /// messages are acknowledgements.
  ///
  /// - Complexity: O(1), without allocation.
  static func plainAcknowledgement(_ bytes: [UInt8]) -> UInt64? {
    let head: StaticString = "{\"type\":\"ack\",\"seq\":"
    // Numbers below 2^53 have at most 16 digits; the JSON reader rejects longer ones.
    guard (1...16).contains(bytes.count - 1 - head.utf8CodeUnitCount) else { return nil }
    let digits = head.utf8CodeUnitCount..<bytes.count - 1
    guard bytes[bytes.count - 1] == UInt8(ascii: "}") else { return nil }
    for index in 0..<head.utf8CodeUnitCount where bytes[index] != head.utf8Start[index] { return nil }
    var number: UInt64 = 0
    for index in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
      number = number * 10 + UInt64(bytes[index] - UInt8(ascii: "0"))
    }
    guard bytes[digits.lowerBound] != UInt8(ascii: "0") || digits.count == 1, number <= safeIntegers.upperBound else {
      return nil
    }
    return number
  }
}
