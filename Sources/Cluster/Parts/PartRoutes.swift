import ListEngine

/// The part of a split table that gets each request of the server.
///
/// Actions on a row and deferred cells go to the owner of the row's key. An action on the table
/// goes to the first part that is up. The key of an image names no row, so the parts are asked for
/// it one after another until one has it.
struct PartRoutes {
  /// A request for one part.
  struct Send: Sendable {
    var part: Int
    var request: SourceRequest
  }

  private struct Search {
    var key: String
    var asked: Int
    var rest: [Int]
    /// The answer so far, if none has the image.
    var answer = ImageOutcome.none
  }

  /// The number of images that are searched for at once; the server has fewer requests at a time.
  static let greatestSearches = 1_024

  var owners = KeyOwners()
  /// The parts, those that are up first.
  var order: [Int] = []
  private var searches: [UInt64: Search] = [:]

  /// Returns what to send to the parts for a request, and the answers to what none of them gets.
  mutating func route(_ request: SourceRequest) -> (sends: [Send], answers: [SourceEvent]) {
    switch request {
    case .act(let action):
      if let part = action.key.map({ owners.owner(of: $0) }) ?? order.first {
        return ([Send(part: part, request: request)], [])
      }
      return ([], request.refusals)
    case .load(let cells):
      let (parts, orphans) = divided(cells)
      return (parts.map { Send(part: $0, request: .load($1)) }, SourceRequest.load(orphans).refusals)
    case .cancel(let cells): return (divided(cells).parts.map { Send(part: $0, request: .cancel($1)) }, [])
    case .image(let number, let key): return begin(number, key)
    case .cancelImages(let numbers):
      let sends = numbers.compactMap { number in
        searches.removeValue(forKey: number).map { Send(part: $0.asked, request: .cancelImages([number])) }
      }
      return (sends, [])
    case .upload: return ([], request.refusals)
    // Windowed tables are not published.
    case .ask, .cancelBlocks: return ([], [])
    }
  }

  private func divided(_ cells: [DeferredCell]) -> (parts: [(Int, [DeferredCell])], orphans: [DeferredCell]) {
    var parts: [Int: [DeferredCell]] = [:]
    var orphans: [DeferredCell] = []
    for cell in cells {
      if let owner = owners.owner(of: cell.key) { parts[owner, default: []].append(cell) } else { orphans.append(cell) }
    }
    return (parts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, orphans)
  }

  // MARK: Images

  private mutating func begin(_ number: UInt64, _ key: String) -> (sends: [Send], answers: [SourceEvent]) {
    // Many sources name an image like its row.
    let owner = owners.owner(of: .text(key)) ?? Int64(key).flatMap { owners.owner(of: .integer($0)) }
    let parts = (owner.map { [$0] } ?? []) + order.filter { $0 != owner }
    guard let first = parts.first, searches.count < Self.greatestSearches else {
      return ([], [.image(number, .sourceDown)])
    }
    searches[number] = Search(key: key, asked: first, rest: Array(parts.dropFirst()))
    return ([Send(part: first, request: .image(number, key: key))], [])
  }

  /// Takes a part's answer about an image. Returns the next request, or the answer for the server.
  mutating func take(_ outcome: ImageOutcome, of number: UInt64, from part: Int) -> (send: Send?, answer: SourceEvent?)
  {
    guard var search = searches[number], search.asked == part else { return (nil, nil) }
    if case .bytes = outcome {
      searches[number] = nil
      return (nil, .image(number, outcome))
    }
    // A failure may pass, and a missing image is final.
    if case .none = outcome {} else { search.answer = outcome }
    guard let next = search.rest.first else {
      searches[number] = nil
      return (nil, .image(number, search.answer))
    }
    search.asked = next
    search.rest.removeFirst()
    searches[number] = search
    return (Send(part: next, request: .image(number, key: search.key)), nil)
  }
}

extension SourceRequest {
  /// The answers to a request that no part gets.
  var refusals: [SourceEvent] {
    let reason = "no publisher has the row's key"
    return switch self {
    case .act(let action): [.acted(action.id, .failed(.sourceDown, reason))]
    case .load(let cells): cells.map { .notLoaded($0.key, column: $0.column, reason: reason) }
    case .image(let number, _): [.image(number, .sourceDown)]
    case .upload(let upload): [.refusing(upload)]
    case .cancel, .cancelImages, .ask, .cancelBlocks: []
    }
  }
}
