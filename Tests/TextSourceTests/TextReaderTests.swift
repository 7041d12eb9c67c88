import ListEngine
import SourceRuntime
import SourceTesting
import Testing

@testable import TextSource

@Suite struct TextReaderTests {
  /// Returns the rows of a text as `name=value ...`, and faults unchanged.
  private func rows(_ text: String, format: TextFormat? = nil) -> [String] {
    var reader = TextReader(format: format)
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

  private func guess(_ line: String) -> TextFormat? {
    var line = line
    return line.withUTF8 { TextFormat.guess(UnsafeRawBufferPointer($0)) }
  }

  @Test func `guesses the format of an unambiguous first line`() {
    #expect(guess(#"{"a":1}"#) == .ndjson)
    #expect(guess("  [") == .json)
    #expect(guess("a\tb,c") == nil, "the lines below it say the rest")
    #expect(guess("a,b") == nil, "the lines below it say the rest")
    #expect(guess("HOME=/root") == nil, "and so they do for one pair")
    #expect(guess("level=info msg=\"all is well\" n=3") == .logfmt)
    #expect(guess("12:00 level=info n=3") == .logfmt)
    #expect(guess("started with level=info") == nil)
    #expect(guess("NAME  READY") == nil)
    #expect(guess("   ") == nil)
  }

  @Test func `takes a line for JSON only if it is valid so far`() {
    for line in ["[", "[{", #"[{"a":[1,-2.5e3,true,null],"b":"]\"["},"#, #"[{"a":"#, "{", #"{"items":["#] {
      #expect(guess(line) == .json, "\(line)")
    }
    for line in [#"{"a":{"b":[]}}"#, "{}"] { #expect(guess(line) == .ndjson, "\(line)") }
    for line in [
      "[12:00:01] a", "[1] + 2",
      "[INFO] a",
      #"{"a":1} and more"#, "{'a':1}", #"{"a":"b"#, "[1}", "{,}", "[,", "[1,]", "]",
    ] {
      #expect(guess(line) == nil, "\(line)")
      #expect(rows(line) == ["line=\(line)"])
    }
  }

  @Test func `takes lines with commas for CSV only below a header`() {
    for text in [
      "1,a\n2,b", "Hello, world\nhow are you\ntoday",
    ] {
      #expect(rows(text) == text.split(separator: "\n").map { "line=\($0)" })
    }
    #expect(rows(",a\n0,x\n1,y") == ["column 1=0 a=x", "column 1=1 a=y"])
    #expect(rows("country,2020,2021\nDE,83,84") == ["country=DE 2020=83 2021=84"])
    #expect(rows("1,a\n2,b", format: .csv) == ["1=2 a=b"])
  }

  @Test func `a CSV header waits for a row below it`() {
    #expect(rows("a,b") == [])
    #expect(rows("a,b\n\n\n1,\"x\n\ny\"") == ["a=1 b=x\n\ny"], "and a value may have empty lines")
  }

  @Test func `reads one JSON object a line and reports other lines`() {
    #expect(
      rows("{\"a\":1}\n\n[2]\nx\n{\"b\":[1,2]}") == [
        "a=1", "line 3: it is a list, not an object", rows("{}\nx")[1].replacing("line 2", with: "line 4"), "b=[1,2]",
      ])
  }

  @Test func `reads the list of objects in a JSON document`() {
    #expect(rows("[{\"a\":1},\n{\"a\":2}, 3]") == ["a=1", "a=2", "item 3: it is a number, not an object"])
    #expect(rows("{\n\"kind\":\"List\",\"items\":[{\"a\":1}]\n}", format: .json) == ["a=1"])
    #expect(rows("{\"a\":[{}],\"b\":[{}]}", format: .json) == ["the document has no list of objects"])
    #expect(rows("{\"a\":[1],\"b\":[]}", format: .json) == [], "and it may be empty")
    #expect(rows("[{\"a\":1}", format: .json).count == 1)
  }

  @Test func `reads quoted CSV values and records of other lengths`() {
    #expect(
      rows("a,b,c\n1,\"x, \"\"y\"\"\",3\n\n4,\"two\nlines\",\n5") == [
        "a=1 b=x, \"y\" c=3", "a=4 b=two\nlines c=", "a=5",
      ])
    #expect(rows("a,b\n1,2,3,4\n5,6", format: .csv) == ["a=1 b=2 column 3=3 column 4=4", "a=5 b=6"])
    #expect(rows("column 3,b\n1,2,3", format: .csv) == ["column 3=1 b=2 column 3 2=3"])
    #expect(rows("a,b\n" + String(repeating: ",", count: 9_999), format: .csv)[0].count < 9_000, "and so they end")
    #expect(rows("a,b\n1,\"x") == ["line 2: a quote is not closed"])
    #expect(rows("a,a,\n1,2,3") == ["a=1 a 2=2 column 3=3"])
  }

  @Test(arguments: [
    "alice,30\nbob,25", "x,true\ny,false", "web,45%\ndb,7%", "web,4.0K\ndb,12M", "bob,/home/bob\neve,/home/eve",
    "nodev\tsysfs\nnodev\ttmpfs\n\text4", "a\tb\n1\n2\n3",
  ]) func `a first row of values is not used as a header`(_ text: String) {
    #expect(rows(text) == text.split(separator: "\n").map { "line=\($0)" })
  }

  @Test func `consecutive numbers are accepted as column names`() {
    #expect(rows("country,2020,2021\nDE,83,84") == ["country=DE 2020=83 2021=84"])
    #expect(rows("host,1,2,3\na,7,8,9") == ["host=a 1=7 2=8 3=9"])
    #expect(rows("host,1987\na,1990") == ["line=host,1987", "line=a,1990"])
    #expect(rows("host,1,3,4\na,7,8,9")[0] == "line=host,1,3,4")
  }

  @Test func `lines with one pair of the same key are rows`() {
    #expect(rows("n=1\nn=2") == ["n=1", "n=2"])
    #expect(rows("n=1") == ["n=1"])
  }

  @Test(arguments: [
    ("\u{1B}[31mred\u{1B}[0m", "red"), ("\u{1B}[1;38;5;208mx\u{1B}[K y", "x y"),
    ("\u{1B}]8;;https://a.b/\u{1B}\\link\u{1B}]8;;\u{7} x", "link x"), ("\u{1B}(Bplain\u{1B}=", "plain"),
    ("a\u{1B}[", "a"), ("a\u{1B}", "a"), ("a\u{1B}]0;title", "a"), ("\u{1B}[31mé\u{1B}[m", "é"), ("[31m", "[31m"),
  ]) func `terminal escape codes are removed`(_ text: String, _ plain: String) {
    #expect(rows(text, format: .lines) == ["line=\(plain)"])
  }

  @Test func `terminal escape codes do not affect format detection`() {
    #expect(rows("\u{1B}[1ma,b\u{1B}[0m\n1,\u{1B}[32m2\u{1B}[0m") == ["a=1 b=2"])
    #expect(rows(#"{"a":"\u001b[31mred\u001b[0m"}"#) == ["a=red"])
    #expect(
      rows("\u{1B}[4mNAME  READY\u{1B}[0m\nweb   \u{1B}[32m1/1\u{1B}[0m  \ndb    0/1  ")
        == ["NAME=web READY=1/1", "NAME=db READY=0/1"])
  }

  @Test func `lines after a blank line are not rows of the table above`() {
    let text = """
      UNIT FILE          STATE
      cron.service       enabled
      ssh.service        static

      2 unit files listed.
      2 unit files were found.
      """
    #expect(
      rows(text) == [
        "UNIT FILE=cron.service STATE=enabled", "UNIT FILE=ssh.service STATE=static", "line=2 unit files were found.",
      ])
  }

  @Test func `a second table below the first has its own columns`() {
    let text = """
      NAME        READY   AGE
      pod/web-0   1/1     5d
      pod/web-1   1/1     5d

      NAME        TYPE    AGE
      service/a   None    9d
      """
    #expect(rows(text).suffix(2) == ["NAME=pod/web-1 READY=1/1 AGE=5d", "NAME=service/a TYPE=None AGE=9d"])
  }

  @Test func `a repeated header is not a row`() {
    let header = "NAME   READY"
    #expect(rows("\(header)\nweb    1/1\n\(header)\ndb     0/1") == ["NAME=web READY=1/1", "NAME=db READY=0/1"])
  }

  @Test func `skips only the record that is too long`() {
    let long = String(repeating: "7,fake\n", count: 200_000)
    #expect(
      rows("id,t\n1,\"\(long)\"\n2,ok\n3,\"a,b\"\n4,fine") == [
        "line 2: its record has more than 1048576 bytes: it is left out up to the quote that closes it", "id=2 t=ok",
        "id=3 t=a,b", "id=4 t=fine",
      ])
  }

  @Test func `stops skipping at a limit if a quote is never closed`() {
    var record = DelimitedRecord(separator: 0x2C)
    let line = String(repeating: "x", count: 1 << 20)
    var text = "\"" + line
    var ended = 0
    for _ in 0..<(DelimitedRecord.skipLimit >> 20) {
      if text.withUTF8({ record.take(UnsafeRawBufferPointer($0)) }) { ended += 1 }
      text = line
    }
    #expect(ended == 1 && record.isTooLong && !record.isOpen)
    #expect(record.takeFields().isEmpty)
    text = "a,b"
    let isWhole = text.withUTF8 { record.take(UnsafeRawBufferPointer($0)) }
    #expect(isWhole && record.takeFields() == ["a", "b"])
  }

  @Test(arguments: [
    ("NAME   READY", ["NAME", "READY"]), ("CONTAINER ID   IMAGE     PORTS  ", ["CONTAINER ID", "IMAGE", "PORTS"]),
    ("  PID %CPU  COMMAND", ["PID %CPU", "COMMAND"]), ("NAME READY", nil), ("Name   READY", nil), ("NAME   1", nil),
    ("NAME", nil), ("", nil), ("  ALL IS WELL  ", nil),
  ]) func `recognizes a header alone by its capitals and a gap`(_ line: String, _ names: [String]?) {
    #expect(AlignedColumns.names(ofHeader: line) == names)
  }

  @Test func `an aligned header waits for a line below it`() {
    /// Returns the number of rows, whether inference is pending, and the format.
    func read(_ lines: [String], ends: Bool = false) -> String {
      var reader = TextReader(format: nil)
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

  @Test func `ignores a byte order mark at the start only`() {
    #expect(rows("\u{FEFF}a,b\n1,2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}a\tb\n1\t2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}\"a\",b\n1,2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}{\"a\":1}\n{\"a\":2}") == ["a=1", "a=2"])
    #expect(rows("\u{FEFF}[{\"a\":1}]") == ["a=1"])
    #expect(rows("\u{FEFF}a=1 b=2") == ["a=1 b=2"])
    #expect(rows("\u{FEFF}{\"a\":1}", format: .ndjson) == ["a=1"])
    #expect(rows("a,b\n\u{FEFF}1,2") == ["a=\u{FEFF}1 b=2"], "and elsewhere it is a letter")
  }

  @Test func `does not unquote or trim values between tabs`() { #expect(rows("a\tb\n\"x\t2,5 ") == ["a=\"x b=2,5 "]) }

  @Test func `trims values between tabs if the names are padded`() {
    #expect(
      rows("NAME \tREVISION\tAPP VERSION\nweb  \t1       \t1.25.1     ") == ["NAME=web REVISION=1 APP VERSION=1.25.1"])
  }

  @Test func `reads logfmt pairs, with a bare word as the message`() {
    #expect(
      rows(#"level=info msg="a \"b\" c" n=3 empty= done"# + "\nk==v") == [
        "level=info msg=a \"b\" c n=3 empty= message=done", "k==v",
      ])
  }

  @Test func `reads values that are aligned below their names`() {
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

  @Test func `reads a column name of two words as one`() {
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

  @Test func `splits lines that are not aligned at blanks`() {
    let text = """
      USER  PID VSZ COMMAND
      root    1 123 init  --now
      me    12345678 9 sh
      """
    #expect(
      rows(text) == ["USER=root PID=1 VSZ=123 COMMAND=init  --now", "USER=me PID=12345678 VSZ=9 COMMAND=sh"])
  }

  @Test func `reads any other text as lines`() {
    #expect(rows("hello there\nhow are you") == ["line=hello there", "line=how are you"])
    #expect(rows("one") == ["line=one"])
    #expect(rows("a,b\n1,2", format: .lines) == ["line=a,b", "line=1,2"])
  }

  @Test func `decides on the format after 100 lines`() {
    var reader = TextReader(format: nil)
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
