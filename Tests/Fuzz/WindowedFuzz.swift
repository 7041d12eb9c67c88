import ListEngine

/// Checks that an engine shows or refuses any answer of a windowed source, in any order and with
/// any counts. Each input is a script of answers, scrolls and changes.
enum WindowedFuzz {
  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var script = Script(bytes)
    var run = Run(&script)
    // So many steps that a table can grow, and few enough that an input takes milliseconds.
    for _ in 0..<400 where !script.isEnded { run.step(&script) }
    return 0
  }

  /// Draws what happens from the bytes; zeros behind their end.
  struct Script {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    var isEnded: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    /// A count or a position: at a limit, small, or anything.
    mutating func count() -> Int {
      switch number(below: 12) {
      case 0: 0
      case 1: 1
      case 2: 1 << 52
      case 3: 1 << 52 - 1
      case 4: 1 << 51
      case 5: Int.max
      case 6: Int.min
      case 7: -1
      case 8: (0..<8).reduce(0) { whole, _ in whole << 8 | Int(byte()) }
      default: Int(byte())
      }
    }
  }

  /// An engine, its windowed table and a session.
  struct Run: ~Copyable {
    private var engine = Engine(epoch: "fuzz", limits: WindowedFuzz.limits)
    private let table: TableID
    private let session = SessionID(rawValue: 1)
    private var now = Instant.zero
    private var open: [PageRequest] = []
    private var sequence: UInt64 = 0
    private var key: Int64 = 0

    init(_ script: inout Script) {
      let paging: [WindowedCapabilities.Paging] = [.offset, .keyset, .keysetAndOffset]
      let accuracy: [CountAccuracy] = [.exact, .estimated, .unknown]
      let capabilities = WindowedCapabilities(
        group: [1, 2], count: accuracy[script.number(below: 3)], paging: paging[script.number(below: 3)])
      let schema = Schema(
        name: "t", key: .integer, columns: [Column("n", .integer), Column("a", .text), Column("b", .text)],
        windowed: capabilities)
      guard let id = try? engine.addTable(schema, at: .zero) else { preconditionFailure("the table is refused") }
      table = id
      ask(&script)
    }

    private mutating func ask(_ script: inout Script) {
      let query = QueryRequest(group: Array(["a", "b"].prefix(script.number(below: 3))))
      open = []
      engine.handle(
        .open(session, table: "t", request: 1, query: query, viewport: viewport(&script), interval: .zero), at: now)
    }

    private func viewport(_ script: inout Script) -> Viewport {
      Viewport(first: script.count(), count: Int(script.byte()), stick: nil, sequence: sequence)
    }

    mutating func step(_ script: inout Script) {
      now = now.advanced(by: .milliseconds(100))
      advance()
      switch script.number(below: 8) {
      case 0: engine.handle(.viewport(session, viewport(&script)), at: now)
      case 1: engine.handle(.sourceChanged(table), at: now)
      case 2: ask(&script)
      case 3: engine.handle(.collapse(session, .number(UInt32(script.byte())), isCollapsed: true), at: now)
      default: answer(&script)
      }
    }

    private mutating func advance() {
      for output in engine.advance(to: now) {
        switch output {
        case .deliver(_, let delivery):
          sequence = delivery.sequence
          engine.handle(.writable(session), at: now)
          engine.handle(.acknowledge(session, sequence: sequence), at: now)
        case .ask(_, let requests): open += requests
        default: break
        }
      }
    }

    private mutating func answer(_ script: inout Script) {
      guard !open.isEmpty else { return }
      let request = open.remove(at: script.number(below: open.count))
      switch script.number(below: 10) {
      case 0: engine.handle(.pageFailed(table, request.id, reason: "fuzz"), at: now)
      case 1...5 where request.what == .sections(limit: WindowedFuzz.limits.windowedSections):
        let count = script.count()
        // One byte makes many: the limit of all together is reached by thousands.
        let sections = (0..<16 * script.number(below: 256)).map { number in
          SectionCount(request.query.group.map { _ in .text("\(number)") }, count: count)
        }
        engine.handle(.sections(table, request.id, sections), at: now)
      default: engine.handle(.page(table, request.id, page(&script)), at: now)
      }
    }

    private mutating func page(_ script: inout Script) -> RowPage {
      let flags = script.byte()
      let rows = (0..<script.number(below: 12)).map { _ -> (key: RowKey, cells: [Cell]) in
        key += flags & 1 == 0 ? 1 : 0
        return (.integer(key), [.integer(key), .text("a"), .text("b")])
      }
      return RowPage(
        rows, hasMore: flags & 2 != 0, count: flags & 4 == 0 ? script.count() : nil,
        begin: flags & 8 == 0 ? PageCursor("b\(key)") : nil, end: flags & 16 == 0 ? PageCursor("e\(key)") : nil)
    }
  }

  static let limits: Limits = {
    var limits = Limits()
    limits.pageRows = 10
    return limits
  }()
}
