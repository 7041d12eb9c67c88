import Wire

/// The content of a view in a request to save it.
struct ViewDraft: Equatable {
  /// The new name; `nil` keeps the name in the path of the request.
  var name: String?
  var title: String
  var table: String
  var address: String
  var role = Role.viewer
  /// The version that the client has changed; `nil` for a new view.
  var version: Int?

  /// Parses the body of a request, which has the form of a view's file.
  ///
  /// - Throws: ``ViewFault`` that names the faulty member.
  init(yaml bytes: [UInt8]) throws(ViewFault) {
    let values = try FlatYAML.parse(bytes)
    if let text = values["name"], !text.isEmpty {
      guard SavedView.isName(text) else { throw ViewFault(422, Self.nameRule) }
      name = text
    }
    title = values["title"] ?? ""
    guard (1...SavedView.greatestTitle).contains(title.count), title.utf8.count <= 4 * SavedView.greatestTitle,
      title.unicodeScalars.allSatisfy(Self.isVisible), title.contains(where: { !$0.isWhitespace })
    else {
      throw ViewFault(
        422, "The title of a view has 1 to \(SavedView.greatestTitle) characters, without control characters.")
    }
    table = values["table"] ?? ""
    guard (1...SavedView.greatestTable).contains(table.utf8.count), table.unicodeScalars.allSatisfy(Self.isVisible)
    else {
      throw ViewFault(422, "“table” must name the table of the view, in at most \(SavedView.greatestTable) bytes.")
    }
    address = values["address"] ?? ""
    guard address.utf8.first == 0x23, address.utf8.count <= SavedView.greatestAddress,
      address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw ViewFault(
        422,
        "“address” must be the end of the page's address from “#” on, as browsers write it, "
          + "in at most \(SavedView.greatestAddress) bytes.")
    }
    if let text = values["role"], !text.isEmpty {
      guard let role = Role(rawValue: text), role.mayView else {
        throw ViewFault(422, "“role” must be viewer or operator.")
      }
      self.role = role
    }
    if let text = values["version"], !text.isEmpty {
      guard let number = Int(text), (1...SavedView.greatestVersion).contains(number) else {
        throw ViewFault(422, "“version” must be a whole number from 1 on.")
      }
      version = number
    }
  }

  static let nameRule =
    "The name of a view has 1 to \(SavedView.greatestName) lower-case letters, digits and hyphens, "
    + "and no hyphen at its ends."

  /// Returns whether a character has no effect on the text around it.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
    default: scalar.properties.generalCategory != .control
    }
  }
}

extension SavedView {
  /// The content of the view's file.
  var yaml: String {
    """
    name: \(name)
    title: \(FlatYAML.quoted(title))
    table: \(FlatYAML.quoted(table))
    address: \(FlatYAML.quoted(address))
    role: \(role.rawValue)
    version: \(version)
    id: \(id)
    owner: \(FlatYAML.quoted(owner))

    """
  }

  /// Parses the content of a view's file.
  ///
  /// - Throws: ``ViewFault`` that names the fault.
  init(yaml bytes: [UInt8]) throws(ViewFault) {
    let draft = try ViewDraft(yaml: bytes)
    let values = try FlatYAML.parse(bytes)
    guard let name = draft.name, let version = draft.version else {
      throw ViewFault(422, "“name” or “version” is missing.")
    }
    let (id, owner) = (values["id"] ?? "", values["owner"] ?? "")
    guard Self.isID(id), owner.utf8.count <= 64 else { throw ViewFault(422, "“id” or “owner” is malformed.") }
    self.init(
      id: id, name: name, title: draft.title, table: draft.table, address: draft.address, role: draft.role,
      owner: owner, version: version)
  }

  /// Appends the view as a JSON object for a client.
  ///
  /// - Parameter withAddress: Whether to include ``address``, which may be long.
  func write(to writer: inout JSONWriter, for author: ViewAuthor, withAddress: Bool) {
    writer.object {
      $0.member("name", name)
      $0.member("title", title)
      $0.member("table", table)
      if withAddress { $0.member("address", address) }
      $0.member("role", role.rawValue)
      $0.member("version", version)
      $0.member("id", id)
      $0.member("mine", owner == author.id)
      $0.member("mayChange", author.mayChange(self))
    }
  }

  /// The view as a line of JSON for a client.
  func json(for author: ViewAuthor) -> [UInt8] {
    var writer = JSONWriter()
    write(to: &writer, for: author, withAddress: true)
    writer.byte("\n")
    return writer.bytes
  }
}
