import Foundation
import ListEngine
import Testing

@Suite struct ColumnFormatTests {
  @Test(arguments: [
    ("plain", ColumnFormat.plain()), ("plain.0", .plain(decimals: 0)), ("plain.15", .plain(decimals: 15)),
    ("grouped", .grouped()), ("grouped.2", .grouped(decimals: 2)), ("date", .date), ("datetime", .dateTime()),
    ("datetime.0", .dateTime(decimals: 0)), ("datetime.9", .dateTime(decimals: 9)), ("time", .time()),
    ("time.3", .time(decimals: 3)),
  ])
  func `formats survive text and JSON round trips`(_ text: String, _ format: ColumnFormat) throws {
    #expect(ColumnFormat(text) == format)
    #expect(format.text == text)
    #expect(try JSONDecoder().decode([ColumnFormat].self, from: JSONEncoder().encode([format])) == [format])
  }

  @Test(arguments: [
    "", "Plain", "plain.", "plain.-1", "plain.16", "plain.02", "plain.2.3", "plain 2", ".2", "grouped.+2", "date.3",
    "date.0",
    "datetime.10", "time.10", "time.a", "percent", "grouped.16", "plain.\u{0661}", "plain.99999999999999999999",
  ])
  func `unknown format texts are refused`(_ text: String) { #expect(ColumnFormat(text) == nil) }

  @Test func `number formats fit numbers, time formats fit timestamps`() {
    for type in ColumnType.allCases {
      let isNumber = type == .integer || type == .number
      #expect(ColumnFormat.plain().fits(type) == isNumber)
      #expect(ColumnFormat.grouped(decimals: 2).fits(type) == isNumber)
      for format in [ColumnFormat.date, .dateTime(), .time(decimals: 3)] {
        #expect(format.fits(type) == (type == .timestamp))
      }
    }
  }

  private func fault(_ columns: [Column], label: String? = nil) -> String? {
    var engine = Engine(epoch: "e")
    do {
      _ = try engine.addTable(Schema(name: "t", key: .integer, columns: columns, label: label), at: .zero)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `the engine refuses a format of another type with a remedy`() {
    #expect(
      fault([Column("at", .timestamp, format: .plain())])
        == "the format “plain” does not fit the column “at” of type timestamp: \(ColumnFormat.rule)")
    #expect(fault([Column("n", .number, format: .time())])?.contains("“n” of type number") == true)
    #expect(fault([Column("n", .number, format: .plain(decimals: 16))])?.contains("too many decimals") == true)
    #expect(fault([Column("n", .number, format: .plain(decimals: -1))]) != nil)
    #expect(fault([Column("at", .timestamp, format: .time(decimals: 10))]) != nil)
    #expect(
      fault([Column("n", .number, format: .grouped(decimals: 15)), Column("at", .timestamp, format: .date)]) == nil)
  }

  @Test func `the engine refuses a direction on columns without numbers`() {
    for type in ColumnType.allCases {
      let isRefused = fault([Column("c", type, better: .lower)]) != nil
      #expect(isRefused == (type != .integer && type != .number))
    }
    #expect(
      fault([Column("c", .text, better: .higher)])
        == "the column “c” of type text states a better direction: only integer and number columns can, leave it out")
  }

  @Test func `the engine refuses a label that names no readable column`() {
    #expect(
      fault([Column("c", .text)], label: "d")
        == "the label names the column “d”, which the table does not have: name one of its columns")
    for type in ColumnType.allCases {
      #expect((fault([Column("c", type)], label: "c") != nil) == (type == .image || type == .series))
    }
  }

  @Test func `a schema without formats, direction and label is decoded`() throws {
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("c", .number, format: .plain(decimals: 2), better: .higher)],
      label: "c")
    let bytes = try JSONEncoder().encode(schema)
    #expect(try JSONDecoder().decode(Schema.self, from: bytes) == schema)
    var object = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    var columns = try #require(object["columns"] as? [[String: Any]])
    #expect(columns[0]["format"] as? String == "plain.2")
    #expect(columns[0]["better"] as? String == "higher")
    #expect(object.removeValue(forKey: "label") as? String == "c")
    columns[0]["format"] = nil
    columns[0]["better"] = nil
    object["columns"] = columns
    let old = try JSONDecoder().decode(Schema.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(old == Schema(name: "t", key: .integer, columns: [Column("c", .number)]))
  }
}
