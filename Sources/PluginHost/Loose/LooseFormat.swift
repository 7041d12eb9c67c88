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
    if first == 0x7B { return .ndjson }
    if first == 0x5B { return .json }
    if line.contains(0x09) { return .tsv }
    if isKeyValue(line) { return .logfmt }
    if line.contains(0x2C), !line.starts(with: [0x20]) { return .csv }
    return nil
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
