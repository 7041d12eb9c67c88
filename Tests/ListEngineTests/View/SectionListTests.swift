import ListTesting
import Testing

@testable import ListEngine

@Suite struct SectionListTests {
  private let parent = Section(number: 0, level: -1, value: .null, parent: nil)

  private func section(_ number: Int, _ value: Int) -> Section {
    Section(number: UInt32(number), level: 0, value: .integer(Int64(value)), parent: parent)
  }

  private func walk() -> [Section] {
    var all: [Section] = []
    var next = parent.sections.first
    while let section = next {
      all.append(section)
      next = SectionList.next(after: section)
    }
    return all
  }

  @Test func `sections stay ordered and counted through random changes`() {
    var random = SeededGenerator(seed: 3)
    var plain: [Section] = []
    for number in 1...2000 {
      switch random.number(0...5) {
      case 0...2:
        let new = section(number, random.number(0...5000))
        guard parent.sections.section(new.value) == nil else { continue }
        new.items = random.number(1...9)
        parent.sections.insert(new)
        plain.insert(new, at: plain.firstIndex { Cell.precedes(new.value, $0.value) } ?? plain.count)
      case 3:
        guard !plain.isEmpty else { continue }
        parent.sections.remove(plain.remove(at: random.number(0...plain.count - 1)))
      default:
        guard let some = plain.randomElement(using: &random) else { continue }
        SectionList.grow(some, by: random.number(-some.items...9))
      }
      guard number % 20 == 0 else { continue }
      parent.sections.checkInvariants(of: parent)
      #expect(walk().map(\.number) == plain.map(\.number))
      #expect(parent.sections.items == plain.reduce(0) { $0 + $1.items })
      var start = 0
      for one in plain {
        #expect(SectionList.items(before: one) == start)
        #expect(parent.sections.section(one.value) === one)
        for rest in 0..<one.items {
          let found = parent.sections.find(start + rest)
          #expect(found.section === one && found.rest == rest)
        }
        start += one.items
      }
    }
  }

  @Test(arguments: [false, true]) func `ranked sections that move stay in order and counted`(_ isDescending: Bool) {
    var random = SeededGenerator(seed: 13)
    parent.sections = SectionList(SectionOrder(by: .count, descending: isDescending))
    var plain: [Section] = []
    for number in 1...1500 {
      switch random.number(0...5) {
      case 0...1:
        let new = section(number, random.number(0...5000))
        guard parent.sections.section(new.value) == nil else { continue }
        new.items = random.number(1...9)
        parent.sections.insert(new)
        plain.append(new)
      case 2:
        guard !plain.isEmpty else { continue }
        parent.sections.remove(plain.remove(at: random.number(0...plain.count - 1)))
      default:
        guard let some = plain.randomElement(using: &random) else { continue }
        let (place, before) = (walk().firstIndex { $0 === some }, some.moves)
        let hasMoved = parent.sections.rank(
          some, as: SectionRank(value: random.oneIn(5) ? .null : .integer(Int64(random.number(0...20)))))
        #expect(hasMoved == (walk().firstIndex { $0 === some } != place))
        #expect(some.moves == before + (hasMoved ? 1 : 0))
      }
      guard number % 20 == 0 else { continue }
      parent.sections.checkInvariants(of: parent)
      func key(_ section: Section) -> (Int, Int64, Cell) {
        guard case .integer(let rank) = section.rank.value else { return (1, 0, section.value) }
        return (0, isDescending ? -rank : rank, section.value)
      }
      let sorted = plain.sorted {
        let (a, b) = (key($0), key($1))
        return (a.0, a.1) == (b.0, b.1) ? Cell.precedes(a.2, b.2) : (a.0, a.1) < (b.0, b.1)
      }
      #expect(walk().map(\.number) == sorted.map(\.number))
      var start = 0
      for one in sorted {
        #expect(SectionList.items(before: one) == start)
        #expect(parent.sections.section(one.value) === one)
        start += one.items
      }
    }
  }

  @Test func `the tree stays shallow when sections are inserted in order`() {
    for number in 1...20_000 { parent.sections.insert(section(number, number)) }
    func depth(_ section: Section?) -> Int {
      section.map { 1 + max(depth($0.left), depth($0.right)) } ?? 0
    }
    var root = parent.sections.first
    while let up = root?.up { root = up }
    #expect(depth(root) < 50)
  }
}
