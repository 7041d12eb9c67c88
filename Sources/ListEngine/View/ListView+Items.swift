extension ListView {
  /// Returns the items in a range of positions, in order.
  ///
  /// - Complexity: O(log n + count).
  func items(_ range: Range<Int>) -> [Item] {
    var items: [Item] = []
    guard !range.isEmpty else { return items }
    items.reserveCapacity(range.count)
    collect(root, from: range.lowerBound, upTo: range.count, into: &items)
    return items
  }

  private func collect(_ section: Section, from start: Int, upTo limit: Int, into items: inout [Item]) {
    var rest = start
    if section.level >= 0 {
      if rest == 0 { items.append(.header(section)) } else { rest -= 1 }
    }
    guard hasSections(section) else {
      return section.order.forEach(from: rest, count: limit - items.count) { items.append(.row($0)) }
    }
    guard items.count < limit else { return }
    let found = section.sections.find(rest)
    rest = found.rest
    var inner: Section? = found.section
    while let some = inner, items.count < limit {
      collect(some, from: rest, upTo: limit, into: &items)
      rest = 0
      inner = SectionList.next(after: some)
    }
  }
}
