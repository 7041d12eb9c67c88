/// The changes that can affect the order of a view.
extension ListView {
  /// Returns whether a change may insert, remove or move a row.
  func concerns(_ change: ChangeLog.Entry) -> Bool {
    change.columns & (interest | rangeInterest) != 0 || change.columns == ChangeLog.everything
  }

  /// Returns whether a changed row keeps its position, because its values stay in their ranges.
  func staysInSection(_ change: ChangeLog.Entry) -> Bool {
    guard rangeInterest != 0, change.columns & interest == 0, change.columns != ChangeLog.everything,
      var section = pool.chunk(of: change.slot)?.section
    else { return false }
    for column in groups.reversed() {
      guard let parent = section.parent, !column.hasRanges || column.section(of: change.slot) == section.value else {
        return false
      }
      section = parent
    }
    return true
  }
}
