import ListEngine
import Testing

@testable import Cluster

/// The parts that get the requests of a relay's server.
@Suite struct PartRoutesTests {
  private static func routes() -> PartRoutes {
    var routes = PartRoutes()
    routes.owners = KeyOwners(inOrder: [
      (owner: 0, range: KeyRange(from: "", to: "m", of: .text)!),
      (owner: 1, range: KeyRange(from: "m", to: "x", of: .text)!),
    ])
    routes.order = [1, 0]
    return routes
  }

  private static func action(_ id: UInt64, _ key: String?) -> SourceRequest {
    .act(ActionRequest(id: id, action: "mark", key: key.map { .text($0) }, arguments: []))
  }

  private static func cells(_ keys: String...) -> [DeferredCell] { keys.map { DeferredCell(.text($0), column: 0) } }

  @Test func `an action goes to the owner of its row's key`() {
    var routes = Self.routes()
    #expect(routes.route(Self.action(1, "a")).sends.map(\.part) == [0])
    #expect(routes.route(Self.action(2, "m")).sends.map(\.part) == [1])
    let refused = routes.route(Self.action(3, "z"))
    guard refused.sends.isEmpty, case .acted(3, .failed(.sourceDown, _))? = refused.answers.first else {
      Issue.record("an action without an owner is sent")
      return
    }
  }

  @Test func `an action on the table goes to the first part that is up`() {
    var routes = Self.routes()
    #expect(routes.route(Self.action(1, nil)).sends.map(\.part) == [1])
  }

  @Test func `deferred cells are divided among the owners`() {
    var routes = Self.routes()
    let (sends, answers) = routes.route(.load(Self.cells("a", "n", "b", "z")))
    guard sends.map(\.part) == [0, 1], case .load(let low) = sends[0].request, case .load(let high) = sends[1].request,
      case .notLoaded(.text("z"), 0, _)? = answers.first
    else {
      Issue.record("the cells are not divided")
      return
    }
    #expect(low == Self.cells("a", "b") && high == Self.cells("n") && answers.count == 1)
    #expect(routes.route(.cancel(Self.cells("n", "z"))).sends.map(\.part) == [1])
  }

  @Test func `an image is searched for in one part after another`() {
    var routes = Self.routes()
    // The part of a row with this key is asked first.
    #expect(routes.route(.image(5, key: "a")).sends.map(\.part) == [0])
    var step = routes.take(.none, of: 5, from: 0)
    #expect(step.send?.part == 1 && step.answer == nil)
    // An answer that is too late means nothing.
    step = routes.take(.bytes([1]), of: 5, from: 0)
    #expect(step.send == nil && step.answer == nil)
    guard case .image(5, .bytes([2]))? = routes.take(.bytes([2]), of: 5, from: 1).answer else {
      Issue.record("the image is not found")
      return
    }
  }

  @Test func `an image that no part has is missing, unless one has failed`() {
    var routes = Self.routes()
    for (outcome, isMissing) in [(ImageOutcome.none, true), (.sourceDown, false)] {
      #expect(routes.route(.image(5, key: "z")).sends.map(\.part) == [1])
      #expect(routes.take(outcome, of: 5, from: 1).send?.part == 0)
      guard case .image(5, let answer)? = routes.take(.none, of: 5, from: 0).answer else {
        Issue.record("an image is not answered")
        return
      }
      #expect((answer == .none) == isMissing)
    }
  }

  @Test func `a cancelled image is cancelled where it is searched for`() {
    var routes = Self.routes()
    _ = routes.route(.image(5, key: "a"))
    #expect(routes.route(.cancelImages([5, 6])).sends.map(\.part) == [0])
    #expect(routes.take(.none, of: 5, from: 0).send == nil)
  }

  @Test func `a bounded number of images is searched for at once`() {
    var routes = Self.routes()
    for number in 0..<UInt64(PartRoutes.greatestSearches) { _ = routes.route(.image(number, key: "a")) }
    guard case .image(_, .sourceDown)? = routes.route(.image(9_999, key: "a")).answers.first else {
      Issue.record("too many images are searched for")
      return
    }
  }

  @Test func `uploads are refused`() {
    var routes = Self.routes()
    #expect(routes.route(.upload(.end(1))).answers.count == 1)
  }
}
