import ListEngine
import Testing

@testable import PluginHost

@Suite struct LooseReaderTests {
  /// The rows of a text, each as `name=value ...`; faults as they are.
  private func rows(_ text: String, format: LooseFormat? = nil) -> [String] {
    var reader = LooseReader(format: format)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let bytes = Array(line.utf8)
      (bytes + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes {
        reader.read(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]), number: index + 1)
      }
    }
    reader.end()
    return reader.takeRows().map { found in
      switch found {
      case .row(let row, _): row.map { "\($0.name)=\($0.value.written)" }.joined(separator: " ")
      case .fault(let reason): reason
      }
    }
  }

  private func guess(_ line: String) -> LooseFormat? {
    var line = line
    return line.withUTF8 { LooseFormat.guess(UnsafeRawBufferPointer($0)) }
  }

  @Test func theFirstLineSaysWhatItIs() {
    #expect(guess(#"{"a":1}"#) == .ndjson)
    #expect(guess("  [") == .json)
    #expect(guess("a\tb,c") == .tsv)
    #expect(guess("a,b") == .csv)
    #expect(guess(#""a b","c""#) == .csv)
    #expect(guess("level=info msg=\"all is well\" n=3") == .logfmt)
    #expect(guess("12:00 level=info n=3") == .logfmt)
    #expect(guess("started with level=info") == nil)
    #expect(guess("NAME  READY") == nil)
    #expect(guess("   ") == nil)
  }

  @Test func objectsAreRows() {
    #expect(
      rows("{\"a\":1}\n\n[2]\nx\n{\"b\":[1,2]}") == [
        "a=1", "line 3: it is a list, not an object", rows("{}\nx")[1].replacing("line 2", with: "line 4"), "b=[1,2]",
      ])
  }

  @Test func aDocumentIsAListOfObjects() {
    #expect(rows("[{\"a\":1},\n{\"a\":2}, 3]") == ["a=1", "a=2", "item 3: it is a number, not an object"])
    #expect(rows("{\n\"kind\":\"List\",\"items\":[{\"a\":1}]\n}", format: .json) == ["a=1"])
    #expect(rows("{\"a\":[{}],\"b\":[{}]}", format: .json) == ["the document has no list of objects"])
    #expect(rows("[{\"a\":1}", format: .json).count == 1)
  }

  @Test func valuesBetweenCommasMayBeQuoted() {
    #expect(
      rows("a,b,c\n1,\"x, \"\"y\"\"\",3\n\n4,\"two\nlines\",\n5") == [
        "a=1 b=x, \"y\" c=3", "a=4 b=two\nlines c=", "a=5",
      ])
    #expect(rows("a,b\n1,2,3") == ["line 2: it has 3 values for 2 columns"])
    #expect(rows("a,b\n1,\"x") == ["line 2: a quote is not closed"])
    #expect(rows("a,a,\n1,2,3") == ["a=1 a 2=2 column 3=3"])
  }

  @Test(arguments: [
    ("NAME   READY", ["NAME", "READY"]), ("CONTAINER ID   IMAGE     PORTS  ", ["CONTAINER ID", "IMAGE", "PORTS"]),
    ("  PID %CPU  COMMAND", ["PID %CPU", "COMMAND"]), ("NAME READY", nil), ("Name   READY", nil), ("NAME   1", nil),
    ("NAME", nil), ("", nil), ("  ALL IS WELL  ", nil),
  ]) func aHeaderAloneIsInCapitalsWithAGap(_ line: String, _ names: [String]?) {
    #expect(AlignedColumns.names(ofHeader: line) == names)
  }

  @Test func aHeaderWaitsForWhatStandsBelowIt() {
    /// How many rows there are, whether it waits for silence, and what it has decided.
    func read(_ lines: [String], ends: Bool = false) -> String {
      var reader = LooseReader(format: nil)
      for (index, line) in lines.enumerated() {
        let bytes = Array(line.utf8)
        (bytes + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes {
          reader.read(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]), number: index + 1)
        }
      }
      let isSampling = reader.isSampling
      if ends { reader.end() } else { reader.settle() }
      let names = reader.names.map { $0.joined(separator: "+") } ?? "-"
      return "\(reader.takeRows().count) \(isSampling ? "waits" : "-") \(names) \(reader.format?.rawValue ?? "-")"
    }
    #expect(read(["NAME   READY"]) == "0 - - -")
    #expect(read(["NAME   READY", "web    1/1"]) == "1 waits - columns")
    #expect(read(["NAME   READY"], ends: true) == "0 - NAME+READY columns")
    #expect(read(["one  line"]) == "1 waits - lines")
    #expect(read(["one  line"], ends: true) == "1 waits - lines")
  }

  @Test func aMarkOfTheByteOrderInFrontSaysNothing() {
    #expect(rows("\u{FEFF}a,b\n1,2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}a\tb\n1\t2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}\"a\",b\n1,2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}{\"a\":1}\n{\"a\":2}") == ["a=1", "a=2"])
    #expect(rows("\u{FEFF}[{\"a\":1}]") == ["a=1"])
    #expect(rows("\u{FEFF}a=1 b=2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}{\"a\":1}", format: .ndjson) == ["a=1"])
    #expect(rows("a,b\n\u{FEFF}1,2") == ["a=\u{FEFF}1 b=2"], "and elsewhere it is a letter")
  }

  @Test func valuesBetweenTabsAreAsTheyAre() { #expect(rows("a\tb\n\"x\t2,5") == ["a=\"x b=2,5"]) }

  @Test func pairsAreRows() {
    #expect(
      rows(#"level=info msg="a \"b\" c" n=3 empty= done"# + "\nk==v") == [
        "level=info msg=a \"b\" c n=3 empty= message=done", "k==v",
      ])
  }

  @Test func columnsAreBelowTheirNames() {
    let text = """
      NAME                     READY   STATUS    RESTARTS      AGE
      api-6d4cf56db6-x2x7k     1/1     Running   1 (5m ago)    3d
      db-0                     0/1                0             12h
      """
    #expect(
      rows(text) == [
        "NAME=api-6d4cf56db6-x2x7k READY=1/1 STATUS=Running RESTARTS=1 (5m ago) AGE=3d",
        "NAME=db-0 READY=0/1 STATUS= RESTARTS=0 AGE=12h",
      ])
  }

  @Test func aNameOfTwoWordsIsOneName() {
    let text = """
      Filesystem     1K-blocks    Used Available Use% Mounted on
      overlay         61202244 8000000  50000000  14% /
      tmpfs              65536       0     65536   0% /dev
      """
    #expect(
      rows(text) == [
        "Filesystem=overlay 1K-blocks=61202244 Used=8000000 Available=50000000 Use%=14% Mounted on=/",
        "Filesystem=tmpfs 1K-blocks=65536 Used=0 Available=65536 Use%=0% Mounted on=/dev",
      ])
  }

  @Test func linesThatDoNotStandBelowEachOtherAreSplitAtBlanks() {
    let text = """
      USER  PID VSZ COMMAND
      root    1 123 init  --now
      me    12345678 9 sh
      """
    #expect(
      rows(text) == ["USER=root PID=1 VSZ=123 COMMAND=init  --now", "USER=me PID=12345678 VSZ=9 COMMAND=sh"])
  }

  @Test func anythingElseIsLines() {
    #expect(rows("hello there\nhow are you") == ["line=hello there", "line=how are you"])
    #expect(rows("one") == ["line=one"])
    #expect(rows("a,b\n1,2", format: .lines) == ["line=a,b", "line=1,2"])
  }

  @Test func aDecisionIsNotPutOffForEver() {
    var reader = LooseReader(format: nil)
    for number in 1...100 {
      let bytes = Array("word and word \(number)".utf8)
      (bytes + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes {
        reader.read(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]), number: number)
      }
      #expect(reader.isSampling == (number < 100))
    }
    #expect(reader.takeRows().count >= 99)
  }
}
