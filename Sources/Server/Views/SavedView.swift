/// A named view that the server keeps.
struct SavedView: Equatable {
  /// The maximum length of a name, in bytes.
  static let greatestName = 60
  /// The maximum length of a title, in characters.
  static let greatestTitle = 100
  /// The maximum length of a table's name, in bytes.
  static let greatestTable = 256
  /// The maximum length of an address, in bytes.
  static let greatestAddress = 20_000
  /// The maximum version number.
  static let greatestVersion = 1_000_000_000

  /// The permanent id, which names the file and the short link.
  let id: String
  /// The name in links: lower-case letters, digits and hyphens.
  var name: String
  /// The title for users.
  var title: String
  /// The name of the view's table.
  var table: String
  /// The fragment of the page's address, with its `#`.
  var address: String
  /// The least role that may open the view.
  var role: Role
  /// The id of the ``ViewAuthor`` who may change the view; empty on a server without tokens.
  var owner: String
  /// The number of saves, from 1.
  var version: Int

  /// Returns a random id of 50 bits.
  static func randomID() -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(Cryptography.randomBytes(10).map { alphabet[Int($0) & 31] })
  }

  /// Returns whether a text has the form of an id.
  static func isID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) }
  }

  /// Returns whether a text has the form of a name.
  static func isName(_ text: some StringProtocol) -> Bool {
    let isPlain: (UInt8) -> Bool = { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    guard let first = text.utf8.first, let last = Array(text.utf8).last else { return false }
    return text.utf8.count <= greatestName && text.utf8.allSatisfy { isPlain($0) || $0 == 0x2D } && isPlain(first)
      && isPlain(last)
  }
}

/// The reason why a request about a view is refused.
struct ViewFault: Error, Equatable {
  /// The status of the HTTP response.
  var status: Int
  var reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }
}

/// The client that saves or deletes a view.
struct ViewAuthor: Equatable {
  /// A digest of the client's token; empty on a server without tokens.
  let id: String
  /// Whether the client may change the views of others.
  let isAdministrator: Bool
  let role: Role

  /// - Parameter tokens: The accepted tokens. The first one of an operator is the administrator's.
  init(_ pass: AccessControl.Pass, tokens: [AccessToken]) {
    role = pass.role
    guard let token = pass.token, !tokens.isEmpty else {
      (id, isAdministrator) = ("", pass.role == .operator)
      return
    }
    let digest = Cryptography.code(Array("rowcast view".utf8), key: Array(token.text.utf8))
    id = digest.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    isAdministrator = pass.role == .operator && token == tokens.first { $0.role == .operator }
  }

  /// Whether the client may save views.
  var maySave: Bool { role == .operator }

  /// Returns whether the client may change or delete a view.
  func mayChange(_ view: SavedView) -> Bool { maySave && (isAdministrator || view.owner == id) }
}
