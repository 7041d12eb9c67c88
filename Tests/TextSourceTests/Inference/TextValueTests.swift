import Glibc
import ListEngine
import Testing

@testable import TextSource

/// Sizes, durations, amounts and times in texts.
@Suite struct TextValueTests {
  @Test(
    arguments: [
      ("1.5G", 1.5 * 1_073_741_824), ("10KiB", 10_240), ("4.0K", 4_096), ("1.2GB", 1.2e9), ("512B", 512), ("0B", 0),
      ("16 kB", 16_384), ("2.5kB", 2_500), ("8192 bytes", 8_192), ("1.5 GiB", 1.5 * 1_073_741_824),
      ("128Mi", 134_217_728),
    ] as [(String, Double)]) func `a size is a number of bytes`(_ text: String, _ bytes: Double)
  {
    #expect(TextQuantity.bytes(text) == bytes.rounded())
  }

  @Test(arguments: ["12", "K", "1.5X", "5m", "1h", "G5", "1.2.3G", "", "-"])
  func `a text that is not a size has no bytes`(_ text: String) { #expect(TextQuantity.bytes(text) == nil) }

  @Test(
    arguments: [
      ("1h1m", 3_660), ("01:02:03", 3_723), ("3d4h", 273_600), ("2-03:04:05", 183_845), ("5m", 300), ("250ms", 0.25),
      ("0:01.50", 1.5), ("1d", 86_400), ("2m5s", 125), ("10:23", 623), ("3 days, 02:10", 267_000), ("1h 59min", 7_140),
    ] as [(String, Double)]) func `a duration is a number of seconds`(_ text: String, _ seconds: Double)
  {
    #expect(TextQuantity.duration(text)?.seconds == seconds)
  }

  @Test(arguments: ["1m1h", "12", "h", "1:2", "10:99", "1:02:03:04", "5x", "a1h", "::", "1:"])
  func `a text that is not a duration has no seconds`(_ text: String) { #expect(TextQuantity.duration(text) == nil) }

  @Test(arguments: [("1,234,567", 1_234_567), ("-1,000.5", -1_000.5), ("12,345", 12_345)] as [(String, Double)])
  func `thousands separators are removed`(_ text: String, _ number: Double) {
    #expect(TextQuantity.grouped(text) == number)
  }

  @Test(arguments: ["1,23", "1,2345", ",123", "0,123", "1234", "1,,234", "1,234.", "a,123"])
  func `other commas are not thousands separators`(_ text: String) { #expect(TextQuantity.grouped(text) == nil) }

  @Test func `an amount has a number and a unit`() {
    #expect(TextQuantity.amount("$1,234.50").map { "\($0.number) \($0.unit)" } == "1234.5 $")
    #expect(TextQuantity.amount("-$5").map { "\($0.number) \($0.unit)" } == "-5.0 $")
    #expect(TextQuantity.amount("12.5 €").map { "\($0.number) \($0.unit)" } == "12.5 €")
    #expect(TextQuantity.amount("45 W").map { "\($0.number) \($0.unit)" } == "45.0 W")
    #expect(TextQuantity.amount("12th") == nil)
  }

  @Test(
    arguments: [
      ("2026-11-23T10:00:00Z", 1_795_428_000), ("2026-11-23 10:00:00", 1_795_428_000),
      ("2026-11-23 11:00:00 +0100", 1_795_428_000), ("2026-11-23T10:00:00+00:00", 1_795_428_000),
      ("2026/11/23 10:00:00", 1_795_428_000), ("23/Nov/2026:10:00:00 +0000", 1_795_428_000),
      ("Mon Nov 23 10:00:00 2026", 1_795_428_000), ("Mon Nov 23 10:00:00 UTC 2026", 1_795_428_000),
      ("Mon, 23 Nov 2026 10:00:00 +0000", 1_795_428_000), ("Mon 2026-11-23 10:00:00 UTC", 1_795_428_000),
      ("2026-11-23", 1_795_392_000), ("Nov 23 2026", 1_795_392_000), ("2026-11-23 10:00", 1_795_428_000),
    ] as [(String, Int64)]) func `a time is read in its zone, or in that of the process`(
      _ text: String, _ seconds: Int64
    )
  {
    setenv("TZ", "UTC", 1)
    #expect(TextMoment(text)?.nanoseconds == seconds * 1_000_000_000)
  }

  @Test(arguments: [
    "2026-13-01", "2026-02-30", "Nov 23", "23 Nov", "Monday", "2026-11", "12345678", "Marigold 12", "2026-11-23x",
    "2026-11-23 25:00:00", "Nov 23 10:00:00 PST", "Mon Nov 23",
  ]) func `an invalid time text has no time`(_ text: String) { #expect(TextMoment(text) == nil) }

  @Test func `a time without a year is not in the future`() throws {
    let day = 86_400 * Int64(1_000_000_000)
    for month in ["Jan", "Jun", "Dec"] {
      let found = try #require(TextMoment("\(month) 15 10:00:00")).nanoseconds
      let now = Int64(time(nil)) * 1_000_000_000
      #expect(found <= now + day && found > now - 367 * day)
    }
  }

  @Test func `the magnitude of an epoch number determines its unit`() {
    for number in [1.795428e9, 1.795428e12, 1.795428e15, 1.795428e18] {
      #expect(TextMoment.nanoseconds(epoch: number) == 1_795_428_000_000_000_000)
    }
  }

  // MARK: Columns

  private func table(_ text: String, _ change: (inout TextOptions) -> Void = { _ in }) -> [String] {
    var options = TextOptions()
    change(&options)
    return CommandOutputTests.table(text, options).split(separator: "\n").map(String.init)
  }

  @Test func `a column with one text among its sizes stays text`() {
    #expect(table("name,size\na,1.5G\nb,large\n")[1...] == ["size: text", "2 rows", "| a | 1.5G", "| b | large"])
  }

  @Test func `a dash in a column of numbers is an empty cell`() {
    #expect(table("name,size\na,5\nb,-\n")[1...] == ["size: number", "2 rows", "| a | 5", "| b | "])
  }

  @Test func `a late text in a number column gets a column of its own`() {
    let rows = (1...150).map { "r\($0),\($0)" }.joined(separator: "\n")
    let found = table("name,size\n\(rows)\nlast,unknown\n")
    #expect(found.prefix(3) == ["name: text", "size: number", "size (text): text"])
    #expect(found.last == "| last |  | unknown")
  }

  @Test func `clock times are durations only in columns of durations`() {
    #expect(table("start,elapsed\n10:23,10:23\n10:24,0:05\n").prefix(2) == ["start: text", "elapsed: number duration"])
    #expect(table("took,started\n01:02:03,01:02:03\n").prefix(2) == ["took: number duration", "started: text"])
  }

  @Test func `whole numbers are times only in columns of times`() {
    #expect(
      table("created_at,serial\n1795428000,1795428000\n").prefix(2) == ["created_at: timestamp", "serial: number"])
  }

  // MARK: Options

  @Test func `a delimiter separates values`() {
    #expect(table("a^b\n1^x\n") { $0.delimiter = "^" } == ["a: number", "b: text", "1 rows", "| 1 | x"])
    #expect(
      table("pid  name  args\n1 init --now  -v\n") { $0.delimiter = " " }
        == ["pid: number", "name: text", "args: text", "1 rows", "| 1 | init | --now  -v"])
  }

  @Test func `without a header the first line is a row`() {
    #expect(
      table("1,x\n2,y\n") { $0.hasHeader = false } == [
        "column 1: number", "column 2: text", "2 rows", "| 1 | x", "| 2 | y",
      ])
    #expect(
      table("1,x\n2,y\n") {
        $0.hasHeader = false
        $0.names = ["n", "t"]
      }.prefix(2) == ["n: number", "t: text"])
  }

  @Test func `names replace those of the header`() {
    #expect(table("a,b\n1,x\n") { $0.names = ["n"] }.prefix(2) == ["n: number", "b: text"])
  }

  @Test func `declared types replace those that are inferred`() {
    let found = table("size,took,code\n12,250,007\n") {
      $0.hints = [
        "size": ColumnHint(.bytes(1024)), "took": ColumnHint(.duration(1e-3)),
        "code": ColumnHint(.integer, title: "Code"),
      ]
    }
    #expect(found.prefix(3) == ["size: number bytes", "took: number duration", "code: integer"])
    #expect(found.last == "| 12288 | 0.25 |  | 007", "which is not a whole number, and is kept")
  }

  @Test func `a pattern names the columns`() throws {
    let pattern = try LinePattern(named: #"(?<who>\w+) did (?<what>.*)"#)
    #expect(
      table("ada did it\n  and more\n") { $0.pattern = pattern }
        == ["who: text", "what: text", "1 rows", #"| ada | it\n  and more"#])
    #expect(throws: LinePattern.Fault.self) { try LinePattern(named: "no groups") }
    #expect(throws: LinePattern.Fault.self) { try LinePattern(named: "(?<a>") }
  }

  @Test func `members of nested objects become columns up to a depth`() {
    #expect(
      table(#"{"a":{"b":{"c":{"d":{"e":1}}}},"x":{}}"# + "\n").prefix(2) == ["a.b.c.d: text", "x: text"])
  }
}
