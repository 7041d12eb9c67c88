/// The layout of lines with names and values: the properties of one thing, or several records.
///
///     let layout = PropertyLayout(lines)!
///     layout.kind                            // .records(first: "Package")
struct PropertyLayout: Equatable {
  enum Kind: Equatable {
    /// Each line is a row of a name and a value.
    case list
    /// Records that begin with this name; the names are the columns.
    case records(first: String)
  }

  let kind: Kind
  /// The position of the separator in all lines, if the names are padded or right-aligned.
  let column: Int?
  /// Whether some lines are headings of those below them.
  let hasSections: Bool
  /// Whether all values are lists of pairs, as in `host : ok=28 changed=1`.
  let hasPairs: Bool

  /// Creates the layout of a plain list.
  init() { (kind, column, hasSections, hasPairs) = (.list, nil, false, false) }

  /// Detects the layout; `nil` unless nine of ten lines have a name or continue a value.
  init?(_ lines: [String]) {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    let pairs = filled.compactMap { PropertyLine($0) }
    guard pairs.count >= 2, pairs.count * 3 >= filled.count else { return nil }
    column = Self.column(pairs)
    hasPairs = pairs.allSatisfy { KeyValueLine.hasOnlyPairs($0.value) }
    guard let scan = Self.scan(lines, column) else { return nil }
    hasSections = scan.hasSections
    let first = scan.names[0]
    let starts = scan.names.indices.filter { scan.names[$0] == first }
    if starts.count > 1, scan.names.count >= starts.count * 2, scan.blocksBegin(with: first),
      scan.areAlike(starts.count), scan.namesDiffer(starts), !scan.hasNumberedNames(starts.count)
    {
      kind = .records(first: first)
      return
    }
    // Lines of a log begin with the same few words.
    let places = Set(zip(scan.sections, scan.names).map { "\($0)\n\($1)" })
    let isAssigned = filled.allSatisfy { $0.contains(" = ") || $0.hasSuffix(" =") }
    guard places.count * 10 >= scan.names.count * (isAssigned ? 4 : 8) else { return nil }
    kind = .list
  }

  private static func column(_ pairs: [PropertyLine]) -> Int? {
    let counts = Dictionary(grouping: pairs, by: \.separator).mapValues(\.count)
    guard let (place, count) = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    // Names of equal length are aligned by chance.
    guard count * 10 >= pairs.count * 7, Set(pairs.map(\.name.count)).count > 1 else { return nil }
    return place
  }

  private struct Scan {
    var names: [String] = []
    var sections: [String] = []
    var hasSections = false
    /// The first name of each block between blank lines or separators.
    var firsts: [String] = []
    var hasMarks = false

    /// Returns whether records have so many names in common that they are rows of one table.
    func areAlike(_ count: Int) -> Bool {
      let filled = Double(names.count) / Double(Set(names).count * count)
      return filled > (hasSections ? 0.6 : 0.25)
    }

    /// Returns whether most records have each name once.
    ///
    /// `/proc/net/snmp` has lines of names and lines of values that begin with the same word.
    func namesDiffer(_ starts: [Int]) -> Bool {
      let ends = starts.dropFirst() + [names.count]
      let repeating = zip(starts, ends).count { start, end in Set(names[start..<end]).count * 4 < (end - start) * 3 }
      let short = zip(starts, ends).count { $1 - $0 < 2 }
      return hasMarks || (repeating * 2 < starts.count && short * 2 < starts.count)
    }

    /// Returns whether records have names of their own: `Group 1`, `Group 2`.
    func hasNumberedNames(_ count: Int) -> Bool {
      let numbered = Set(names.filter { $0.last?.isNumber ?? false })
      let stems = Dictionary(grouping: numbered) { $0.reversed().drop { $0.isNumber }.count }
      return stems.values.contains { stem in
        stem.count >= max(2, count - 1) && Set(stem.map { String($0.prefix { !$0.isNumber }) }).count == 1
          && stem.allSatisfy { name in names.count { $0 == name } == 1 }
      }
    }

    func blocksBegin(with name: String) -> Bool {
      hasMarks || firsts.count { $0 == name } * 2 >= firsts.count
    }
  }

  private static func scan(_ lines: [String], _ column: Int?) -> Scan? {
    var scan = Scan()
    var walk = PropertyWalk(column: column)
    var (others, tables) = (0, 0)
    var text: [String] = []
    var isNewBlock = true
    for (index, line) in lines.enumerated() {
      let step = walk.take(line, before: lines[(index + 1)...].first)
      if !step.isOther, !text.isEmpty {
        if AlignedColumns(text) != nil { tables += 1 } else { others += text.count }
        text = []
      }
      switch step {
      case .separator:
        scan.hasMarks = true
        isNewBlock = true
      case .blank: isNewBlock = true
      case .heading: scan.hasSections = true
      case .pair(let pair, let section):
        if isNewBlock { scan.firsts.append(pair.name) }
        isNewBlock = false
        scan.names.append(pair.name)
        scan.sections.append(section)
        if !section.isEmpty { scan.hasSections = true }
      case .continuation: break
      case .other: text.append(line)
      }
    }
    if !text.isEmpty, AlignedColumns(text) == nil { others += text.count } else { tables += text.isEmpty ? 0 : 1 }
    guard scan.names.count >= (tables > 0 ? 4 : 2), others * 10 <= scan.names.count * 4 else { return nil }
    return scan
  }
}
