import ListEngine
import ProcessSource
import SourceRuntime

/// Decodes lines as a reader would.
package func decode(
  _ lines: [String], table: String? = nil, known: Schema? = nil, isReloading: Bool = false, flushes: Bool = true,
  refusal: String? = nil
) -> [ChildDecoder.Event] {
  var decoder = ChildDecoder(
    name: "source", table: table, known: known, isReloading: isReloading, refusalOfOtherColumns: refusal)
  for (index, line) in lines.enumerated() { read(line, number: index + 1, &decoder) }
  if flushes { decoder.settle() }
  return decoder.takeEvents()
}

package func read(_ line: String, number: Int, _ decoder: inout ChildDecoder) {
  read(Array(line.utf8), number: number, &decoder)
}

package func read(_ line: [UInt8], number: Int, _ decoder: inout ChildDecoder) {
  let padded = line + [UInt8](repeating: 0x7B, count: JSONParser.padding)
  padded.withUnsafeBytes { decoder.read(UnsafeRawBufferPointer(rebasing: $0[..<line.count]), number: number) }
}

extension [ChildDecoder.Event] {
  /// The changesets among the events.
  package var changes: [Changeset] {
    compactMap { if case .source(.changes(let changes)) = $0 { changes } else { nil } }
  }
  /// The rows of all changesets, in order.
  package var rows: [PlainRow] { changes.flatMap { PlainRow.rows(of: $0) } }
  package var schema: Schema? {
    for case .source(.schema(let schema)) in self { return schema }
    return nil
  }
  package var badLines: [String] { compactMap { if case .badLine(let reason) = $0 { reason } else { nil } } }
  package var badRows: [String] { compactMap { if case .badRow(let reason) = $0 { reason } else { nil } } }
  package var refusals: [String] { compactMap { if case .refused(let reason) = $0 { reason } else { nil } } }
  /// The number of rejected rows without a key, and the last reason.
  package var unnamed: (count: Int, last: String) {
    changes.reduce((0, "")) { ($0.0 + $1.unnamedRejections, $1.unnamedRejections > 0 ? $1.unnamedRejection : $0.1) }
  }
}
