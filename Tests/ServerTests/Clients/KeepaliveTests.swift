import ListEngine
import Testing

@testable import Server

/// Tests of the keepalive for silent clients.
@Suite struct KeepaliveTests {
  private static let patience = Keepalive.Patience(silence: .seconds(9), answer: .seconds(5))

  private func moment(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test func `pings a silent client once`() {
    var keepalive = Keepalive(Self.patience, at: moment(100))
    #expect(keepalive.check(at: moment(9_099)) == .fine)
    #expect(keepalive.check(at: moment(9_100)) == .ask)
    #expect(keepalive.check(at: moment(9_100)) == .fine)
    #expect(keepalive.check(at: moment(14_099)) == .fine)
  }

  @Test func `gives up a client that does not answer in time`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    #expect(keepalive.check(at: moment(13_999)) == .fine)
    #expect(keepalive.check(at: moment(14_000)) == .gone)
  }

  @Test func `pings again after an answer and another silence`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    keepalive.noteMessage(at: moment(13_999))
    #expect(keepalive.check(at: moment(14_000)) == .fine)
    #expect(keepalive.check(at: moment(22_998)) == .fine)
    #expect(keepalive.check(at: moment(22_999)) == .ask)
  }

  @Test func `does not ping a client that sends every second`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    for second in 1...100 {
      keepalive.noteMessage(at: moment(Int64(second) * 1_000))
      #expect(keepalive.check(at: moment(Int64(second) * 1_000 + 999)) == .fine)
    }
  }

  @Test func `any received bytes end the silence`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    keepalive.note(received: 100, at: moment(3_000))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    keepalive.note(received: 106, at: moment(10_000))
    #expect(keepalive.check(at: moment(14_000)) == .fine)
    #expect(keepalive.check(at: moment(18_999)) == .fine)
    keepalive.note(received: 106, at: moment(19_000))
    #expect(keepalive.check(at: moment(19_000)) == .ask)
    keepalive.note(received: 106, at: moment(23_999))
    #expect(keepalive.check(at: moment(24_000)) == .gone)
  }

  @Test func `bytes received before the first check do not end the silence`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    keepalive.note(received: nil, at: moment(3_000))
    keepalive.note(received: 1_000, at: moment(8_000))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    keepalive.note(received: 1_000, at: moment(13_000))
    #expect(keepalive.check(at: moment(14_000)) == .gone)
  }

  @Test func `pings again after a ping is withdrawn`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    keepalive.forgive()
    #expect(keepalive.check(at: moment(3_600_000)) == .ask)
    #expect(keepalive.check(at: moment(3_604_999)) == .fine)
    #expect(keepalive.check(at: moment(3_605_000)) == .gone)
  }

  @Test func `delivery progress extends the time limit for an answer`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    keepalive.note(arrived: 1_000, at: moment(3_000))
    keepalive.note(arrived: 1_001, at: moment(8_000))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    // Without progress the time limit is not extended.
    keepalive.note(arrived: 1_001, at: moment(20_000))
    #expect(keepalive.check(at: moment(21_999)) == .fine)
    #expect(keepalive.check(at: moment(22_000)) == .gone)
  }

  @Test func `bytes delivered before the first check extend no time limit`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    keepalive.note(arrived: 1_000, at: moment(3_000))
    keepalive.note(arrived: 1_000, at: moment(8_000))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    #expect(keepalive.check(at: moment(13_999)) == .fine)
    #expect(keepalive.check(at: moment(14_000)) == .gone)
  }

  @Test func `the time limit restarts once all data is delivered`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    keepalive.note(arrived: 1_000, at: moment(8_000))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    keepalive.note(arrived: 2_000, at: moment(13_000))
    keepalive.note(arrived: nil, at: moment(15_000))
    keepalive.note(arrived: nil, at: moment(16_000))
    // Data sent later is monitored separately.
    keepalive.note(arrived: 3_000, at: moment(17_000))
    #expect(keepalive.check(at: moment(19_999)) == .fine)
    #expect(keepalive.check(at: moment(20_000)) == .gone)
  }

  @Test func `an answer discards the delivery progress of its ping`() {
    var keepalive = Keepalive(Self.patience, at: moment(0))
    keepalive.note(arrived: 1_000, at: moment(8_000))
    keepalive.note(arrived: 2_000, at: moment(8_500))
    #expect(keepalive.check(at: moment(9_000)) == .ask)
    keepalive.noteMessage(at: moment(10_000))
    #expect(keepalive.check(at: moment(19_000)) == .ask)
    keepalive.note(arrived: 5_000, at: moment(20_000))
    #expect(keepalive.check(at: moment(24_000)) == .gone)
  }

  @Test func `a client is quiet after a third of the silence`() {
    var keepalive = Keepalive(Self.patience, at: moment(1_000))
    #expect(!keepalive.isQuiet(at: moment(3_999)))
    #expect(keepalive.isQuiet(at: moment(4_000)))
    keepalive.noteMessage(at: moment(4_000))
    #expect(!keepalive.isQuiet(at: moment(6_999)))
  }

  @Test func `the timer runs only with clients and reports late rounds`() {
    var rounds = PeriodicTimer(every: .seconds(1))
    #expect(rounds.deadline == nil)
    #expect(rounds.take(at: moment(5_000), isAnyoneThere: false) == .notYet)
    rounds.begin(at: moment(5_000))
    rounds.begin(at: moment(5_500))
    #expect(rounds.deadline == moment(6_000))
    #expect(rounds.take(at: moment(5_999), isAnyoneThere: true) == .notYet)
    #expect(rounds.take(at: moment(6_000), isAnyoneThere: true) == .inTime)
    #expect(rounds.take(at: moment(8_000), isAnyoneThere: true) == .inTime)
    #expect(rounds.take(at: moment(10_001), isAnyoneThere: true) == .late)
    #expect(rounds.take(at: moment(11_001), isAnyoneThere: false) == .inTime)
    #expect(rounds.deadline == nil)
  }

  @Test func `pings a connected client again after each answer`() throws {
    let server = try RunningServer {
      $0.patience = Keepalive.Patience(silence: .milliseconds(50), answer: .seconds(3_600))
    }
    let client = try WebSocketClient(port: server.port)
    for _ in 0..<4 {
      guard case .ping(let payload)? = client.frame() else {
        Issue.record("it is not asked")
        return
      }
      #expect(!payload.isEmpty, "of an answer without anything in it the server would not hear")
      client.send(opcode: 10, payload)
    }
    client.send(#"{"type":"what"}"#)
    #expect(try client.refusal().error == "unknownType")
  }

  @Test func `drops a client that ignores pings, without a Close frame`() throws {
    let server = try RunningServer {
      $0.patience = Keepalive.Patience(silence: .milliseconds(50), answer: .milliseconds(50))
    }
    let client = try WebSocketClient(port: server.port)
    var questions = 0
    var frame = client.frame()
    // After a pause of the server itself, the client is pinged once more.
    while case .ping? = frame {
      questions += 1
      frame = client.frame()
    }
    #expect(questions > 0, "it is not asked")
    #expect(frame == .end, "it is not closed without a word")
  }
}
