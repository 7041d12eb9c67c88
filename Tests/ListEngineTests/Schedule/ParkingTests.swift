import Testing

@testable import ListEngine

@Suite struct ParkingTests {
  private func session(_ number: UInt64, flow: PatchFlow = PatchFlow()) -> Session {
    Session(
      SessionID(rawValue: number), table: "t", request: 1, query: QueryRequest(), viewport: nil, interval: .zero,
      limits: Limits(), flow: flow)
  }

  private func at(_ seconds: Int) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

  @Test func `a session can be taken only once`() {
    var parking = Parking(limit: 3, time: .seconds(10))
    parking.park(session(1), at: at(0))
    #expect(parking.take(SessionID(rawValue: 2)) == nil)
    #expect(parking.take(SessionID(rawValue: 1)) != nil)
    #expect(parking.take(SessionID(rawValue: 1)) == nil)
    #expect(parking.deadline == nil && parking.count == 0)
  }

  @Test func `drops the oldest session beyond the limit`() {
    var parking = Parking(limit: 2, time: .seconds(10))
    for number: UInt64 in 1...3 { parking.park(session(number), at: at(Int(number))) }
    #expect(parking.count == 2)
    #expect(parking.take(SessionID(rawValue: 1)) == nil)
    #expect(parking.deadline == at(12))
    #expect(parking.take(SessionID(rawValue: 2)) != nil)
    #expect(parking.deadline == at(13))
  }

  @Test func `drops each session when its time is over`() {
    var parking = Parking(limit: 5, time: .seconds(10))
    for number: UInt64 in 1...3 { parking.park(session(number), at: at(Int(number))) }
    parking.drop(at: at(11))
    #expect(parking.count == 2)
    parking.drop(at: at(12))
    #expect(parking.count == 1)
    parking.drop(at: at(100))
    #expect(parking.count == 0 && parking.deadline == nil)
  }

  @Test func `count stays exact after many sessions are parked and taken`() {
    var parking = Parking(limit: 2, time: .seconds(10))
    for number: UInt64 in 1...5000 {
      parking.park(session(number), at: at(0))
      parking.park(session(number + 10_000), at: at(0))
      #expect(parking.take(SessionID(rawValue: number + 10_000)) != nil)
    }
    #expect(parking.count == 1)
    parking.drop(at: at(10))
    #expect(parking.count == 0)
  }

  @Test func `a limit of zero keeps no session`() {
    var parking = Parking(limit: 0, time: .seconds(10))
    parking.park(session(1), at: at(0))
    #expect(parking.count == 0 && parking.take(SessionID(rawValue: 1)) == nil)
  }

  @Test func `drops the oldest windows above the total item limit`() {
    func holding(_ number: UInt64, _ count: Int) -> Session {
      let item = WindowItem.row(RowSnapshot(id: RowID(rawValue: 1), revision: 1, absence: .pending))
      let window = WindowState(
        start: 0, total: count, rows: count, items: Array(repeating: item, count: count), lead: [], pool: HeaderPool(),
        commit: 0)
      return session(number, flow: PatchFlow(base: window))
    }
    let half = Parking.greatestItemCount / 2
    var parking = Parking(limit: 10, time: .seconds(10))
    for number: UInt64 in 1...2 { parking.park(holding(number, half), at: at(0)) }
    #expect(parking.count == 2)
    parking.park(holding(3, 1), at: at(0))
    #expect(parking.count == 2 && parking.take(SessionID(rawValue: 1)) == nil)
    // What is taken out, or replaced, makes room.
    #expect(parking.take(SessionID(rawValue: 2)) != nil)
    for _ in 1...3 { parking.park(holding(4, half), at: at(0)) }
    #expect(parking.count == 2)
    parking.forget(table: "t")
    for number: UInt64 in 5...6 { parking.park(holding(number, half), at: at(0)) }
    #expect(parking.count == 2)
  }
}
