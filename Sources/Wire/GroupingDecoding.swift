import ListEngine

/// Decoding of groupings: docs/protocol.md describes them.
extension GroupingRequest {
  /// Decodes the name of a column, or an object with a column and the width of its ranges.
  init(decoding value: JSONValue, path: String) throws(ClientError) {
    if case .text(let name) = value {
      let greatest = ClientMessage.greatestName
      guard name.utf8.count <= greatest || name.unicodeScalars.count <= greatest else {
        throw .tooLong("\(path) has more than \(greatest) characters")
      }
      self.init(name)
      return
    }
    guard case .object = value else {
      throw .unreadableMessage("\(path) must be a text or an object, not \(value.kind)")
    }
    let members = try JSONMembers(value, path: path)
    self.init(try members.requiredText("column", limit: ClientMessage.greatestName), ranges: try Self.ranges(members))
  }

  private static func ranges(_ members: JSONMembers) throws(ClientError) -> Ranges? {
    let unit = try members.text("unit", limit: ClientMessage.greatestName)
    guard let width = members["width"] else {
      guard let unit else { return nil }
      guard let unit = TimeUnit(rawValue: unit) else {
        throw .outOfRange("\(members.fullName("unit")) must be \(units)")
      }
      return .unit(unit, offset: try members.zone("offset"))
    }
    guard unit == nil else {
      throw .unreadableMessage("\(members.fullName("width")) and “unit” exclude each other: use one of them")
    }
    switch width {
    case .integer(let whole) where whole > 0: return .width(.integer(whole))
    case .number(let number) where number > 0: return .width(.number(number))
    case .integer, .number: throw .outOfRange("\(members.fullName("width")) must be a number above 0")
    default: throw .unreadableMessage("\(members.fullName("width")) must be a number, not \(width.kind)")
    }
  }

  private static var units: String {
    "one of " + TimeUnit.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
  }

  /// Adds the ranges of a URL to groupings: `cpu:10,started:hour`.
  ///
  /// Several ranges of a column are those of its groupings, the outermost first.
  ///
  /// - Parameter zone: The zone of times.
  static func add(_ text: String, zone: ZoneOffsets, to groupings: inout [GroupingRequest]) throws(ClientError) {
    for term in text.split(separator: ",") {
      guard let colon = term.lastIndex(of: ":") else {
        throw .unreadableMessage("ranges: “\(term)” must be a column and a width, as in cpu:10 or started:hour")
      }
      let (name, size) = (try QueryRequest.column(term[..<colon]), term[term.index(after: colon)...])
      guard let index = groupings.firstIndex(where: { $0.column == name && $0.ranges == nil }) else {
        let count = groupings.count { $0.column == name }
        throw .outOfRange(
          count == 0
            ? "ranges: the query does not group by “\(name)”: name a column of “group”"
            : count == 1
              ? "ranges: “\(name)” is named twice: name it once"
              : "ranges: the query groups by “\(name)” \(count) times: name it at most as often")
      }
      if let unit = TimeUnit(rawValue: String(size)) {
        groupings[index].ranges = .unit(unit, offset: zone)
        continue
      }
      guard let number = Double(size), number > 0, number.isFinite else {
        throw .outOfRange("ranges: the width of “\(name)” must be a number above 0, or \(units)")
      }
      groupings[index].ranges = .width(Int64(size).map { .integer($0) } ?? .number(number))
    }
  }
}
