import ListEngine
import Wire

/// How long what a table's source hands in takes until a page's socket has it.
///
///     delays.noteArrival(handedIn: since, at: now)      // the loop has told the engine
///     delays.noteSent(after: from, through: cut, at: now)   // a patch with what came in this time was handed to a socket
///     delays.recent(at: now)
///
/// It remembers the last arrivals and the last delays only: what goes on, not what went on.
struct SourceDelays {
  private struct Arrival {
    var handedIn: Instant
    var applied: Instant
  }

  private struct Sample {
    var delay: Duration
    var at: Instant
  }

  /// How many arrivals are known; of more that come in one interval the last ones count.
  static let greatestArrivals = 256
  /// How many of those that one patch carries are counted.
  static let greatestPerPatch = 64
  static let greatestSamples = 1_024
  /// What is longer ago does not count any more.
  static let memory: Duration = .seconds(10)

  private var arrivals: [Arrival] = []
  private var nextArrival = 0
  private var samples: [Sample] = []
  private var nextSample = 0

  /// Something that was handed in then reaches the engine now.
  mutating func noteArrival(handedIn: Instant, at now: Instant) {
    let arrival = Arrival(handedIn: handedIn, applied: now)
    if arrivals.count < Self.greatestArrivals {
      arrivals.append(arrival)
    } else {
      arrivals[nextArrival] = arrival
    }
    nextArrival = (nextArrival + 1) % Self.greatestArrivals
  }

  /// A patch that carries what reached the engine after the one moment and not after the other was handed over.
  mutating func noteSent(after from: Instant, through cut: Instant, at now: Instant, _ record: (Duration) -> Void) {
    var index = nextArrival
    for _ in 0..<min(arrivals.count, Self.greatestPerPatch) {
      index = (index == 0 ? arrivals.count : index) - 1
      let arrival = arrivals[index]
      guard arrival.applied > from else { return }
      guard arrival.applied <= cut else { continue }
      let delay = arrival.handedIn.duration(to: now)
      record(delay)
      if samples.count < Self.greatestSamples {
        samples.append(Sample(delay: delay, at: now))
      } else {
        samples[nextSample] = Sample(delay: delay, at: now)
      }
      nextSample = (nextSample + 1) % Self.greatestSamples
    }
  }

  /// The quantiles of what was sent lately; `nil` when nothing was.
  func recent(at now: Instant) -> ServerStats.Delay? {
    let delays = samples.filter { $0.at.duration(to: now) <= Self.memory }.map(\.delay.nanoseconds).sorted()
    guard !delays.isEmpty else { return nil }
    func quantile(_ part: Double) -> Double {
      Double(delays[min(delays.count - 1, Int(Double(delays.count) * part))]) / 1e6
    }
    return ServerStats.Delay(p50: quantile(0.5), p99: quantile(0.99), count: delays.count)
  }
}
