import ListEngine

/// One row of a changeset in a form that is easy to write in tests.
package struct PlainRow: Equatable {
  package var verb: Changeset.Verb
  package var key: RowKey
  /// The cells; nil for unchanged ones.
  package var cells: [Cell?]

  package init(_ verb: Changeset.Verb, _ key: RowKey, _ cells: [Cell?]) {
    self.verb = verb
    self.key = key
    self.cells = cells
  }

  /// Returns the rows of a changeset.
  package static func rows(of changes: Changeset) -> [PlainRow] {
    var rows: [PlainRow] = []
    changes.forEachRow { rows.append(PlainRow($0.verb, $0.key, $0.cells)) }
    return rows
  }
}
