import ListEngine

/// Whether a page is still there: one that says nothing for a while is asked, and one that does not answer is gone.
///
///     pulse.hear(at: now)        // it said something, be it the answer to a ping
///     pulse.look(at: now)        // .fine, .ask or .gone: once a second or so
///
/// libwebsockets can do this by itself, with a timer for each page in a sorted list that is walked from its beginning: with 10,000 pages the
/// pings of one round, and the answers to them, took it most of a second. And it asks pages, too, that are heard every second.
struct Pulse {
  /// What is to be done about the page.
  enum Finding { case fine, ask, gone }

  /// How long a page may be silent, and how long it may take to answer.
  struct Patience: Equatable, Sendable {
    /// After such a silence it is asked.
    var silence: Duration
    /// After so much more it is gone.
    var answer: Duration

    /// So long.
    init(silence: Duration = .seconds(9), answer: Duration = .seconds(5)) {
      self.silence = silence
      self.answer = answer
    }
  }

  private let patience: Patience
  private var heard: Instant
  private var asked: Instant?

  /// A page that has come at this moment.
  init(_ patience: Patience, at now: Instant) {
    self.patience = patience
    heard = now
  }

  /// Notes that it said something.
  mutating func hear(at now: Instant) {
    heard = now
    asked = nil
  }

  /// Takes back a question that could not be answered: nobody listened.
  mutating func forgive() { asked = nil }

  /// Looks how it is; `.ask` is found once for each silence.
  mutating func look(at now: Instant) -> Finding {
    if let asked { return asked.duration(to: now) >= patience.answer ? .gone : .fine }
    guard heard.duration(to: now) >= patience.silence else { return .fine }
    asked = now
    return .ask
  }
}
