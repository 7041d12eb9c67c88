import ListEngine

/// By which secret a page that lost its connection proves that a session was its own.
///
/// A session's number can be guessed; this cannot: 128 bits of the system's generator. Tokens of pages that are gone are kept as long as
/// there are not too many of them: the engine decides whether it still knows the session.
struct ResumeTokens {
  private let limit: Int
  private var sessions: [String: SessionID] = [:]
  private var tokens: [SessionID: String] = [:]
  /// Whose pages are gone, in that order.
  private var gone: [SessionID] = []
  private var first = 0

  /// Tokens of which so many outlive their pages.
  init(limit: Int) { self.limit = limit }

  /// How many are kept.
  var count: Int { tokens.count }

  /// A new session's token.
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

  /// The session's page is gone.
  mutating func leave(_ id: SessionID) {
    gone.append(id)
    while gone.count - first > limit {
      if let token = tokens.removeValue(forKey: gone[first]) { sessions[token] = nil }
      first += 1
    }
    guard first > 1024 else { return }
    gone.removeFirst(first)
    first = 0
  }

  /// Whose token this is.
  func session(_ token: String) -> SessionID? { sessions[token] }
}
