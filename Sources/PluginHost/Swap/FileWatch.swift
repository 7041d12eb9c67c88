/// Says when files have changed and are whole again: when they look the same twice in a row, and not as before.
///
/// It is a value without a clock: whoever has one asks it again and again.
struct FileWatch {
  private var known: [FileStamp?]
  private var seen: [FileStamp?]?

  init(_ stamps: [FileStamp?]) { known = stamps }

  /// Takes a look; true when the files are others than the last time that it was true.
  mutating func look(_ stamps: [FileStamp?]) -> Bool {
    guard stamps != known else {
      seen = nil
      return false
    }
    // One that is not there is about to be written, and so is one that was another a moment ago.
    guard stamps == seen, !stamps.contains(nil) else {
      seen = stamps
      return false
    }
    known = stamps
    seen = nil
    return true
  }
}
