import ListEngine
import Testing

/// Validation of action arguments.
@Suite struct ActionTests {
  private let action = Action(
    "renice",
    arguments: [
      ActionArgument("nice", .integer, standard: .integer(10), minimum: -20, maximum: 19),
      ActionArgument("share", .number, standard: .number(0.5), minimum: 0),
      ActionArgument("why", .text),
      ActionArgument("kind", .text, choices: [.text("a"), .text("b")], standard: .text("a")),
      ActionArgument("now", .boolean, standard: .boolean(true)),
    ])

  private func complete(_ given: (String, Cell)...) throws(ActionFault) -> [Cell] {
    try action.complete(given.map { (name: $0.0, value: $0.1) }).map(\.value)
  }

  private func complaint(_ given: (String, Cell)...) -> String? {
    do throws(ActionFault) {
      _ = try action.complete(given.map { (name: $0.0, value: $0.1) })
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `omitted and null arguments get their default values`() throws {
    #expect(
      try complete(("why", .text("x"))) == [.integer(10), .number(0.5), .text("x"), .text("a"), .boolean(true)])
    #expect(
      try complete(("now", .boolean(false)), ("nice", .integer(3)), ("why", .text("")), ("share", .integer(2)))
        == [.integer(3), .number(2), .text(""), .text("a"), .boolean(false)])
    #expect(try complete(("why", .text("x")), ("nice", .null))[0] == .integer(10))
    #expect(try complete(("why", .text("x")), ("why", .text("y")))[2] == .text("y"))
  }

  @Test func `a missing argument without a default is refused`() {
    #expect(complaint() == "the argument “why” is missing")
    #expect(complaint(("why", .null)) == "the argument “why” is missing")
  }

  @Test func `an unknown argument is refused`() {
    #expect(complaint(("why", .text("")), ("who", .text("me"))) == "“renice” has no argument “who”")
  }

  @Test func `numbers are checked against both bounds`() throws {
    for (nice, fits) in [(-21, false), (-20, true), (19, true), (20, false)] {
      #expect((complaint(("why", .text("")), ("nice", .integer(Int64(nice)))) == nil) == fits, "\(nice)")
    }
    #expect(complaint(("why", .text("")), ("nice", .integer(-21))) == "the argument “nice” must be at least -20")
    #expect(complaint(("why", .text("")), ("nice", .integer(20))) == "the argument “nice” must be at most 19")
    #expect(complaint(("why", .text("")), ("share", .number(-0.001))) == "the argument “share” must be at least 0")
    #expect(complaint(("why", .text("")), ("share", .number(0))) == nil)
  }

  @Test func `accepts only whole numbers that a double holds exactly`() throws {
    let any = ActionArgument("n", .integer)
    let greatest = ActionArgument.greatestInteger
    #expect(try any.checked(.integer(greatest)) == .integer(greatest))
    #expect(try any.checked(.integer(-greatest)) == .integer(-greatest))
    #expect(try any.checked(.number(7)) == .integer(7))
    for value: Cell in [
      .integer(greatest + 1), .integer(-greatest - 1), .integer(.min), .number(7.5), .number(1e300), .text("7"),
    ] {
      #expect(throws: ActionFault(reason: "the argument “n” must be a whole number within ±9007199254740991")) {
        try any.checked(value)
      }
    }
  }

  @Test func `texts are limited to 1,000 characters`() throws {
    let any = ActionArgument("t", .text)
    let longest = String(repeating: "é", count: 1_000)
    #expect(try any.checked(.text(longest)) == .text(longest))
    #expect(throws: ActionFault(reason: "the argument “t” has more than 1000 characters")) {
      try any.checked(.text(longest + "x"))
    }
    #expect(throws: ActionFault(reason: "the argument “t” must be a text")) { try any.checked(.integer(1)) }
  }

  @Test func `only listed choices are accepted`() {
    #expect(complaint(("why", .text("")), ("kind", .text("b"))) == nil)
    #expect(complaint(("why", .text("")), ("kind", .text("c"))) == "the argument “kind” is none of its choices")
  }
}
