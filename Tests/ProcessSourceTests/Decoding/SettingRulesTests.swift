import SourceRuntime
import Testing

@testable import ProcessSource

@Suite struct SettingRulesTests {
  private static let schema = #"""
    {"type":"object","required":["path"],"properties":{"path":{"type":"string"},"rows":{"type":"integer","minimum":0,"maximum":10},
    "share":{"type":"number"},"quiet":{"type":"boolean"},"side":{"enum":["BUY","SELL"]},"list":{"type":"array"},"map":{"type":"object"}}}
    """#

  /// Returns the encoded settings, or `key: reason`.
  private func written(_ settings: [String: String], _ schema: String? = SettingRulesTests.schema) -> String {
    let rules = schema.map { text in
      (Array(text.utf8) + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes { buffer in
        let parser = JSONParser()
        return SettingRules(try! parser.parse(UnsafeRawBufferPointer(rebasing: buffer[..<text.utf8.count])))
      }
    }
    do {
      return String(decoding: try SettingRules.written(settings, by: rules), as: UTF8.self)
    } catch {
      return "\(error.key ?? "-"): \(error.reason)"
    }
  }

  @Test func `encodes settings with the types of their schema`() {
    #expect(
      written([
        "path": "/a \"b\"", "rows": "10", "share": "0.5", "quiet": "true", "side": "BUY", "list": "[1]", "map": "{}",
      ])
        == #"{"list":[1],"map":{},"path":"/a \"b\"","quiet":true,"rows":10,"share":0.5,"side":"BUY"}"#)
    #expect(written(["path": "", "share": "7", "rows": "0"]) == #"{"path":"","rows":0,"share":7}"#)
  }

  @Test(arguments: [
    (["rows": "1"], "path: it must be set"), (["path": "", "rows": "11"], "rows: 11 is more than 10"),
    (["path": "", "rows": "-1"], "rows: -1 is less than 0"),
    (["path": "", "rows": "1.5"], "rows: '1.5' is not a whole number"),
    (["path": "", "share": "x"], "share: 'x' is not a number"),
    (["path": "", "share": "nan"], "share: 'nan' is not a number"),
    (["path": "", "quiet": "yes"], "quiet: 'yes' is neither true nor false"),
    (["path": "", "side": "buy"], "side: 'buy' is none of BUY, SELL"),
    (["path": "", "list": "{}"], "list: '{}' is not a JSON array"),
    (["path": "", "map": "{"], "map: '{' is not a JSON object"),
    (
      ["path": "", "speed": "1"], "speed: unknown setting; the settings are list, map, path, quiet, rows, share, side"
    ),
  ])
  func `refuses an invalid setting with its key and a reason`(_ settings: [String: String], _ reason: String) {
    #expect(written(settings) == reason)
  }

  @Test func `encodes every setting as text without rules`() { #expect(written(["a": "1"], nil) == #"{"a":"1"}"#) }

  @Test func `accepts unknown settings only if the rules allow them`() {
    #expect(written(["a": "1"], #"{"properties":{}}"#) == "a: unknown setting; there are none")
    #expect(written(["a": "1"], #"{"additionalProperties":true}"#) == #"{"a":"1"}"#)
  }
}
