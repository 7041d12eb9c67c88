import ListEngine
import SourceRuntime

@testable import ProcessSource

/// Output of child processes. Each line is decoded or refused; an engine accepts the decoded ones.
enum ChildFuzz {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var table = FuzzedTable()
    for event in events(bytes) { table.take(event) }
    return 0
  }

  /// Decodes the output without an engine, which is ten times as fast.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    _ = events(bytes)
    return 0
  }

  private static func events(_ bytes: UnsafeRawBufferPointer) -> [ChildDecoder.Event] {
    var decoder = ChildDecoder(name: "fuzz")
    var lines = LineSplitter(limit: 4_096, chunk: 1_024)
    var rest = bytes[...]
    while !rest.isEmpty {
      let room = lines.room()
      let count = min(room.count, rest.count)
      room.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
      rest = rest.dropFirst(count)
      lines.take(count)
      while let line = lines.next() { take(line, &decoder) }
    }
    if let line = lines.rest() { take(line, &decoder) }
    decoder.settle()
    return Array(decoder.takeEvents())
  }

  private static func take(_ line: LineSplitter.Line, _ decoder: inout ChildDecoder) {
    switch line {
    case .whole(let bytes, let number): decoder.read(bytes, number: number)
    case .tooLong(let number): decoder.noteTooLong(number, limit: 4_096)
    }
  }
}

/// An engine with the table that a child has described, and a session on it.
///
/// Without a session the engine sends no requests to a source that keeps its rows.
private struct FuzzedTable: ~Copyable {
  private var engine = Engine(epoch: "fuzz")
  private var id: TableID?
  private let page = SessionID(rawValue: 1)

  mutating func take(_ event: ChildDecoder.Event) {
    guard case .source(let event) = event else { return }
    switch event {
    case .schema(let schema):
      guard id == nil else { return }
      id = try? engine.addTable(schema, at: .zero)
      guard id != nil else { return }
      let query = QueryRequest(), viewport = Viewport(first: 0, count: 40)
      engine.handle(
        .open(page, table: schema.name, request: 1, query: query, viewport: viewport, interval: .zero), at: .zero)
      _ = engine.advance(to: .zero)
    case .columnsAdded(let schema):
      guard let id else { return }
      let rows = engine.contents(of: id, columns: schema.columns.count)
      guard (try? engine.replaceTable(id, with: schema, at: .zero)) != nil else { return }
      for changes in rows { engine.handle(.changes(id, changes), at: .zero) }
      _ = engine.advance(to: .zero)
    case .state, .acted, .image: break
    default:
      guard let input = id.flatMap({ Input(event, of: $0) }) else { return }
      engine.handle(input, at: .zero)
      for case .deliver(let page, let delivery) in engine.advance(to: .zero) {
        engine.handle(.writable(page), at: .zero)
        engine.handle(.acknowledge(page, sequence: delivery.sequence), at: .zero)
      }
    }
  }
}
