import ListEngine

@testable import Wire

/// Messages of clients: each is decoded or refused with a reason, and so is each query of a table.
enum ClientFuzz {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    let bytes = Array(bytes)
    let first = decode(bytes)
    precondition(first == decode(bytes), "the same message was read in two ways")
    switch first {
    case .success(.query(_, let query, _)): ask(query)
    case .success(.open(let open)): ask(open.query)
    case .failure(let error): precondition(!error.reason.isEmpty && !error.code.isEmpty, "refused without a reason")
    default: break
    }
    return 0
  }

  private static func decode(_ bytes: [UInt8]) -> Result<ClientMessage, ClientError> {
    do throws(ClientError) { return .success(try ClientMessage(decoding: bytes)) } catch { return .failure(error) }
  }

  /// Filters and patterns are put together only when a query is asked.
  static func ask(_ query: QueryRequest) {
    var engine = Engine(epoch: "fuzz")
    let types: [ColumnType] = [.integer, .number, .text, .boolean, .timestamp, .image, .series]
    let columns = types.map { Column($0.rawValue, $0) } + [Column("cpu", .number), Column("name", .text)]
    guard let table = try? engine.addTable(Schema(name: "t", key: .integer, columns: columns), at: .zero) else {
      preconditionFailure("the table is refused")
    }
    var rows = Changeset()
    rows.upsert(
      .integer(1),
      [
        .integer(1), .number(0.5), .text("Straße"), .boolean(true), .timestamp(1), .image("i"), .series([1, .nan]),
        .number(7), .text("sshd"),
      ])
    rows.upsert(.integer(2), Array(repeating: .null, count: columns.count))
    engine.handle(.changes(table, rows), at: .zero)
    guard let id = try? engine.beginExport(of: "t", query) else { return }
    while !engine.isReady(id) { _ = engine.advance(to: .zero) }
    guard case .rows(let shown) = engine.read(id, rows: 10) else { return }
    precondition(shown.count <= 2, "\(shown.count) rows of two")
  }
}
