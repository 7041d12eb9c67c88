import ListEngine
import SourceRuntime

/// Reads the `windowed` member of a child process's `schema` message.
enum ChildWindowed {
  /// The range of the refresh interval in milliseconds, for sources that do not report changes and
  /// for those that do.
  static let refresh: ClosedRange<Int64> = 1_000...86_400_000
  static let refreshWithNotices: ClosedRange<Int64> = 20...86_400_000

  /// Reads the capabilities of a source.
  ///
  /// Column names must be in `columns`.
  static func read(_ value: JSONElement, _ columns: [Column]) throws(ChildSchema.Fault) -> WindowedCapabilities {
    guard value.kind == .object else { throw fault("schema.windowed is \(value.name), not an object") }
    var can = WindowedCapabilities()
    var tellsChanges = false
    var refresh: JSONElement?
    for (member, value) in value.members {
      if member.spells("sort") {
        can.sort = try self.columns(value, "sort", columns)
      } else if member.spells("filters") {
        can.filters = try filters(value)
      } else if member.spells("filterColumns") {
        can.filterColumns = try self.columns(value, "filterColumns", columns)
      } else if member.spells("searches") {
        can.searches = try flag(value, "searches")
      } else if member.spells("group") {
        can.group = try self.columns(value, "group", columns)
      } else if member.spells("count") {
        guard let count = value.text.flatMap(CountAccuracy.init) else {
          throw fault("windowed.count must be “exact”, “estimated” or “unknown”")
        }
        can.count = count
      } else if member.spells("paging") {
        guard let paging = value.text.flatMap(WindowedCapabilities.Paging.init) else {
          throw fault("windowed.paging must be “offset”, “keyset” or “keysetAndOffset”")
        }
        can.paging = paging
      } else if member.spells("tellsChanges") {
        tellsChanges = try flag(value, "tellsChanges")
      } else if member.spells("refresh") {
        refresh = value
      } else if member.spells("cancels") {
        can.cancels = try flag(value, "cancels")
      }
    }
    can.tellsChanges = tellsChanges
    if let refresh {
      let range = tellsChanges ? refreshWithNotices : Self.refresh
      guard let number = refresh.integer, range.contains(number) else {
        throw fault("windowed.refresh must be \(range.lowerBound) to \(range.upperBound) milliseconds")
      }
      can.refresh = .milliseconds(number)
    }
    return can
  }

  private static func columns(
    _ value: JSONElement, _ place: String, _ columns: [Column]
  ) throws(ChildSchema.Fault) -> Set<Int> {
    guard value.kind == .list else { throw fault("windowed.\(place) is \(value.name), not a list") }
    var numbers: Set<Int> = []
    for item in value.items {
      guard let name = item.text, let number = columns.firstIndex(where: { $0.name == name }) else {
        throw fault("windowed.\(place) names an unknown column")
      }
      numbers.insert(number)
    }
    return numbers
  }

  private static func filters(
    _ value: JSONElement
  ) throws(ChildSchema.Fault) -> Set<WindowedCapabilities.FilterOperator> {
    guard value.kind == .list else { throw fault("windowed.filters is \(value.name), not a list") }
    var operators: Set<WindowedCapabilities.FilterOperator> = []
    for item in value.items {
      guard let power = item.text.flatMap(WindowedCapabilities.FilterOperator.init) else {
        let all = WindowedCapabilities.FilterOperator.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
        throw fault("windowed.filters must be of \(all)")
      }
      operators.insert(power)
    }
    return operators
  }

  private static func flag(_ value: JSONElement, _ place: String) throws(ChildSchema.Fault) -> Bool {
    guard let flag = value.boolean else { throw fault("windowed.\(place) is \(value.name), not true or false") }
    return flag
  }

  private static func fault(_ reason: String) -> ChildSchema.Fault { ChildSchema.Fault(reason: reason) }
}
