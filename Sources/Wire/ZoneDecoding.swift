import ListEngine

/// Decoding of time zones: docs/protocol.md describes them.
extension JSONMembers {
  /// Decodes the offset in the member `name`, or the list `offsets`, which takes precedence.
  func zone(_ name: String) throws(ClientError) -> ZoneOffsets {
    let offset = Int(try integer(name, in: ClientMessage.zones) ?? 0)
    let list = try list("offsets", limit: ZoneOffsets.greatestCount + 1)
    guard !list.isEmpty else { return ZoneOffsets(offset) }
    var pairs: [(time: Int64, minutes: Int64)] = []
    for (index, pair) in list.enumerated() {
      guard case .array(let pair) = pair, pair.count == 2, let time = pair[0].whole, let minutes = pair[1].whole else {
        throw .unreadableMessage(
          "\(fullName("offsets"))[\(index)] must be a time in milliseconds and an offset in minutes, "
            + "as in [1774746000000,120]")
      }
      pairs.append((time, minutes))
    }
    return try ZoneOffsets(pairs, path: fullName("offsets"))
  }
}

extension ZoneOffsets {
  /// Creates a zone from times in milliseconds and the offsets from then on; the first offset also
  /// applies to earlier times.
  fileprivate init(_ pairs: [(time: Int64, minutes: Int64)], path: String) throws(ClientError) {
    var changes: [Change] = []
    for (index, pair) in pairs.enumerated() {
      guard Self.milliseconds.contains(pair.time) else {
        let (least, most) = (Self.milliseconds.lowerBound, Self.milliseconds.upperBound)
        throw .outOfRange("\(path)[\(index)]: the time must be between \(least) and \(most), not \(pair.time)")
      }
      guard ClientMessage.zones.contains(pair.minutes) else {
        let (least, most) = (ClientMessage.zones.lowerBound, ClientMessage.zones.upperBound)
        throw .outOfRange("\(path)[\(index)]: the offset must be between \(least) and \(most), not \(pair.minutes)")
      }
      guard index == 0 || pair.time - 86_400_000 >= pairs[index - 1].time else {
        throw .outOfRange("\(path)[\(index)] must be at least a day after the time before it")
      }
      changes.append(Change(at: pair.time * 1_000_000, minutes: Int(pair.minutes)))
    }
    guard let first = changes.first, let zone = ZoneOffsets(first.minutes, changes: Array(changes.dropFirst())) else {
      throw .outOfRange("\(path) must be offsets in ascending order of their times")
    }
    self = zone
  }

  /// Decodes the offsets of an export URL, as `0:60,1774746000000:120`; without any, the zone has
  /// the given offset.
  init(_ minutes: Int, decoding text: String) throws(ClientError) {
    guard !text.isEmpty else {
      self.init(minutes)
      return
    }
    let terms = text.split(separator: ",", omittingEmptySubsequences: false)
    guard terms.count <= Self.greatestCount + 1 else {
      throw .tooLong("offsets has more than \(Self.greatestCount + 1) entries")
    }
    var pairs: [(time: Int64, minutes: Int64)] = []
    for term in terms {
      let parts = term.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let time = Int64(parts[0]), let minutes = Int64(parts[1]) else {
        throw .unreadableMessage(
          "offsets: “\(term.prefix(100))” must be a time in milliseconds and an offset in minutes, "
            + "as in 1774746000000:120")
      }
      pairs.append((time, minutes))
    }
    try self.init(pairs, path: "offsets")
  }
}
