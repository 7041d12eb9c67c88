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

  @Test func `a first row with a version is not a header`() {
    #expect(
      rows("acl\t2.3.1-3\nbash\t5.2.15-2+b7\nzip\t3.0-13") == [
        "column 1=acl, column 2=2.3.1-3", "column 1=bash, column 2=5.2.15-2+b7", "column 1=zip, column 2=3.0-13",
      ])
  }

  @Test func `records with commas and no header have numbered columns`() {
    #expect(rows("acl,2.3,210\nbash,5.2,900\nzip,3.0,30").first == "column 1=acl, column 2=2.3, column 3=210")
    let prose = "true, two, three\nfalse, five, six\ntrue, eight, nine"
    #expect(rows(prose) == prose.split(separator: "\n").map { "line=\($0)" })
  }

  @Test func `comments above a table are left out`() {
    #expect(rows("# exported\nid,name\n1,a\n2,b") == ["id=1, name=a", "id=2, name=b"])
  }

  @Test func `numbers with a decimal comma are numbers between semicolons`() {
    let text = "item;count;price\nscrew;1.000;12,50\nnut;250;1.003,99"
    #expect(rows(text) == ["item=screw, count=1000, price=12.50", "item=nut, count=250, price=1003.99"])
    let plain = "item;host;price\nscrew;10.100.200.300;1.250\nnut;a;1.500"
    #expect(rows(plain).first == "item=screw, host=10.100.200.300, price=1.250")
  }

  @Test func `pairs with commas between them are columns`() {
    #expect(rows("a=1,b=2\na=3,b=4") == ["a=1, b=2", "a=3, b=4"])
  }

  @Test func `pairs behind names are columns`() {
    let text = "PLAY RECAP ****\nweb1 : ok=2  changed=1\nweb2 : ok=3  changed=0\n"
    #expect(
      rows(text) == [
        "section=PLAY RECAP, name=web1, ok=2, changed=1", "section=PLAY RECAP, name=web2, ok=3, changed=0",
      ])
  }

  @Test func `lines of names and lines of values are rows`() {
    #expect(
      rows("Tcp: In Out\nTcp: 5 -1\nUdp: In Out\nUdp: 7 8") == [
        "section=Tcp, name=In, value=5", "section=Tcp, name=Out, value=-1", "section=Udp, name=In, value=7",
        "section=Udp, name=Out, value=8",
      ])
  }

  @Test func `names in front of commands are numbers and not counts`() {
    #expect(
      rows("1 init\n7 cron\n900 sshd: root") == [
        "number=1, text=init", "number=7, text=cron", "number=900, text=sshd: root",
      ])
    #expect(rows("      1 /a\n      3 /b\n      7 /c").last == "count=7, value=/c")
  }

  @Test func `a line of a date and a time is a title`() {
    let text =
      "11/28/26 16:48:12\nDevice  r/s  w/s\nsda     1.0  2.0\n\n11/28/26 16:48:13\nDevice  r/s  w/s\nsda     3.0  4.0\n"
    #expect(
      rows(text) == [
        "section=11/28/26 16:48:12, Device=sda, r/s=1.0, w/s=2.0",
        "section=11/28/26 16:48:13, Device=sda, r/s=3.0, w/s=4.0",
      ])
  }

  @Test func `types below the names in a frame are left out`() {
    let text = """
      ┌───────┬─────────┐
      │  id   │  name   │
      │ int32 │ varchar │
      ├───────┼─────────┤
      │     1 │ Ann     │
      │     2 │ Bob     │
      └───────┴─────────┘
      """
    #expect(rows(text) == ["id=1, name=Ann", "id=2, name=Bob"])
    let long = text.replacing("│ int32 │ varchar │", with: "│ code  │ (first) │")
    #expect(rows(long).first == "id code=1, name (first)=Ann")
  }

  @Test func `names in front of counters are part of their columns`() {
    let text = """
      1: lo: <UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000
          link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
          RX:  bytes packets errors
          1200      13      0
          TX:  bytes packets errors
          1300      14      1
      """
    #expect(
      rows(text).first?.hasSuffix(
        "rx_bytes=1200, rx_packets=13, rx_errors=0, tx_bytes=1300, tx_packets=14, tx_errors=1") == true)
  }

  @Test func `a repeated header of an earlier table brings its columns back`() {
    let text = """
      10:00:00  active  passive
      10:00:01    1.00     2.00

      10:00:00  failed   resets    lost
      10:00:01    3.00     4.00    5.00

      10:00:01  active  passive
      10:00:02    6.00     7.00

      10:00:01  failed   resets    lost
      10:00:02    8.00     9.00   10.00
      """
    #expect(
      rows(text) == [
        "Time=10:00:01, active=1.00, passive=2.00", "Time=10:00:01, failed=3.00, resets=4.00, lost=5.00",
        "Time=10:00:02, active=6.00, passive=7.00", "Time=10:00:02, failed=8.00, resets=9.00, lost=10.00",
      ])
  }

  @Test func `a list of words in columns has no header`() {
    let text = "adduser.conf  environment  kernel\nalternatives  fonts        ldap\napt           fstab        magic\n"
    #expect(rows(text).allSatisfy { !$0.hasPrefix("adduser.conf") } && rows(text).count == 3)
    let table = "name  city    team\nzoe   berlin  red\nann   rome    blue\n"
    #expect(rows(table).first == "name=zoe, city=berlin, team=red")
  }

  @Test func `numbers of equal width in front of lines are no counts`() {
    #expect(
      rows("644 root 22 a\n755 root 10 b\n644 root 15 c\n600 root 71 d").first
        == "column 1=644, column 2=root, column 3=22, column 4=a")
    #expect(rows("644 /etc/a b\n12 /etc/b\n 7 /etc/c").last == "count=7, value=/etc/c")
  }

  @Test func `lines of a tree are part of the first column`() {
    let text = "TARGET        TYPE\n/             ext4\n├─/dev        tmpfs\n│   ├─/dev/a  tmpfs\n│   └─/dev/b  tmpfs\n"
    #expect(rows(text).last == "TARGET=│   └─/dev/b, TYPE=tmpfs")
  }
}
