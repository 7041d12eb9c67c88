/// How rows are written in a stream of text.
public enum LooseFormat: String, CaseIterable, Sendable {
  /// One JSON object a line.
  case ndjson
  /// One JSON document: a list of objects, or an object with one list of objects in it.
  case json
  /// Values between commas, with quotes around what needs them (RFC 4180). The first line names the columns.
  case csv
  /// Values between tabs; the first line names the columns.
  case tsv
  /// `key=value` after `key=value`, with quotes around what needs them.
  case logfmt
  /// Columns below their names, as `ps`, `df` and `kubectl` write them.
  case columns
  /// Anything: each line is a row.
  case lines

  /// What the first line that is not blank says; `nil` when more lines are needed to tell.
  static func guess(_ line: UnsafeRawBufferPointer) -> LooseFormat? {
    guard let first = line.first(where: { $0 > 0x20 }) else { return nil }
    if first == 0x7B || first == 0x5B {
      switch JSONBeginning.look(line) {
      case .whole: return first == 0x7B ? .ndjson : .json
      case .part: return .json
      case .neither: break
      }
    }
    if line.contains(0x09) { return .tsv }
    return isKeyValue(line) ? .logfmt : nil
  }

  /// Whether these lines are records between commas: the first could name columns, and of the others most have as many values.
  static func isDelimited(_ lines: [String]) -> Bool {
    var record = DelimitedRecord(separator: 0x2C)
    var names: [String]?
    var rows: [[String]] = []
    for var line in lines {
      guard record.isOpen || line.utf8.contains(where: { $0 > 0x20 }) else { continue }
      guard line.withUTF8({ record.take(UnsafeRawBufferPointer($0)) }) else { continue }
      if names != nil {
        rows.append(record.takeFields())
      } else {
        guard let found = delimitedNames(line, record.takeFields()) else { return false }
        names = found
      }
    }
    guard let names else { return false }
    let agreeing = rows.filter { $0.count == names.count }
    guard agreeing.count * 2 >= rows.count, !rows.isEmpty || record.isOpen else { return false }
    return AlignedHeader.canName(names, agreeing)
  }

  /// What a line between commas names; `nil` for one that is more likely a value.
  static func delimitedNames(_ line: String) -> [String]? {
    var line = line
    var record = DelimitedRecord(separator: 0x2C)
    guard line.withUTF8({ record.take(UnsafeRawBufferPointer($0)) }) else { return nil }
    return delimitedNames(line, record.takeFields())
  }

  private static func delimitedNames(_ line: String, _ fields: [String]) -> [String]? {
    guard fields.count >= 2, !line.hasPrefix(" "), let first = fields.first(where: { !$0.isEmpty }),
      AlignedHeader.canName(first)
    else { return nil }
    return fields
  }

  /// Whether it begins with `key=`, where a key is a word.
  private static func isKeyValue(_ line: UnsafeRawBufferPointer) -> Bool {
    var pairs = 0
    var others = 0
    var row = KeyValueLine(line)
    while let (name, value) = row.next() { if value == nil || name.isEmpty { others += 1 } else { pairs += 1 } }
    return pairs > 0 && pairs >= others
  }
}
