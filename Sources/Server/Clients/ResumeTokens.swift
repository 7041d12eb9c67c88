import DequeModule
import ListEngine

/// The secret tokens by which clients prove that they own a session to resume.
///
/// Session numbers are guessable; tokens are 128 random bits of the system's generator. The tokens
/// of a limited number of ended sessions are kept. The engine decides whether it still knows such a
/// session.
struct ResumeTokens {
  private let limit: Int
  private var sessions: [String: SessionID] = [:]
  private var tokens: [SessionID: String] = [:]
  /// The ended sessions in order of their end.
  private var gone: Deque<SessionID> = []

  /// Creates a store that keeps the tokens of at most `limit` ended sessions.
  init(limit: Int) { self.limit = limit }

  /// The number of tokens.
  var count: Int { tokens.count }

  /// Creates a token for a new session.
  mutating func make(for id: SessionID) -> String {
    let (high, low) = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    let token = [high, low].map {
      String(repeating: "0", count: 16 - String($0, radix: 16).count) + String($0, radix: 16)
    }
    .joined()
    sessions[token] = id
    tokens[id] = token
    return token
  }

  /// Records that the session's client has disconnected.
  mutating func leave(_ id: SessionID) {
    gone.append(id)
    while gone.count > limit {
      if let token = tokens.removeValue(forKey: gone.removeFirst()) { sessions[token] = nil }
    }
  }

  /// Returns the session that a token belongs to.
  func session(_ token: String) -> SessionID? { sessions[token] }
}
