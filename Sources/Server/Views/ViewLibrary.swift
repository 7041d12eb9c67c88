/// The views of a server in memory, and the rules for changing them.
///
///     let change = try library.change(.save("cpu-hogs", draft), by: author)
///     folder.perform(change) { ... }       // writes the file
///     library.commit(change)               // once the file is written
struct ViewLibrary {
  /// The maximum number of views.
  static let greatestCount = 1_000
  /// The maximum number of views of one owner.
  static let greatestCountOfOwner = 200
  /// The maximum number of views of one table.
  static let greatestCountOfTable = 100

  /// A change that a client requests.
  enum Edit: Equatable {
    /// Saves a view under a name, or changes or renames the view of that name.
    case save(String, ViewDraft)
    /// Deletes a view, in any version if the version is `nil`.
    case remove(String, version: Int?)
  }

  /// A change of one file.
  enum Change: Equatable {
    case write(SavedView)
    case remove(SavedView)

    var view: SavedView {
      switch self {
      case .write(let view), .remove(let view): view
      }
    }
  }

  private var byID: [String: SavedView] = [:]
  private var ids: [String: String] = [:]  // by name

  var count: Int { byID.count }

  /// Adds a view from a file; returns `false` if its name or id is there already, or there are too
  /// many.
  mutating func add(_ view: SavedView) -> Bool {
    guard byID.count < Self.greatestCount, byID[view.id] == nil, ids[view.name] == nil else { return false }
    commit(.write(view))
    return true
  }

  /// The view with a name, or with an id after `~`.
  subscript(reference: String) -> SavedView? {
    reference.hasPrefix("~") ? byID[String(reference.dropFirst())] : ids[reference].flatMap { byID[$0] }
  }

  /// Returns the views that a role may open, ordered by title.
  ///
  /// - Parameter table: The table of the views; `nil` for all tables.
  func views(of table: String?, for role: Role) -> [SavedView] {
    byID.values.filter { $0.role <= role && (table == nil || $0.table == table) }
      .sorted { ($0.title, $0.name) < ($1.title, $1.name) }
  }

  /// Returns the change of a file for a requested one.
  ///
  /// - Throws: ``ViewFault`` if the request is refused.
  func change(_ edit: Edit, by author: ViewAuthor) throws(ViewFault) -> Change {
    guard author.maySave else { throw ViewFault(403, "Saving and deleting views needs the token of an operator.") }
    switch edit {
    case .save(let reference, let draft):
      guard let old = self[reference] else { return .write(try newView(reference, draft, by: author)) }
      return .write(try changed(old, draft, by: author))
    case .remove(let reference, let version):
      guard let old = self[reference] else { throw ViewFault(404, "There is no view “\(reference)”.") }
      guard author.mayChange(old) else { throw foreign(old) }
      if let version, version != old.version { throw outdated(old, version) }
      return .remove(old)
    }
  }

  private func newView(_ reference: String, _ draft: ViewDraft, by author: ViewAuthor) throws(ViewFault) -> SavedView {
    guard SavedView.isName(reference) else { throw ViewFault(404, "There is no view “\(reference)”.") }
    guard draft.version == nil else {
      throw ViewFault(409, "The view “\(reference)” was deleted meanwhile: save yours as a new view.")
    }
    let name = draft.name ?? reference
    guard ids[name] == nil else { throw taken(name) }
    guard byID.count < Self.greatestCount else {
      throw ViewFault(409, "This server keeps \(Self.greatestCount) views at most: delete one first.")
    }
    guard byID.values.count(where: { $0.owner == author.id }) < Self.greatestCountOfOwner else {
      throw ViewFault(409, "A user keeps \(Self.greatestCountOfOwner) views at most: delete one first.")
    }
    try checkRoom(in: draft.table)
    var id = SavedView.randomID()
    while byID[id] != nil { id = SavedView.randomID() }
    return SavedView(
      id: id, name: name, title: draft.title, table: draft.table, address: draft.address, role: draft.role,
      owner: author.id, version: 1)
  }

  private func changed(_ old: SavedView, _ draft: ViewDraft, by author: ViewAuthor) throws(ViewFault) -> SavedView {
    guard author.mayChange(old) else { throw foreign(old) }
    guard let version = draft.version else { throw taken(old.name) }
    guard version == old.version else { throw outdated(old, version) }
    let name = draft.name ?? old.name
    guard name == old.name || ids[name] == nil else { throw taken(name) }
    if draft.table != old.table { try checkRoom(in: draft.table) }
    var view = old
    (view.name, view.title, view.table) = (name, draft.title, draft.table)
    (view.address, view.role) = (draft.address, draft.role)
    view.version = old.version < SavedView.greatestVersion ? old.version + 1 : 1
    return view
  }

  private func checkRoom(in table: String) throws(ViewFault) {
    guard byID.values.count(where: { $0.table == table }) < Self.greatestCountOfTable else {
      throw ViewFault(409, "A table has \(Self.greatestCountOfTable) views at most: delete one first.")
    }
  }

  private func taken(_ name: String) -> ViewFault {
    ViewFault(409, "A view “\(name)” exists already: choose another name.")
  }

  private func foreign(_ view: SavedView) -> ViewFault {
    ViewFault(403, "The view “\(view.name)” belongs to another user: save yours under another name.")
  }

  private func outdated(_ view: SavedView, _ version: Int) -> ViewFault {
    ViewFault(
      409,
      "The view “\(view.name)” was changed meanwhile: it has version \(view.version), yours is based on version "
        + "\(version). Open it again, or save yours under another name.")
  }

  /// Applies a change whose file is written.
  mutating func commit(_ change: Change) {
    if let old = byID[change.view.id] { ids[old.name] = nil }
    switch change {
    case .write(let view):
      byID[view.id] = view
      ids[view.name] = view.id
    case .remove(let view): byID[view.id] = nil
    }
  }
}
