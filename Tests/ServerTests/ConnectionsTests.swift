import ListEngine
import Testing

@testable import Server

/// Who is sent away when many make us wait, and how many one address may be.
@Suite struct ConnectionsTests {
  private func socket(_ number: Int) -> OpaquePointer { OpaquePointer(bitPattern: number * 16)! }
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  private func crowd(_ count: Int, at moment: Int = 0) -> Connections {
    var connections = Connections(limitPerAddress: 3)
    for number in 1...count {
      _ = connections.admit(from: nil)
      connections.add(socket(number), at: at(moment))
    }
    return connections
  }

  @Test func aFewMayTakeTheirTime() {
    var connections = crowd(Connections.greatestCount)
    #expect(connections.deadline == nil)
    #expect(connections.dismiss(at: at(100_000)) { _ in true } == [])
  }

  @Test func theOldestOfTooManyGo() {
    var connections = crowd(Connections.greatestCount + 2)
    #expect(connections.deadline != nil)
    #expect(connections.dismiss(at: at(249)) { _ in true } == [])
    #expect(connections.dismiss(at: at(349)) { _ in true } == [socket(1), socket(2)])
    #expect(connections.count == Connections.greatestCount)
    #expect(connections.deadline == nil)
  }

  @Test func whoWaitsForUsStays() {
    var connections = crowd(Connections.greatestCount + 2)
    #expect(connections.dismiss(at: at(250)) { $0 != socket(1) } == [socket(2), socket(3)])
    var patient = crowd(Connections.greatestCount + 2)
    #expect(patient.dismiss(at: at(1_000)) { _ in false } == [])
    #expect(patient.count == Connections.greatestCount + 2)
  }

  @Test func theyAreLookedAtTenTimesASecondAtMost() {
    var connections = crowd(Connections.greatestCount + 1)
    #expect(connections.dismiss(at: at(300)) { _ in false } == [])
    #expect(connections.deadline == at(400))
    #expect(connections.dismiss(at: at(399)) { _ in true } == [])
    #expect(connections.dismiss(at: at(400)) { _ in true } == [socket(1)])
  }

  @Test func whoIsInOrGoneIsNotSentAway() {
    var connections = crowd(Connections.greatestCount + 3)
    connections.settle(socket(1))
    connections.remove(socket(2))
    #expect(connections.dismiss(at: at(500)) { _ in true } == [socket(3)])
    // A socket's place in memory is used again.
    connections.remove(socket(4))
    _ = connections.admit(from: nil)
    connections.add(socket(4), at: at(500))
    _ = connections.admit(from: nil)
    connections.add(socket(900), at: at(500))
    #expect(connections.dismiss(at: at(600)) { _ in true } == [socket(5)])
  }

  @Test func anAddressHasItsShareAndThisMachineHasNone() {
    var connections = Connections(limitPerAddress: 3)
    func come(_ number: Int, from address: String?) -> Bool {
      guard connections.admit(from: address) else { return false }
      connections.add(socket(number), at: at(0))
      return true
    }
    #expect((1...4).map { come($0, from: "1.2.3.4") } == [true, true, true, false])
    #expect(come(5, from: "1.2.3.5"))
    #expect((6...20).allSatisfy { come($0, from: nil) })
    // A page still counts; one that has gone does not.
    connections.settle(socket(1))
    #expect(!come(21, from: "1.2.3.4"))
    connections.remove(socket(1))
    connections.remove(socket(1))
    #expect(come(21, from: "1.2.3.4"))
    #expect(!come(22, from: "1.2.3.4"))
    #expect((23...26).map { come($0, from: "2001:db8::\($0)") } == [true, true, true, false])
  }

  /// A thousand that send their requests by the letter, or none, or never read the answer.
  @Test(arguments: ["GET / HTTP/1.1\r\nHost: 127", "", "GET /index.html HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"])
  func slowStrangersDoNotKeepOthersOut(_ start: String) throws {
    let server = try RunningServer()
    let text = start.replacingOccurrences(of: "PORT", with: "\(server.port)")
    var attackers: [RawSocket] = []
    var waits: [Double] = []
    for _ in 0..<10 {
      while attackers.count < 1_000 {
        let attacker = try RawSocket(port: server.port)
        if !text.isEmpty { attacker.send(text) }
        attackers.append(attacker)
      }
      let started = RawSocket.now()
      // When so many come at once that newcomers are turned away, a browser tries again; what counts is when it gets its page.
      while try HTTPAnswer.get("/", port: server.port)?.status != 200, RawSocket.now() - started < 10 {}
      waits.append(RawSocket.now() - started)
      attackers.removeAll { $0.isClosedByNow() }
      for attacker in attackers where !text.isEmpty { attacker.send("x") }
    }
    waits.sort()
    #expect(waits[5] <= 1, "\(waits)")
    #expect(waits[9] <= 3, "\(waits)")
  }
}

extension Connections {
  /// The tardy ones, who are gone then.
  fileprivate mutating func dismiss(at now: Instant, isSilent: (OpaquePointer) -> Bool) -> [OpaquePointer] {
    let tardy = tardy(at: now, isSilent: isSilent)
    for socket in tardy { remove(socket) }
    return tardy
  }
}
