/// An indexed binary heap of small integers, ordered by priority.
///
/// The index finds each number in constant time, so that its priority can change and the number can
/// be removed.
///
///     heap.set(7, to: rank)      // inserts or moves
///     heap.first                 // the number with the lowest priority
///     heap.remove(7)
struct IndexedHeap<Priority: Comparable> {
  private var nodes: [(number: Int, priority: Priority)] = []
  /// The index of each number in `nodes`, or -1 for absent numbers.
  private var places: [Int] = []

  /// The number of elements.
  var count: Int { nodes.count }
  /// Whether the heap is empty.
  var isEmpty: Bool { nodes.isEmpty }
  /// The number with the lowest priority, with that priority.
  var first: (number: Int, priority: Priority)? { nodes.first }

  /// Returns the priority of a number, or `nil` if it is absent.
  func priority(of number: Int) -> Priority? { contains(number) ? nodes[places[number]].priority : nil }

  /// Returns whether the heap contains a number.
  func contains(_ number: Int) -> Bool { number < places.count && places[number] >= 0 }

  /// Inserts a number or changes its priority.
  ///
  /// - Complexity: O(log n).
  mutating func set(_ number: Int, to priority: Priority) {
    if number >= places.count {
      places.append(contentsOf: repeatElement(-1, count: max(number + 1 - places.count, places.count)))
    }
    var place = places[number]
    if place < 0 {
      place = nodes.count
      nodes.append((number, priority))
      places[number] = place
    } else {
      nodes[place].priority = priority
    }
    settle(place)
  }

  /// Removes a number if it is present.
  ///
  /// - Complexity: O(log n).
  mutating func remove(_ number: Int) {
    guard contains(number) else { return }
    let place = places[number]
    places[number] = -1
    let last = nodes.removeLast()
    guard place < nodes.count else { return }
    nodes[place] = last
    places[last.number] = place
    settle(place)
  }

  private mutating func settle(_ start: Int) {
    var place = start
    while place > 0, nodes[place].priority < nodes[(place - 1) / 2].priority {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < nodes.count {
        if nodes[child].priority < nodes[least].priority { least = child }
      }
      guard least != place else { return }
      swap(place, least)
      place = least
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    nodes.swapAt(a, b)
    places[nodes[a].number] = a
    places[nodes[b].number] = b
  }

  /// Checks that no number precedes its parent and that the index matches the nodes.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      for (place, node) in nodes.enumerated() {
        precondition(places[node.number] == place, "\(node.number) stands at \(place), not at \(places[node.number])")
        precondition(!(node.priority < nodes[max(0, place - 1) / 2].priority), "\(node.number) comes before its parent")
      }
      precondition(places.count { $0 >= 0 } == nodes.count, "a number is placed that is not there")
    #endif
  }
}
