/// The number of rows or the aggregate by which a section stands among its siblings.
struct SectionRank: Equatable {
  /// The value; null before the header is announced for the first time.
  var value = Cell.null
  /// The collation key of a text.
  var sortKey: [UInt8] = []

  /// Returns whether the rank precedes another one; neither is null.
  fileprivate func precedes(_ other: SectionRank) -> Bool {
    switch (value, other.value) {
    // A sum that does not fit into 64 bits is a number, and beyond all integers.
    case (.integer, .number(let number)): number > 0
    case (.number(let number), .integer): number < 0
    default: Section.precedes(value, sortKey, other.value, other.sortKey)
    }
  }
}

extension SectionOrder {
  /// Returns whether a section precedes a sibling.
  @inline(__always) func precedes(_ a: Section, _ b: Section) -> Bool {
    switch key {
    case .value:
      guard isDescending, a.value != .null, b.value != .null else { break }
      return Section.precedes(b.value, b.sortKey, a.value, a.sortKey)
    case .count, .aggregate:
      guard a.rank != b.rank else { break }
      if a.rank.value == .null || b.rank.value == .null { return b.rank.value == .null }
      return isDescending ? b.rank.precedes(a.rank) : a.rank.precedes(b.rank)
    }
    return Section.precedes(a.value, a.sortKey, b.value, b.sortKey)
  }
}

extension ListView {
  /// Moves a section to its place among its siblings, if these are ordered by what headers show.
  ///
  /// Returns whether it moved.
  ///
  /// - Complexity: O(log sections).
  func place(_ section: Section) -> Bool {
    guard let parent = section.parent else { return false }
    switch parent.sections.order.key {
    case .value: return false
    case .count: return parent.sections.rank(section, as: SectionRank(value: .integer(Int64(section.count))))
    case .aggregate(let index):
      let (value, aggregate) = (section.aggregates[index], query.aggregates[index])
      let sortKey = aggregate.function.needsOrder ? table.columns[aggregate.column].collationKey(of: value) : []
      return parent.sections.rank(section, as: SectionRank(value: value, sortKey: sortKey))
    }
  }
}
