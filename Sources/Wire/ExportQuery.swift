import ListEngine

extension QueryRequest {
  /// Decodes the query string of an export URL, given as percent-decoded `name=value` arguments.
  ///
  /// The arguments are those of a page's URL: `sort=-cpu,name`, `search=ssh`, `group=user,cpu`
  /// with `ranges=cpu:10`, `where=` and `filter=`. `where` is a ``ListEngine/FilterText``, with
  /// `zone=` as in a query. `offsets=` has the offsets of ``ZoneOffsets``, such as
  /// `0:60,1774746000000:120`. A filter is a FILTER of docs/protocol.md, or a list of filters that
  /// must all pass. Arguments of ``ExportLayout``, and those that only affect the page's display,
  /// are ignored.
  ///
  /// - Throws: the ``ListEngine/ClientError`` that the same query would cause on a WebSocket.
  ///   Unknown and repeated names are errors, too.
  public init(arguments: [String], limits: Limits) throws(ClientError) {
    var sort: [(column: String, descending: Bool)] = []
    var search = ""
    var groupings: [GroupingRequest] = []
    var ranges = ""
    var filter: Filter<String>?
    var (written, zone, offsets) = ("", 0, "")
    var seen: Set<String> = []
    for argument in arguments {
      let name = String(argument.prefix { $0 != "=" })
      let value = String(argument.dropFirst(name.count + 1))
      guard seen.insert(name).inserted else { throw .unreadableMessage("“\(name)” is there twice") }
      switch name {
      case "sort":
        for term in value.split(separator: ",") {
          let isDescending = term.hasPrefix("-")
          sort.append((try Self.column(term.dropFirst(isDescending ? 1 : 0)), isDescending))
        }
      case "search": search = value
      case "group":
        for term in value.split(separator: ",") { groupings.append(GroupingRequest(try Self.column(term))) }
      case "ranges": ranges = value
      case "filter": filter = try Self.filter(value, limits: limits)
      case "where":
        guard value.utf8.count <= FilterText.greatestByteCount else {
          throw .tooLong("where has more than \(FilterText.greatestByteCount) bytes")
        }
        written = value
      case "zone":
        guard let minutes = Int(value), FilterText.zones.contains(minutes) else {
          let (least, most) = (FilterText.zones.lowerBound, FilterText.zones.upperBound)
          throw .outOfRange("zone must be a number of minutes from \(least) to \(most)")
        }
        zone = minutes
      case "offsets": offsets = value
      case "fields", "separator": break
      case "table", "view", "show", "sections", "collapsed", "columns", "highlight", "tiles", "facets",
        "times", "lines", "pins", "row":
        break
      default:
        let known = "sort, search, where, zone, filter, group, ranges, offsets, fields and separator"
        throw .unreadableMessage("“\(name)” means nothing here: there are \(known)")
      }
    }
    let times = try ZoneOffsets(zone, decoding: offsets)
    try GroupingRequest.add(ranges, zone: times, to: &groupings)
    self.init(sort: sort, search: search, filter: filter)
    self.groupings = groupings
    if !written.isEmpty { self.written = WrittenFilter(written, zone: times) }
  }

  /// Decodes a column name.
  ///
  /// Column names are percent-encoded twice, so that they can contain commas.
  static func column(_ text: Substring) throws(ClientError) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
        throw .unreadableMessage("a column's name is not encoded as it should be")
      }
      bytes.append(high << 4 | low)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Decodes a filter by the rules that apply to WebSocket messages.
  private static func filter(_ text: String, limits: Limits) throws(ClientError) -> Filter<String>? {
    let outcome = Array(text.utf8).withUnsafeBufferPointer { buffer -> Result<JSONValue, ClientError> in
      var reader = JSONReader(buffer)
      do throws(ClientError) { return .success(try reader.readDocument()) } catch { return .failure(error) }
    }
    let decoding = FilterDecoding(limits, greatestName: ClientMessage.greatestName)
    switch try outcome.get() {
    case .null: return nil
    case .array(let parts): return try decoding.filter(.object([("all", .array(parts))]), path: "filter")
    case let filter: return try decoding.filter(filter, path: "filter")
    }
  }
}
