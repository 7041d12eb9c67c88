import Foundation
import ListEngine

/// A request of a relay to the source of a windowed table, or its cancellation.
///
/// Columns are named, because the publisher may have another schema meanwhile.
struct QueryCall: Codable {
  /// A term of the order.
  struct Term: Codable {
    var column: String
    var descending: Bool
  }

  /// The query, and the part of its rows or sections.
  struct Content: Codable {
    var sort: [Term]
    var search: String
    var filter: Filter<String>?
    var group: [String]
    /// The values of the section whose rows are requested.
    var section: [Cell]
    /// The greatest number of sections; `nil` for a request of rows.
    var sections: Int?
    var after: BlockCursor?
    var upTo: BlockCursor?
    var skip = 0
    var count = 0
  }

  /// The random name of the relay, and its number for the request. Together they are unique.
  var node: String
  var number: UInt64
  /// `nil` cancels the request.
  var content: Content?
  /// The time after which an answer has no use, in nanoseconds since 1970.
  var expires: Int64
}

extension QueryCall.Content {
  /// Creates the content of a request.
  ///
  /// - Precondition: The request was made for the schema.
  init(_ request: BlockRequest, _ schema: Schema) {
    let query = request.query
    func name(_ column: Int) -> String { schema.columns[column].name }
    sort = query.sort.map { .init(column: name($0.column), descending: $0.isDescending) }
    search = query.search
    filter = query.filter?.renamed(name)
    group = query.group.map(name)
    section = request.section
    switch request.what {
    case .sections(let limit): sections = limit
    case .rows(let after, let upTo, let skip, let count):
      (self.after, self.upTo, self.skip, self.count) = (after, upTo, skip, count)
    }
  }

  /// Returns the request for a source; `nil` if the schema lacks one of the columns.
  func request(_ id: BlockRequestID, _ schema: Schema) -> BlockRequest? {
    let numbers = Dictionary(schema.columns.indices.map { (schema.columns[$0].name, $0) }) { first, _ in first }
    do throws(UnknownColumn) {
      func number(_ name: String) throws(UnknownColumn) -> Int {
        guard let number = numbers[name] else { throw UnknownColumn() }
        return number
      }
      var query = Query(search: search)
      for term in sort { query.sort.append(SortTerm(try number(term.column), descending: term.descending)) }
      query.filter = try filter?.renamed(number)
      for name in group { query.groupings.append(Grouping(try number(name))) }
      return BlockRequest(
        id: id, query: query, section: section,
        what: sections.map { .sections(limit: $0) } ?? .rows(after: after, upTo: upTo, skip: skip, count: count))
    } catch {
      return nil
    }
  }
}

private struct UnknownColumn: Error {}

extension Filter {
  /// Returns the filter with other names of the columns.
  fileprivate func renamed<Other, Failure: Error>(
    _ name: (Name) throws(Failure) -> Other
  ) throws(Failure) -> Filter<Other> {
    func all(_ filters: [Filter]) throws(Failure) -> [Filter<Other>] {
      var renamed: [Filter<Other>] = []
      for filter in filters { renamed.append(try filter.renamed(name)) }
      return renamed
    }
    return switch self {
    case .all(let filters): .all(try all(filters))
    case .any(let filters): .any(try all(filters))
    case .not(let filter): .not(try filter.renamed(name))
    case .compare(let column, let comparison, let value): .compare(try name(column), comparison, value)
    case .range(let column, let from, let through): .range(try name(column), from: from, through: through)
    case .contains(let column, let text): .contains(try name(column), text)
    case .startsWith(let column, let text): .startsWith(try name(column), text)
    case .matches(let column, let text, let ignoringCase):
      .matches(try name(column), text, ignoringCase: ignoringCase)
    case .oneOf(let column, let values): .oneOf(try name(column), values)
    case .age(let column, let comparison, let value): .age(try name(column), comparison, value)
    case .isEmpty(let column): .isEmpty(try name(column))
    }
  }
}
