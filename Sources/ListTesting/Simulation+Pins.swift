import ListEngine

/// Pinned rows: random ones of clients, compared with the rows of the reference.
extension Simulation {
  /// The rows that a client has pinned last.
  struct Pins {
    var id: UInt64
    var keys: [RowKey]
    /// The cells of the last report by place; `nil` for a row that does not exist.
    var rows: [Int: [Cell]?] = [:]
  }

  /// Replaces the pinned rows of a random client.
  mutating func choosePins(_ engine: inout Engine) {
    guard pinning.oneIn(6), !clients.isEmpty else { return }
    let index = pinning.number(0...clients.count - 1)
    nextPins += 1
    let count = pinning.pick([0, 1, 3, 10])
    let pinned = (0..<count).map { _ in RowKey.integer(Int64(pinning.number(0...keys))) }
    clients[index].pins = pinned.isEmpty ? nil : Pins(id: nextPins, keys: pinned)
    engine.handle(.pins(clients[index].id, id: nextPins, pinned), at: clock.now)
  }

  /// Compares a report with the rows of the table.
  mutating func judge(_ reports: PinReports, _ id: SessionID) throws {
    guard let index = clients.firstIndex(where: { $0.id == id }), let pins = clients[index].pins, pins.id == reports.id
    else { throw failure("client \(id.rawValue) receives rows that it has not pinned last") }
    guard !clients[index].isHidden else { throw failure("a hidden page receives pinned rows") }
    guard clients[index].pause == nil || pins.rows.isEmpty else { throw failure("a paused page receives pinned rows") }
    guard !reports.rows.isEmpty else { throw failure("a report has no pinned rows") }
    for entry in reports.rows {
      guard pins.keys.indices.contains(entry.place) else { throw failure("nothing is pinned at \(entry.place)") }
      if let before = pins.rows[entry.place], before == nil, entry.row == nil {
        throw failure("the pinned row \(pins.keys[entry.place]) is reported as gone twice")
      }
      clients[index].pins?.rows[entry.place] = .some(entry.row?.cells)
      coverage.pins += 1
    }
    try judgePins(clients[index])
  }

  /// Checks that a client has the present cells of all its pinned rows.
  func judgePins(_ client: SimulatedClient) throws {
    guard let pins = client.pins else { return }
    for (place, key) in pins.keys.enumerated() {
      guard let reported = pins.rows[place] else {
        throw failure("client \(client.id.rawValue) waits for the pinned row \(key)")
      }
      let row = plain.rows.first { $0.key == key }
      // Deferred cells and those that the engine derives have checks of their own.
      let (shown, wanted) = (reported?.prefix(Self.keyColumn + 1), row?.cells.prefix(Self.keyColumn + 1))
      guard shown == wanted else {
        throw failure("the pinned row \(key) is \(String(describing: shown)), not \(String(describing: wanted))")
      }
    }
  }
}
