/// The inner sections of a section, in their order, with prefix sums of their items.
///
/// It is a treap ([Aragon and Seidel, 1989](https://en.wikipedia.org/wiki/Treap)) with the sections
/// as nodes. Sections are never renumbered, however many there are. The shape depends only on the
/// sections' numbers, so that equal inputs take equal time.
struct SectionList {
  /// The order of the sections.
  let order: SectionOrder
  private var root: Section?
  /// The sections by value, unless they are in ascending order of their values.
  private var byValue: [Cell: Section] = [:]

  init(_ order: SectionOrder = .byValue) { self.order = order }

  /// The number of items in all sections.
  var items: Int { root?.sum ?? 0 }

  /// Returns the section with this value and collation key; see ``Section/sortKey``.
  ///
  /// - Complexity: O(log sections).
  func section(_ value: Cell, _ key: [UInt8] = []) -> Section? {
    guard order == .byValue else { return byValue[value] }
    var node = root
    while let section = node {
      if Section.precedes(value, key, section.value, section.sortKey) {
        node = section.left
      } else if Section.precedes(section.value, section.sortKey, value, key) {
        node = section.right
      } else {
        return section
      }
    }
    return nil
  }

  /// Returns the section that contains the item of this rank, and the item's offset there.
  ///
  /// - Precondition: 0 ≤ rank < items.
  /// - Complexity: O(log sections).
  func find(_ rank: Int) -> (section: Section, rest: Int) {
    precondition(rank >= 0 && rank < items, "rank \(rank) of \(items)")
    var node = root
    var rest = rank
    while let section = node {
      let before = section.left?.sum ?? 0
      if rest < before {
        node = section.left
      } else if rest < before + section.items {
        return (section, rest - before)
      } else {
        rest -= before + section.items
        node = section.right
      }
    }
    preconditionFailure("the sums of the sections are wrong at rank \(rank)")
  }

  /// Returns the number of items before a section of this list.
  ///
  /// - Complexity: O(log sections).
  static func items(before section: Section) -> Int {
    var sum = section.left?.sum ?? 0
    var node = section
    while let up = node.up {
      if up.right === node { sum += (up.left?.sum ?? 0) + up.items }
      node = up
    }
    return sum
  }

  /// Returns the section after a section of this list.
  ///
  /// - Complexity: O(1), amortized over a walk.
  static func next(after section: Section) -> Section? {
    if var node = section.right {
      while let left = node.left { node = left }
      return node
    }
    var node = section
    while let up = node.up {
      if up.left === node { return up }
      node = up
    }
    return nil
  }

  /// Returns the section before a section of this list.
  ///
  /// - Complexity: O(log sections).
  static func previous(before section: Section) -> Section? {
    if var node = section.left {
      while let right = node.right { node = right }
      return node
    }
    var node = section
    while let up = node.up {
      if up.right === node { return up }
      node = up
    }
    return nil
  }

  /// The first section.
  var first: Section? {
    var node = root
    while let left = node?.left { node = left }
    return node
  }

  /// The last section.
  var last: Section? {
    var node = root
    while let right = node?.right { node = right }
    return node
  }

  /// Adds `change` to the number of items of a section.
  ///
  /// - Complexity: O(log sections).
  static func grow(_ section: Section, by change: Int) {
    section.items += change
    var node: Section? = section
    while let some = node {
      some.sum += change
      node = some.up
    }
  }

  /// Inserts a section.
  ///
  /// - Precondition: No section has the same value.
  /// - Complexity: O(log sections).
  mutating func insert(_ section: Section) {
    if order != .byValue { byValue[section.value] = section }
    attach(section)
  }

  /// Gives a section another rank, and moves it as a whole if its place changes.
  ///
  /// Returns whether it moved. The number of rows in it has no effect on the cost.
  ///
  /// - Precondition: The section is in this list, whose order has ranks.
  /// - Complexity: O(log sections).
  mutating func rank(_ section: Section, as rank: SectionRank) -> Bool {
    guard rank != section.rank else { return false }
    section.rank = rank
    let (previous, next) = (Self.previous(before: section), Self.next(after: section))
    if previous.map({ order.precedes($0, section) }) ?? true, next.map({ order.precedes(section, $0) }) ?? true {
      return false
    }
    detach(section)
    attach(section)
    section.moves &+= 1
    return true
  }

  private mutating func attach(_ section: Section) {
    section.sum = section.items
    guard var parent = root else {
      root = section
      return
    }
    while true {
      if order.precedes(section, parent) {
        guard let left = parent.left else {
          parent.left = section
          break
        }
        parent = left
      } else {
        guard let right = parent.right else {
          parent.right = section
          break
        }
        parent = right
      }
    }
    section.up = parent
    var node: Section? = parent
    while let some = node {
      some.sum += section.items
      node = some.up
    }
    while let up = section.up, Self.priority(up) < Self.priority(section) { rotateUp(section) }
  }

  /// Removes a section.
  ///
  /// - Precondition: The section is in this list.
  /// - Complexity: O(log sections).
  mutating func remove(_ section: Section) {
    if order != .byValue { byValue[section.value] = nil }
    detach(section)
  }

  private mutating func detach(_ section: Section) {
    while let child = Self.heavierChild(of: section) { rotateUp(child) }
    var node = section.up
    if let up = node {
      if up.left === section { up.left = nil } else { up.right = nil }
    } else {
      root = nil
    }
    while let some = node {
      some.sum -= section.items
      node = some.up
    }
    section.up = nil
  }

  private static func heavierChild(of section: Section) -> Section? {
    guard let left = section.left else { return section.right }
    guard let right = section.right else { return left }
    return priority(left) < priority(right) ? right : left
  }

  /// Returns a pseudorandom priority: the finalizer of MurmurHash3 (A. Appleby) of the section's
  /// number.
  private static func priority(_ section: Section) -> UInt32 {
    var hash = section.number
    hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
    hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
    return hash ^ hash >> 16
  }

  private mutating func rotateUp(_ child: Section) {
    guard let parent = child.up else { return }
    let grandparent = parent.up
    if parent.left === child {
      parent.left = child.right
      child.right?.up = parent
      child.right = parent
    } else {
      parent.right = child.left
      child.left?.up = parent
      child.left = parent
    }
    parent.up = child
    child.up = grandparent
    if let grandparent {
      if grandparent.left === parent { grandparent.left = child } else { grandparent.right = child }
    } else {
      root = child
    }
    parent.sum = parent.items + (parent.left?.sum ?? 0) + (parent.right?.sum ?? 0)
    child.sum = child.items + (child.left?.sum ?? 0) + (child.right?.sum ?? 0)
  }

  /// Checks the order, the parents and the sums of the sections.
  func checkInvariants(of parent: Section) {
    #if CHECK_INVARIANTS
      func check(_ section: Section) -> Int {
        let sum = section.items + (section.left.map(check) ?? 0) + (section.right.map(check) ?? 0)
        precondition(section.sum == sum, "section \(section.number) sums \(section.sum), not \(sum)")
        precondition(section.parent === parent, "section \(section.number) lies in another one")
        for child in [section.left, section.right] {
          guard let child else { continue }
          precondition(child.up === section, "section \(child.number) hangs elsewhere")
          precondition(Self.priority(child) <= Self.priority(section), "section \(child.number) hangs too low")
        }
        return sum
      }
      if let root { _ = check(root) }
      var count = 0
      var previous: Section?
      var section = first
      while let some = section {
        if let previous {
          precondition(previous.precedes(some), "section \(some.number) is misplaced")
        }
        precondition(self.section(some.value, some.sortKey) === some, "section \(some.number) is not found")
        count += 1
        previous = some
        section = Self.next(after: some)
      }
      precondition(order == .byValue || byValue.count == count, "\(byValue.count) sections are known of \(count)")
    #endif
  }
}
