import ListEngine

/// Whether a page is still there: one that says nothing for a while is asked, and one that does not answer is gone.
///
///     keepalive.hear(at: now)        // it said something, be it the answer to a ping
///     keepalive.note(arrived: bytes, at: now)
///     keepalive.look(at: now)        // .fine, .ask or .gone: once a second or so
///
/// On a slow line the question waits behind what was sent before it. As long as that goes on arriving nobody is late with an answer, be it that
/// a piece of it comes only once in such a silence and such a time to answer: a receiver that is nearly full lets its sender wait until it has room.
///
/// libwebsockets can do this by itself, with a timer for each page in a sorted list that is walked from its beginning: with 10,000 pages the
/// pings of one round, and the answers to them, took it most of a second. And it asks pages, too, that are heard every second.
struct Keepalive {
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
  /// What had arrived there when it was last looked at in this silence, as long as more was on its way.
  private var arrived: Int64?
  /// When more had arrived than before.
  private var moved: Instant?

  /// A page that has come at this moment.
  init(_ patience: Patience, at now: Instant) {
    self.patience = patience
    heard = now
  }

  /// Notes that it said something.
  mutating func hear(at now: Instant) {
    self = Keepalive(patience, at: now)
  }

  /// Whether it has said nothing for so long that it is worth knowing how much of what it was sent arrives: a third of the silence.
  func isQuiet(at now: Instant) -> Bool { heard.duration(to: now) >= patience.silence / 3 }

  /// Notes how many bytes of what it was sent have arrived while others are on their way, the question perhaps among them; `nil`: none is.
  mutating func note(arrived bytes: Int64?, at now: Instant) {
    if let bytes, let arrived, bytes > arrived { moved = now }
    if bytes == nil, moved != nil {
      // The question has only now arrived.
      if asked != nil { asked = now }
      moved = nil
    }
    arrived = bytes
  }

  /// Takes back a question that could not be answered: nobody listened.
  mutating func forgive() {
    asked = nil
    arrived = nil
    moved = nil
  }

  /// Looks how it is; `.ask` is found once for each silence.
  mutating func look(at now: Instant) -> Finding {
    guard let asked else {
      guard heard.duration(to: now) >= patience.silence else { return .fine }
      self.asked = now
      return .ask
    }
    if let moved, moved.duration(to: now) < patience.silence + patience.answer { return .fine }
    return asked.duration(to: now) >= patience.answer ? .gone : .fine
  }
}
