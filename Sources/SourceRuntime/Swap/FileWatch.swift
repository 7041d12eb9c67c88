/// Detects completed changes of files: stamps that differ from the known ones and are equal twice
/// in a row.
///
/// It is a value without a clock. The caller must poll it.
struct FileWatch {
  private var known: [FileStamp?]
  private var seen: [FileStamp?]?

  init(_ stamps: [FileStamp?]) { known = stamps }

  /// Takes the current stamps; returns true when a change is complete.
  mutating func look(_ stamps: [FileStamp?]) -> Bool {
    guard stamps != known else {
      seen = nil
      return false
    }
    // A missing file or one that has just changed is still being written.
    guard stamps == seen, !stamps.contains(nil) else {
      seen = stamps
      return false
    }
    known = stamps
    seen = nil
    return true
  }
}
