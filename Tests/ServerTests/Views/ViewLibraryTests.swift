import Testing

@testable import Server

@Suite struct ViewLibraryTests {
  private let author = ViewAuthor(AccessControl.Pass(.operator), tokens: [])

  private func draft(_ table: String = "jobs") throws -> ViewDraft {
    try ViewDraft(yaml: Array("title: T\ntable: \(table)\naddress: \"#\"\n".utf8))
  }

  @Test func `bounds the views of a table and of an owner`() throws {
    var library = ViewLibrary()
    for number in 0..<ViewLibrary.greatestCountOfOwner {
      let table = "table\(number / ViewLibrary.greatestCountOfTable)"
      library.commit(try library.change(.save("v\(number)", draft(table)), by: author))
    }
    #expect(throws: ViewFault(409, "A user keeps 200 views at most: delete one first.")) {
      try library.change(.save("more", draft("other")), by: author)
    }
    let token = AccessToken(role: .operator)
    let other = ViewAuthor(AccessControl.Pass(.operator, token), tokens: [token])
    #expect(throws: ViewFault(409, "A table has 100 views at most: delete one first.")) {
      try library.change(.save("more", draft("table0")), by: other)
    }
    #expect(try library.change(.save("more", draft("other")), by: other).view.name == "more")
  }

  @Test func `every operator owns all views on a server without tokens`() throws {
    var library = ViewLibrary()
    library.commit(try library.change(.save("v", draft()), by: author))
    #expect(author.mayChange(library["v"]!))
    let viewer = ViewAuthor(AccessControl.Pass(.viewer), tokens: [])
    #expect(!viewer.mayChange(library["v"]!))
    #expect(throws: ViewFault.self) { try library.change(.remove("v", version: nil), by: viewer) }
  }

  @Test(arguments: ["plain", "with \"quotes\" \\ and ü 漢 😀", "tab\tand\nline", "\u{85}\u{2028}", "# no comment", "'"])
  func `texts survive quoting`(text: String) throws {
    let line = "title: \(FlatYAML.quoted(text)) # comment\n"
    #expect(try FlatYAML.parse(Array(line.utf8)) == ["title": text])
  }

  @Test func `reads the plain and single-quoted texts of other tools`() throws {
    let text = "---\n# a view\ntitle: CPU hogs # most first\ntable: 'it''s'\nempty:\n\r\n"
    #expect(try FlatYAML.parse(Array(text.utf8)) == ["title": "CPU hogs", "table": "it's", "empty": ""])
    #expect(throws: ViewFault.self) { try FlatYAML.parse([0x61, 0x3A, 0x20, 0xFF]) }
  }
}
