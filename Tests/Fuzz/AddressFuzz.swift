import ListEngine

@testable import Wire

/// The query string of a table's address: it is a query, or is refused with a reason.
enum AddressFuzz {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    let text = String(decoding: bytes, as: UTF8.self)
    let arguments = text.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
    do throws(ClientError) {
      ClientFuzz.ask(try QueryRequest(arguments: arguments, limits: Limits()))
      let schema = Schema(name: "t", key: .integer, columns: [Column("a", .text), Column("b", .integer)])
      let layout = try ExportLayout(arguments: arguments, format: .csv, schema: schema)
      precondition(layout.columns?.allSatisfy(schema.columns.indices.contains) ?? true, "a column that is not there")
    } catch {
      precondition(!error.reason.isEmpty, "refused without a reason")
    }
    // What is not a query is a text like any other.
    var field: [UInt8] = []
    CSVField.append(text: text, to: &field)
    precondition(!field.contains(0x0A) || field.first == UInt8(ascii: "\""), "a line of its own")
    precondition(!["=", "+", "-", "@"].contains(String(decoding: field.prefix(1), as: UTF8.self)), "a formula")
    return 0
  }
}
