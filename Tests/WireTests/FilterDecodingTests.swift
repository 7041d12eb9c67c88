import ListEngine
import Testing

@testable import Wire

@Suite struct FilterDecodingTests {
  private func decode(_ filter: String) throws(ClientError) -> Filter<String>? {
    let text = #"{"type":"query","request":1,"query":{"filter":\#(filter)}}"#
    guard case .query(_, let query, _) = try ClientMessage(decoding: Array(text.utf8)) else { return nil }
    if let fault = query.fault {
      #expect(fault.at == ["query.filter"])
      throw fault.error
    }
    return query.filter
  }

  private func complaint(_ filter: String) -> ClientError? {
    do throws(ClientError) {
      _ = try decode(filter)
      return nil
    } catch {
      return error
    }
  }

  @Test func `decodes the example in the protocol's documentation`() throws {
    #expect(
      try decode(
        #"""
        {"all":[{"column":"cpu","op":">","value":5},
                {"any":[{"column":"user","op":"oneOf","values":["root","me"]},
                        {"column":"name","op":"matches","value":"^k.*d$"}]}]}
        """#)
        == .all([
          .compare("cpu", .greater, .integer(5)),
          .any([.oneOf("user", [.text("root"), .text("me")]), .matches("name", "^k.*d$")]),
        ]))
  }

  @Test func `decodes every operator`() throws {
    for (op, comparison) in [
      ("=", .equal), ("!=", .notEqual), ("<", .less), ("<=", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual),
    ] as [(String, Comparison)] {
      #expect(try decode(#"{"column":"a","op":"\#(op)","value":-1.5}"#) == .compare("a", comparison, .number(-1.5)))
    }
    #expect(try decode(#"{"column":"a","op":"=","value":true}"#) == .compare("a", .equal, .boolean(true)))
    #expect(try decode(#"{"column":"a","op":"=","value":"x"}"#) == .compare("a", .equal, .text("x")))
    #expect(
      try decode(#"{"column":"a","op":"=","value":"9223372036854775807"}"#)
        == .compare("a", .equal, .text("9223372036854775807")))
    #expect(
      try decode(#"{"column":"a","op":"=","value":-9223372036854775808}"#) == .compare("a", .equal, .integer(.min)))
    #expect(
      try decode(#"{"column":"a","op":"range","from":1,"through":2}"#)
        == .range("a", from: .integer(1), through: .integer(2)))
    #expect(
      try decode(#"{"column":"a","op":"range","through":null,"from":1}"#)
        == .range("a", from: .integer(1), through: nil))
    for (op, comparison) in [
      ("age<", .less), ("age<=", .lessOrEqual), ("age>", .greater), ("age>=", .greaterOrEqual), ("age=", .equal),
    ] as [(String, Comparison)] {
      #expect(try decode(#"{"column":"a","op":"\#(op)","value":900000}"#) == .age("a", comparison, .integer(900_000)))
    }
    #expect(try decode(#"{"column":"a","op":"age<","value":"0.5"}"#) == .age("a", .less, .text("0.5")))
    #expect(complaint(#"{"column":"a","op":"age<"}"#) != nil)
    #expect(complaint(#"{"column":"a","op":"age","value":1}"#) != nil)
    #expect(complaint(#"{"column":"a","op":"agex","value":1}"#) != nil)
    #expect(try decode(#"{"column":"a","op":"contains","value":"Ä"}"#) == .contains("a", "Ä"))
    #expect(try decode(#"{"column":"a","op":"startsWith","value":""}"#) == .startsWith("a", ""))
    #expect(
      try decode(#"{"column":"a","op":"matches","value":"\\d","ignoreCase":true}"#)
        == .matches("a", "\\d", ignoringCase: true))
    #expect(
      try decode(#"{"column":"a","op":"oneOf","values":[1,"1",false]}"#)
        == .oneOf("a", [.integer(1), .text("1"), .boolean(false)]))
    #expect(try decode(#"{"column":"a","op":"oneOf","values":[]}"#) == .oneOf("a", []))
    #expect(try decode(#"{"column":"a","op":"isEmpty"}"#) == .isEmpty("a"))
    #expect(try decode(#"{"not":{"column":"a","op":"isEmpty"}}"#) == .not(.isEmpty("a")))
    #expect(try decode(#"{"any":[],"all":null}"#) == .any([]))
    #expect(try decode("null") == nil)
  }

  @Test func `an error has the path of the faulty part`() {
    let deep = { (filter: String) in #"{"all":[{"any":[]},{"not":\#(filter)}]}"# }
    let place = "query.filter.all[1].not"
    for (filter, wanted) in [
      ("[]", "\(place) must be an object, not a list"), ("{}", "\(place) must have one of all, any, not and column"),
      (#"{"all":[],"any":[]}"#, "\(place) must have one of all, any, not and column"),
      (#"{"all":{}}"#, "\(place).all must be a list, not an object"),
      (#"{"any":[7]}"#, "\(place).any[0] must be an object, not a number"),
      (#"{"column":7,"op":"="}"#, "\(place).column must be a text, not a number"),
      (#"{"column":"a"}"#, "\(place).op is missing"),
      (#"{"column":"a","op":"like"}"#, "\(place).op is “like”, which is not an operator"),
      (#"{"column":"a","op":"="}"#, "\(place).value is missing; isEmpty finds empty cells"),
      (#"{"column":"a","op":"=","value":null}"#, "\(place).value is missing; isEmpty finds empty cells"),
      (#"{"column":"a","op":"=","value":[1]}"#, "\(place).value must be a number, a text or a boolean, not a list"),
      (#"{"column":"a","op":"range","from":{}}"#, "\(place).from must be a number, a text or a boolean, not an object"),
      (#"{"column":"a","op":"contains"}"#, "\(place).value is missing"),
      (#"{"column":"a","op":"contains","value":7}"#, "\(place).value must be a text, not a number"),
      (
        #"{"column":"a","op":"matches","value":"x","ignoreCase":1}"#,
        "\(place).ignoreCase must be true or false, not a number"
      ),
      (#"{"column":"a","op":"oneOf"}"#, "\(place).values is missing"),
      (
        #"{"column":"a","op":"oneOf","values":[1,null]}"#,
        "\(place).values[1] must be a number, a text or a boolean, not null"
      ),
    ] {
      #expect(complaint(deep(filter)) == .unreadableMessage(wanted), "\(filter)")
    }
  }

  @Test func `rejects texts, lists and nesting beyond their limits`() {
    let long = String(repeating: "é", count: 1_001)
    for op in ["contains", "startsWith", "matches", "="] {
      #expect(
        complaint(#"{"column":"a","op":"\#(op)","value":"\#(long)"}"#)
          == .tooLong("query.filter.value has more than 1000 characters"))
    }
    #expect(
      complaint(#"{"column":"a","op":"oneOf","values":["\#(long)"]}"#)
        == .tooLong("query.filter.values[0] has more than 1000 characters"))
    let values = Array(repeating: "1", count: 1_001).joined(separator: ",")
    #expect(
      complaint(#"{"column":"a","op":"oneOf","values":[\#(values)]}"#)
        == .tooLong("query.filter.values has more than 1000 entries"))
    let parts = Array(repeating: #"{"all":[]}"#, count: 101).joined(separator: ",")
    #expect(complaint(#"{"any":[\#(parts)]}"#) == .tooLong("query.filter.any has more than 100 entries"))
    // Deeper than the JSON reader accepts; the engine checks the smaller depth limit of filters.
    let deep = (0..<40).reduce(#"{"all":[]}"#) { inner, _ in #"{"not":\#(inner)}"# }
    guard case .unreadableMessage = complaint(deep) else {
      Issue.record("\(String(describing: complaint(deep)))")
      return
    }
  }

  @Test func `does not trap on truncated or changed bytes`() {
    let good = Array(
      #"{"type":"query","request":1,"query":{"filter":{"all":[{"column":"a","op":"range","from":-1.5},{"not":{"any":[]}}]}}}"#
        .utf8)
    for cut in good.indices { _ = try? ClientMessage(decoding: Array(good[..<cut])) }
    for index in good.indices {
      for byte: UInt8 in 0x20...0x7E {
        var changed = good
        changed[index] = byte
        _ = try? ClientMessage(decoding: changed)
      }
    }
  }
}
