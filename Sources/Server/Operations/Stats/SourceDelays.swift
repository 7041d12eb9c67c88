import ListEngine
import Wire

/// The delays from a source's deliveries to the clients' sockets, for one table.
///
///     delays.noteArrival(receivedAt: since, at: now)       // the engine applied a delivery
///     delays.noteSent(after: from, through: cut, at: now)  // a socket took the span's patch
///     delays.recent(at: now)
///
/// Two ring buffers hold only the most recent deliveries and delays.
struct SourceDelays {
  private struct Arrival {
    var receivedAt: Instant
    var applied: Instant
  }

  private struct Sample {
    var delay: Duration
    var at: Instant
  }

  /// The number of deliveries kept; older ones are overwritten.
  static let greatestArrivals = 256
  /// The maximum number of deliveries measured per patch.
  static let greatestPerPatch = 64
  static let greatestSamples = 1_024
  /// The age at which a measurement expires.
  static let memory: Duration = .seconds(10)

  private var arrivals: [Arrival] = []
  private var nextArrival = 0
  private var samples: [Sample] = []
  private var nextSample = 0

  /// Records that a delivery of the source reached the engine.
  mutating func noteArrival(receivedAt: Instant, at now: Instant) {
    let arrival = Arrival(receivedAt: receivedAt, applied: now)
    if arrivals.count < Self.greatestArrivals {
      arrivals.append(arrival)
    } else {
      arrivals[nextArrival] = arrival
    }
    nextArrival = (nextArrival + 1) % Self.greatestArrivals
  }

  /// Records the delays of deliveries applied after `from` and up to `cut`, whose patch was sent
  /// now.
  mutating func noteSent(after from: Instant, through cut: Instant, at now: Instant, _ record: (Duration) -> Void) {
    var index = nextArrival
    for _ in 0..<min(arrivals.count, Self.greatestPerPatch) {
      index = (index == 0 ? arrivals.count : index) - 1
      let arrival = arrivals[index]
      guard arrival.applied > from else { return }
      guard arrival.applied <= cut else { continue }
      let delay = arrival.receivedAt.duration(to: now)
      record(delay)
      if samples.count < Self.greatestSamples {
        samples.append(Sample(delay: delay, at: now))
      } else {
        samples[nextSample] = Sample(delay: delay, at: now)
      }
      nextSample = (nextSample + 1) % Self.greatestSamples
    }
  }

  /// Returns the quantiles of the recent delays, or `nil` if there are none.
  func recent(at now: Instant) -> ServerStats.Delay? {
    let delays = samples.filter { $0.at.duration(to: now) <= Self.memory }.map(\.delay.nanoseconds).sorted()
    guard !delays.isEmpty else { return nil }
    func quantile(_ part: Double) -> Double {
      Double(delays[min(delays.count - 1, Int(Double(delays.count) * part))]) / 1e6
    }
    return ServerStats.Delay(p50: quantile(0.5), p99: quantile(0.99), count: delays.count)
  }
}
