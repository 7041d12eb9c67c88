import SourceRuntime
import Testing

@testable import TextSource

/// Outputs that are neither one table nor one record per line.
@Suite struct OutputLayoutTests {
  /// Returns the rows of a text as `name=value, ...`, and faults unchanged.
  private func rows(_ text: String, pausingAfter pause: Int? = nil) -> [String] {
    var reader = TextReader(format: nil)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let bytes = Array(line.utf8)
      (bytes + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes {
        reader.read(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]), number: index + 1)
      }
      if index + 1 == pause { reader.settle() }
    }
    reader.end()
    return reader.takeRows().map { found in
      switch found {
      case .row(let row, _): row.map { "\($0.name)=\($0.value.written)" }.joined(separator: ", ")
      case .fault(let reason): reason
      }
    }
  }

  @Test func `blocks of names with values are records`() {
    let text = "Name: a\nSize: 1\nNote: x\n y\n\nName: b\nSize: 2\n"
    #expect(rows(text) == ["Name=a, Size=1, Note=x\ny", "Name=b, Size=2"])
  }

  @Test func `one block of names with values is a list`() {
    let found = rows("kernel.ostype = Linux\nvm.swappiness = 60")
    #expect(found == ["name=kernel.ostype, value=Linux", "name=vm.swappiness, value=60"])
  }

  @Test func `nested names have the path to them as section`() {
    let text = "Host: a\nDisk:\n  Size: 1\n  Part:\n    Type: x\nUser: b"
    #expect(
      rows(text) == [
        "section=, name=Host, value=a", "section=Disk, name=Size, value=1", "section=Disk / Part, name=Type, value=x",
        "section=, name=User, value=b",
      ])
  }

  @Test func `a log with a word before a colon stays lines`() {
    let text = "error: disk full\nerror: no memory\nwarning: slow\nerror: disk full"
    #expect(rows(text) == text.split(separator: "\n").map { "line=\($0)" })
  }

  @Test func `the titles of several tables are a column`() {
    let text = "First\nNAME  SIZE  OF\na        1  x\nb        2  y\n\nSecond\nNAME  COLOR  TO\nc     red    z\n"
    #expect(
      rows(text) == [
        "section=First, NAME=a, SIZE=1, OF=x", "section=First, NAME=b, SIZE=2, OF=y",
        "section=Second, NAME=c, COLOR=red, TO=z",
      ])
  }

  @Test func `a table whose header follows rows without a blank line`() {
    let text = """
      Proto Recv-Q Local Address    State
      tcp        0 10.0.0.5:22      LISTEN
      tcp       12 10.0.0.5:80      LISTEN
      Active UNIX domain sockets (servers and established)
      Proto RefCnt Type       State         Path
      unix  2      STREAM     LISTENING     /run/a
      unix  3      DGRAM      CONNECTED     /run/b
      """
    let found = rows(text)
    #expect(found.count == 4)
    #expect(found.last?.hasSuffix("Proto=unix, RefCnt=3, Type=DGRAM, State=CONNECTED, Path=/run/b") ?? false)
  }

  @Test func `a table that begins after a pause has its own columns`() {
    let text = "NAME  SIZE\na        1\nb        2\n\nHOST  COLOR\nc     red\nd     blue\n"
    #expect(rows(text, pausingAfter: 4).suffix(2) == ["HOST=c, COLOR=red", "HOST=d, COLOR=blue"])
  }

  @Test func `values in one later column continue the row above`() {
    let text = "ID    HOST   PATHS\n7ab1  kazik  /srv\n9f0b  luigi  /home\n             /etc\nbdbd  luigi  /a\n"
    #expect(rows(text)[1] == "ID=9f0b, HOST=luigi, PATHS=/home\n/etc")
  }

  @Test func `a long first value takes a line of its own`() {
    let text = """
      FILESYSTEM  BLOCKS  LIMIT
      /dev/sda       100    200
      /a/very/long/path
                     300    400
      /dev/sdb       500    600
      """
    #expect(rows(text)[1] == "FILESYSTEM=/a/very/long/path, BLOCKS=300, LIMIT=400")
  }

  @Test func `a text in several columns of numbers is not a row`() {
    let row = "\nb       200     20  me"
    let text = "NAME   SIZE   USED  OWNER" + String(repeating: row, count: 10) + "\nsome words  that  are text" + row
    #expect(rows(text)[10] == "line=some words  that  are text")
  }

  @Test func `a value of several words after empty cells is not split`() {
    let text = """
      Username   Port  From       Latest
      root                        **Never logged in**
      daemon                      **Never logged in**
      """
    #expect(rows(text)[0] == "Username=root, Port=, From=, Latest=**Never logged in**")
  }

  @Test func `a header in comments names the columns`() {
    let text = """
      # Samples: 21K
      #
      # Overhead  Command   Symbol
      # ........  ........  .......
      #
           31.2%  postgres  [.] a
            4.9%  swapper   [k] b c
      """
    #expect(
      rows(text) == [
        "Overhead=31.2%, Command=postgres, Symbol=[.] a", "Overhead=4.9%, Command=swapper, Symbol=[k] b c",
      ])
  }

  @Test func `headings of a listing are the directory of its rows`() {
    let line = "-rw-r--r-- 1 root root 2 Nov 28 10:18 "
    let found = rows(".:\ntotal 4\n\(line)a\n\n./sub:\ntotal 4\n\(line)b\n")
    #expect(found.map { $0.prefix(15) } == ["directory=., mo", "directory=./sub"])
  }

  @Test func `columns without names need values that agree`() {
    #expect(
      rows("a-one    1.0   main\nb        2.0   main\nc-three  3.1   extra") == [
        "column 1=a-one, column 2=1.0, column 3=main", "column 1=b, column 2=2.0, column 3=main",
        "column 1=c-three, column 2=3.1, column 3=extra",
      ])
    let prose = "Hello.  This is a text\nthat has  two blanks\nhere and there  in it"
    #expect(rows(prose) == prose.split(separator: "\n").map { "line=\($0)" })
  }

  @Test func `lines above a table are counted in the notice`() {
    var reader = TextReader(format: nil)
    let text = "Totals / all : 12\n\nNAME  SIZE\na        1\nb        2"
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let bytes = Array(line.utf8)
      (bytes + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes {
        reader.read(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]), number: index + 1)
      }
    }
    reader.end()
    #expect(reader.takeRows().count == 2)
    #expect(reader.notice.contains("One line above the table was left out"))
  }

  @Test func `a record has at most 32 KiB in one value`() {
    let more = String(repeating: " more text that goes on\n", count: 3_000)
    let records = (1...40).map { "Name: \($0)\nSize: 1\nNote: x\n\n" }.joined()
    let found = rows("\(records)Name: z\nNote: z\n\(more)")
    #expect(found.count == 41 && found[40].utf8.count < 40_000)
  }
}
