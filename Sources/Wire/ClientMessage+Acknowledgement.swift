extension ClientMessage {
  /// The number of an acknowledgement that is written as every client writes it, `{"type":"ack","seq":7}`; `nil` for everything else, which is
  /// then read like any message, with the same outcome.
  ///
  /// Each patch of each page is followed by one: of all that pages say it is nearly everything.
  ///
  /// - Complexity: O(1), and nothing is allocated.
  static func plainAcknowledgement(_ bytes: [UInt8]) -> UInt64? {
    let head: StaticString = "{\"type\":\"ack\",\"seq\":"
    // Numbers below 2^53 have at most 16 digits; what is longer is somebody else's to refuse.
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
